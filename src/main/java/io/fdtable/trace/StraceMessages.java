package io.fdtable.trace;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The messages that strace mixes into its output on a terminal, and the lines that they
 * break in two.
 *
 * <p>
 * Tested by StraceParserTest, line by line.
 */
final class StraceMessages {

	private static final String PROCESS = "strace: Process ";

	private static final String ATTACHED = " attached";

	private final StraceLine line;

	private final ThreadNames threads;

	private byte @Nullable [] glued;

	private long gluedLine;

	StraceMessages(StraceLine line, ThreadNames threads) {
		this.line = line;
		this.threads = threads;
	}

	/**
	 * Deals with the messages that strace mixes into its output on a terminal: "strace:
	 * Process 7 attached" may follow the first half of a line, whose second half then
	 * stands on the next.
	 * @return whether there is nothing else in the line
	 */
	boolean take(Call call) {
		int note = noteAt();
		if (this.glued != null) {
			if (note == 0) {
				return true;
			}
			glue(call, this.glued);
			this.glued = null;
			note = noteAt();
		}
		if (note < 0) {
			return false;
		}
		if (note > 0) {
			this.glued = Arrays.copyOf(this.line.bytes, note);
			this.gluedLine = call.line;
		}
		return true;
	}

	private int noteAt() {
		if (this.line.startsWith(0, "strace: ")) {
			if (this.line.startsWith(0, PROCESS)) {
				this.threads.attached((int) this.line.number(PROCESS.length()));
			}
			return 0;
		}
		if (this.line.end < PROCESS.length() || this.line.at(this.line.end - 1) != 'd'
				|| !this.line.endsWith(ATTACHED)) {
			return -1;
		}
		for (int i = this.line.end - ATTACHED.length(); i > 0; i--) {
			if (this.line.startsWith(i, PROCESS)) {
				this.threads.attached((int) this.line.number(i + PROCESS.length()));
				return i;
			}
		}
		return -1;
	}

	private void glue(Call call, byte[] head) {
		int length = Math.min(this.line.end, LineReader.MAX_LINE);
		byte[] whole = Arrays.copyOf(head, head.length + length);
		System.arraycopy(this.line.bytes, 0, whole, head.length, length);
		this.line.set(whole, whole.length);
		call.line = this.gluedLine;
	}

}
