package io.fdtable.trace;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * One call of a log, or the beginning or the end of one: a mutable object that the parser
 * and the call log fill again and again, so that a line costs no garbage.
 */
final class Call {

	/** A descriptor that is not there, or not one: AT_FDCWD. */
	static final int NONE = Integer.MIN_VALUE;

	/** A new descriptor whose number the log does not tell. */
	static final int UNTOLD = -1;

	/** Longest text that is kept, in bytes. */
	static final int MAX_TEXT = 512;

	/** SCM_MAX_FD for each of a few messages: the most descriptors that are kept. */
	static final int MAX_FDS = 1024;

	private static final int[] NO_FDS = new int[0];

	/** Which part of a call a line shows. */
	enum Phase {

		COMPLETE, START, END

	}

	Phase phase = Phase.COMPLETE;

	long line;

	int pid;

	CallType type = CallType.ENDED;

	Op op = Op.ENDED;

	/** The descriptor that the call works on. */
	int fd;

	/**
	 * The second number: the target of a dup2, the minimum of an F_DUPFD, the end of a
	 * range, flags of a clone, the soft limit; which of the descriptors that a message
	 * brought are pidfds, a bit for each of the first 64.
	 */
	long arg;

	/** Whether the new descriptor, or the changed one, is close-on-exec. */
	boolean closeOnExec;

	/** Whether the log tells what the call answered. */
	boolean returned;

	long ret;

	/** The name of the error, or null. */
	@Nullable String errno;

	/** New descriptors, the lowest limits too; {@link #UNTOLD} holds the place of one. */
	int[] fds = NO_FDS;

	int fdCount;

	private byte[] text = new byte[0];

	int textLength;

	/** The line that began the call, if this one ends it. */
	long startLine;

	/** Where the other part of the call stands in the call log, 0 if nowhere. */
	long other;

	/** Where this part stands in the call log. */
	long offset;

	void clear() {
		this.phase = Phase.COMPLETE;
		this.fd = NONE;
		this.arg = 0;
		this.closeOnExec = false;
		this.returned = false;
		this.ret = 0;
		this.errno = null;
		this.fdCount = 0;
		this.textLength = 0;
		this.startLine = 0;
		this.other = 0;
		this.offset = 0;
	}

	boolean succeeded() {
		return this.returned && this.errno == null;
	}

	boolean failedWith(String name) {
		return name.equals(this.errno);
	}

	static boolean isDescriptor(long value) {
		return value >= 0 && value <= Integer.MAX_VALUE;
	}

	void addFd(int value) {
		if (this.fdCount < MAX_FDS) {
			if (this.fdCount == this.fds.length) {
				this.fds = Arrays.copyOf(this.fds, 2 * this.fdCount + 2);
			}
			this.fds[this.fdCount++] = value;
		}
	}

	void addPidfd(int value) {
		if (this.fdCount < Long.SIZE) {
			this.arg |= 1L << this.fdCount;
		}
		addFd(value);
	}

	/** Tells whether one of the descriptors that a message brought is a pidfd. */
	boolean isPidfd(int index) {
		return index < Long.SIZE && (this.arg >>> index & 1) != 0;
	}

	void setText(byte[] from, int start, int end) {
		this.textLength = Math.max(0, Math.min(end - start, MAX_TEXT));
		System.arraycopy(from, start, text(this.textLength), 0, this.textLength);
	}

	void appendText(byte value) {
		if (this.textLength < MAX_TEXT) {
			text(this.textLength + 1)[this.textLength++] = value;
		}
	}

	/** Returns the bytes of the text, with room for so many. */
	byte[] text(int length) {
		if (this.text.length < length) {
			this.text = Arrays.copyOf(this.text, Math.max(length, Math.min(2 * this.text.length, MAX_TEXT)));
		}
		return this.text;
	}

	String textAsString() {
		return new String(this.text, 0, this.textLength, StandardCharsets.UTF_8);
	}

}
