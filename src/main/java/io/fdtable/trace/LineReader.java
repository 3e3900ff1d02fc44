package io.fdtable.trace;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Cuts a stream of bytes into lines without making objects, and without holding more than
 * one line, however long a line is.
 */
final class LineReader {

	/** Longest line that is read, in bytes; what is beyond is skipped. */
	static final int MAX_LINE = 1 << 20;

	private final InputStream in;

	private final byte[] block = new byte[1 << 16];

	private int position;

	private int limit;

	/** The line, without its end. */
	byte[] line = new byte[1 << 12];

	int length;

	/** Whether the line was longer than {@link #MAX_LINE}. */
	boolean isTooLong;

	private long bytes;

	LineReader(InputStream in) {
		this.in = in;
	}

	/** Returns how many bytes have been consumed. */
	long bytes() {
		return this.bytes;
	}

	/**
	 * Reads the next line.
	 * @return false at the end of the stream
	 */
	boolean next() throws IOException {
		this.length = 0;
		this.isTooLong = false;
		if (this.position == this.limit && !fill()) {
			return false;
		}
		do {
			int end = this.position;
			while (end < this.limit && this.block[end] != '\n') {
				end++;
			}
			append(this.position, end);
			boolean ended = end < this.limit;
			this.bytes += end - this.position + (ended ? 1 : 0);
			this.position = ended ? end + 1 : end;
			if (ended) {
				break;
			}
		}
		while (fill());
		if (this.length > 0 && this.line[this.length - 1] == '\r') {
			this.length--;
		}
		return true;
	}

	private boolean fill() throws IOException {
		this.position = 0;
		this.limit = Math.max(0, this.in.read(this.block));
		return this.limit > 0;
	}

	private void append(int from, int to) {
		int count = to - from;
		if (this.length + count > MAX_LINE) {
			this.isTooLong = true;
			count = MAX_LINE - this.length;
		}
		if (this.length + count > this.line.length) {
			this.line = Arrays.copyOf(this.line, Math.max(2 * this.line.length, this.length + count));
		}
		System.arraycopy(this.block, from, this.line, this.length, count);
		this.length += count;
	}

}
