package io.fdtable.web;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The body of dup2 where it looks as every JSON library writes it. Of any other body it
 * can only be said that it is another, and it can be read again.
 */
final class Dup2Body {

	/** More than such a body needs. */
	private static final int MAX_BYTES = 64;

	private static final Pattern FORM = Pattern
		.compile("[ \t\r\n]*\\{[ \t\r\n]*\"newFd\"[ \t\r\n]*:[ \t\r\n]*(0|[1-9][0-9]{0,8})[ \t\r\n]*}[ \t\r\n]*");

	private final byte[] bytes;

	private Dup2Body(byte[] bytes) {
		this.bytes = bytes;
	}

	/** Reads the body of a request, and nothing of a long one. */
	static Dup2Body read(HttpServletRequest request) throws IOException {
		long length = request.getContentLengthLong();
		return new Dup2Body(
				(length > 0 && length <= MAX_BYTES) ? request.getInputStream().readNBytes((int) length) : new byte[0]);
	}

	/** Returns the number, or null if the body has another form. */
	@Nullable FdNumber newFd() {
		Matcher matcher = FORM.matcher(new String(this.bytes, StandardCharsets.ISO_8859_1));
		return matcher.matches() ? new FdNumber(Long.parseLong(matcher.group(1))) : null;
	}

	/** Returns the request as it was before its body was read. */
	HttpServletRequest again(HttpServletRequest request) {
		return (this.bytes.length != 0) ? new Unread(request, this.bytes) : request;
	}

	private static final class Unread extends HttpServletRequestWrapper {

		private final ServletInputStream in;

		Unread(HttpServletRequest request, byte[] read) {
			super(request);
			this.in = new UnreadInputStream(read);
		}

		@Override
		public ServletInputStream getInputStream() {
			return this.in;
		}

	}

	private static final class UnreadInputStream extends ServletInputStream {

		private final ByteArrayInputStream in;

		UnreadInputStream(byte[] read) {
			this.in = new ByteArrayInputStream(read);
		}

		@Override
		public int read() {
			return this.in.read();
		}

		@Override
		public int read(byte[] bytes, int offset, int length) {
			return this.in.read(bytes, offset, length);
		}

		@Override
		public int available() {
			return this.in.available();
		}

		@Override
		public boolean isFinished() {
			return this.in.available() == 0;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			throw new IllegalStateException("nothing is left to wait for");
		}

	}

}
