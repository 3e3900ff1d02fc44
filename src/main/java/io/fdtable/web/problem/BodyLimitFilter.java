package io.fdtable.web.problem;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.util.unit.DataSize;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Bounds the bodies of requests that are read as a whole: what claims to be larger is
 * refused at once, and what turns out to be larger when it is read.
 */
@Component
class BodyLimitFilter extends OncePerRequestFilter {

	private static final DataSize LIMIT = DataSize.ofMegabytes(4);

	private static final String MESSAGE = "the body is larger than " + LIMIT.toMegabytes() + " MiB";

	/** The body is larger than a request may be. */
	@SuppressWarnings("serial")
	static final class BodyTooLargeException extends IOException {

		BodyTooLargeException() {
			super(MESSAGE);
		}

	}

	private final ProblemWriter writer;

	BodyLimitFilter(ProblemWriter writer) {
		this.writer = writer;
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
		chain.doFilter((length < 0) ? new LimitedRequest(request) : request, response);
	}

	/** Streamed bodies are bounded by whoever reads them. */
	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		String type = request.getContentType();
		// A log is a log whatever its sender calls it: curl calls it a form.
		boolean isLog = request.getRequestURI().equals("/v1/traces");
		return isLog || (type != null && (type.startsWith(MediaType.APPLICATION_NDJSON_VALUE)
				|| type.startsWith(MediaType.TEXT_PLAIN_VALUE)));
	}

	private static final class LimitedRequest extends HttpServletRequestWrapper {

		LimitedRequest(HttpServletRequest request) {
			super(request);
		}

		@Override
		public ServletInputStream getInputStream() throws IOException {
			return new LimitedInputStream(super.getInputStream());
		}

	}

	private static final class LimitedInputStream extends ServletInputStream {

		private final ServletInputStream delegate;

		private long left = LIMIT.toBytes();

		LimitedInputStream(ServletInputStream delegate) {
			this.delegate = delegate;
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
			this.left -= read;
			if (this.left < 0) {
				throw new BodyTooLargeException();
			}
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
