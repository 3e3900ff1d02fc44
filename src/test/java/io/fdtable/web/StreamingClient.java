package io.fdtable.web;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Sends one chunked request and reads its chunked response at the same time, which client
 * libraries for HTTP/1.1 do one after the other.
 */
public final class StreamingClient implements Closeable {

	private static final int TIMEOUT_MILLIS = 60_000;

	private final Socket socket;

	private final OutputStream out;

	private final InputStream in;

	private int status;

	private long chunkLeft;

	private boolean ended;

	public StreamingClient(int port, String path, String contentType) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setSoTimeout(TIMEOUT_MILLIS);
		this.socket.setTcpNoDelay(true);
		this.out = this.socket.getOutputStream();
		this.in = new BufferedInputStream(this.socket.getInputStream(), 1 << 16);
		this.out.write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + contentType
				+ "\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
			.getBytes(StandardCharsets.ISO_8859_1));
	}

	public void send(String text) throws IOException {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		send(bytes, bytes.length);
	}

	void send(byte[] bytes, int length) throws IOException {
		this.out.write((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
		this.out.write(bytes, 0, length);
		this.out.write(new byte[] { '\r', '\n' });
	}

	public void endRequest() throws IOException {
		this.out.write("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
	}

	/** Sends nothing more, as if the client had died in the middle of its request. */
	void breakOff() throws IOException {
		this.socket.shutdownOutput();
	}

	public int status() throws IOException {
		if (this.status == 0) {
			this.status = Integer.parseInt(rawLine().substring(9, 12));
			String header;
			do {
				header = rawLine();
			}
			while (!header.isEmpty());
		}
		return this.status;
	}

	/** Reads a line of the body, without its newline. */
	public String line() throws IOException {
		StringBuilder line = new StringBuilder();
		int b = read();
		while (b >= 0 && b != '\n') {
			line.append((char) b);
			b = read();
		}
		return line.toString();
	}

	/** Reads up to the end of the response and counts its lines. */
	long countLines() throws IOException {
		long lines = 0;
		for (int b = read(); b >= 0; b = read()) {
			lines += (b == '\n') ? 1 : 0;
		}
		return lines;
	}

	/** Reads a byte of the body, or -1 at its proper end. */
	public int read() throws IOException {
		status();
		if (this.chunkLeft == 0 && !this.ended) {
			this.chunkLeft = Long.parseLong(rawLine(), 16);
			this.ended = this.chunkLeft == 0;
		}
		if (this.ended) {
			return -1;
		}
		int b = this.in.read();
		this.chunkLeft--;
		if (this.chunkLeft == 0) {
			rawLine();
		}
		return b;
	}

	private String rawLine() throws IOException {
		StringBuilder line = new StringBuilder();
		int b = this.in.read();
		while (b != '\n') {
			if (b < 0) {
				throw new IOException("the connection was closed in the middle of the response");
			}
			line.append((char) b);
			b = this.in.read();
		}
		return line.toString().strip();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
