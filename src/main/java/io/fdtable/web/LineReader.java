package io.fdtable.web;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

import io.fdtable.kernel.Sysctl;
import io.fdtable.web.problem.NoMemoryException;

/**
 * Splits a stream of bytes into lines, in memory that does not grow with the stream.
 *
 * <p>
 * A line is a range of {@link #buffer()}, valid until the next is asked for. Of a line
 * that is too long nothing is kept.
 */
final class LineReader {

	/** What the reader takes before there is a line, in bytes. */
	static final int INITIAL_BYTES = 1 << 16;

	private final InputStream in;

	private final int maxBytes;

	private final Runnable beforeWaiting;

	private byte[] buffer;

	private int start;

	private int end;

	/** One past the last byte that has been read from the stream. */
	private int filled;

	private boolean tooLong;

	private final Sysctl sysctl;

	/**
	 * Creates a reader.
	 * @param in where the lines come from
	 * @param maxBytes the longest line that is kept, its newline included
	 * @param sysctl where the buffer takes its memory from; where there is none for it to
	 * grow, a line is too long
	 * @param beforeWaiting runs before a read that would have to wait for the sender
	 * @throws NoMemoryException if there is no memory to begin with
	 */
	LineReader(InputStream in, int maxBytes, Sysctl sysctl, Runnable beforeWaiting) throws NoMemoryException {
		if (!sysctl.tryCharge(INITIAL_BYTES)) {
			throw new NoMemoryException("the memory budget has no room for another stream of lines");
		}
		this.buffer = new byte[INITIAL_BYTES];
		this.sysctl = sysctl;
		this.in = in;
		this.maxBytes = maxBytes;
		this.beforeWaiting = beforeWaiting;
	}

	/**
	 * Goes on to the next line; the last one needs no newline.
	 * @return false if there is none
	 */
	boolean next() throws IOException {
		this.start = this.end;
		this.tooLong = false;
		int scanned = this.start;
		while (true) {
			int newline = newline(scanned);
			if (newline >= 0) {
				this.end = newline + 1;
				return true;
			}
			scanned = this.filled;
			if (this.filled == this.buffer.length) {
				scanned -= makeRoom();
			}
			if (!fill()) {
				this.end = this.filled;
				return this.start < this.end || this.tooLong;
			}
		}
	}

	private int newline(int from) {
		byte[] bytes = this.buffer;
		for (int i = from; i < this.filled; i++) {
			if (bytes[i] == '\n') {
				return i;
			}
		}
		return -1;
	}

	/** Moves the line to the front or widens the buffer; returns how far it moved. */
	private int makeRoom() {
		int moved = this.start;
		int wider = (int) Math.min(2L * this.buffer.length, this.maxBytes);
		if (moved == 0 && wider > this.buffer.length && this.sysctl.tryCharge(wider - this.buffer.length)) {
			this.buffer = Arrays.copyOf(this.buffer, wider);
		}
		else if (moved == 0) {
			this.tooLong = true;
			moved = this.filled;
		}
		System.arraycopy(this.buffer, moved, this.buffer, 0, this.filled - moved);
		this.start = 0;
		this.filled -= moved;
		return moved;
	}

	@SuppressWarnings("ThreadPriorityCheck") // fairness, nothing is right or wrong by it
	private boolean fill() throws IOException {
		// A sender that never lets the reader wait must not keep a carrier to itself.
		Thread.yield();
		if (this.in.available() == 0) {
			this.beforeWaiting.run();
		}
		int read = this.in.read(this.buffer, this.filled, this.buffer.length - this.filled);
		this.filled += Math.max(read, 0);
		return read >= 0;
	}

	byte[] buffer() {
		return this.buffer;
	}

	int start() {
		return this.start;
	}

	/** Returns one past the last byte of the line, its newline included. */
	int end() {
		return this.end;
	}

	/** Tells whether the line was too long, so that only some of its end is kept. */
	boolean isTooLong() {
		return this.tooLong;
	}

	boolean isBlank() {
		for (int i = this.start; i < this.end; i++) {
			if (this.buffer[i] != ' ' && this.buffer[i] != '\t' && this.buffer[i] != '\r' && this.buffer[i] != '\n') {
				return false;
			}
		}
		return !this.tooLong;
	}

	/** Gives back what the buffer has taken from the memory budget. */
	void close() {
		this.sysctl.uncharge(this.buffer.length);
		this.buffer = new byte[0];
	}

}
