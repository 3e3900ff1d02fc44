package io.fdtable.web.problem;

import java.io.IOException;

import io.fdtable.kernel.Sysctl;
import io.fdtable.session.SessionRegistry;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.util.unit.DataSize;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Bounds the bodies of requests that are read as a whole: what claims to be larger is
 * refused at once, and what turns out to be larger when it is read. All together are
 * bounded by the memory budget.
 */
@Component
class BodyLimitFilter extends OncePerRequestFilter {

	private static final DataSize LIMIT = DataSize.ofMegabytes(4);

	private static final String MESSAGE = "the body is larger than " + LIMIT.toMegabytes() + " MiB";

	/** What of a body is read before it counts against the memory budget, in bytes. */
	private static final int FREE = 1 << 13;

	/** How much of a body is paid for at once, in bytes. */
	private static final int STEP = 1 << 13;

	/**
	 * What a byte of a body takes while it is parsed: as read, as characters, as a value.
	 */
	private static final int BYTES_PER_BYTE = 4;

	/** The body is larger than a request may be. */
	@SuppressWarnings("serial")
	static final class BodyTooLargeException extends IOException {

		BodyTooLargeException(String message) {
			super(message);
		}

	}

	private final ProblemWriter writer;

	private final SessionRegistry registry;

	BodyLimitFilter(ProblemWriter writer, SessionRegistry registry) {
		this.writer = writer;
		this.registry = registry;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		long length = request.getContentLengthLong();
		if (length > LIMIT.toBytes()) {
			ProblemType type = ProblemType.PAYLOAD_TOO_LARGE;
			this.writer.write(Problems.of(type, type.status(), MESSAGE), request, response);
			return;
		}
		if (length >= 0 && length <= FREE) {
			chain.doFilter(request, response);
			return;
		}
		LimitedRequest limited = new LimitedRequest(request, this.registry.sysctl());
		try {
			chain.doFilter(limited, response);
		}
		finally {
			limited.uncharge();
		}
	}

	/** Streamed bodies are bounded by whoever reads them. */
	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		String type = request.getContentType();
		// A log is a log whatever its sender calls it: curl calls it a form.
		boolean isLog = request.getRequestURI().equals("/v1/traces");
		return isLog || isOfType(type, MediaType.APPLICATION_NDJSON_VALUE)
				|| isOfType(type, MediaType.TEXT_PLAIN_VALUE);
	}

	/** The case of a media type says nothing (RFC 9110, section 8.3.1). */
	private static boolean isOfType(@Nullable String contentType, String mediaType) {
		return contentType != null && contentType.regionMatches(true, 0, mediaType, 0, mediaType.length());
	}

	/** A request whose body pays for itself while it is read. */
	static final class LimitedRequest extends HttpServletRequestWrapper {

		private final Sysctl sysctl;

		private @Nullable ServletInputStream in;

		private long charged;

		LimitedRequest(HttpServletRequest request, Sysctl sysctl) {
			super(request);
			this.sysctl = sysctl;
		}

		@Override
		public ServletInputStream getInputStream() throws IOException {
			if (this.in == null) {
				this.in = new LimitedInputStream(super.getInputStream(), this);
			}
			return this.in;
		}

		/** Counts what has been read of the body against the memory budget, in steps. */
		void charge(long read) throws IOException {
			while (FREE + this.charged / BYTES_PER_BYTE < read) {
				long bytes = (long) STEP * BYTES_PER_BYTE;
				if (!this.sysctl.tryCharge(bytes)) {
					throw new NoMemoryException("the memory budget has no room for the body");
				}
				this.charged += bytes;
			}
		}

		void uncharge() {
			this.sysctl.uncharge(this.charged);
			this.charged = 0;
		}

	}

	private static final class LimitedInputStream extends ServletInputStream {

		private final ServletInputStream delegate;

		private final LimitedRequest request;

		private long read;

		LimitedInputStream(ServletInputStream delegate, LimitedRequest request) {
			this.delegate = delegate;
			this.request = request;
		}

		@Override
		public int read() throws IOException {
			int b = this.delegate.read();
			count((b < 0) ? 0 : 1);
			return b;
		}

		@Override
		public int read(byte[] bytes, int offset, int length) throws IOException {
			int read = this.delegate.read(bytes, offset, length);
			count(Math.max(read, 0));
			return read;
		}

		private void count(int read) throws IOException {
			this.read += read;
			if (this.read > LIMIT.toBytes()) {
				throw new BodyTooLargeException(MESSAGE);
			}
			this.request.charge(this.read);
		}

		@Override
		public boolean isFinished() {
			return this.delegate.isFinished();
		}

		@Override
		public boolean isReady() {
			return this.delegate.isReady();
		}

		@Override
		public void setReadListener(ReadListener listener) {
			this.delegate.setReadListener(listener);
		}

	}

}
