package io.fdtable.trace;

/**
 * Reads what stands before a call: the number of the process, as a column or in brackets,
 * and what {@code -t}, {@code -r}, {@code -i} and {@code -n} add.
 *
 * <p>
 * Tested by StraceParserTest, line by line.
 */
final class LinePrefix {

	private final StraceLine line;

	private final ThreadNames threads;

	private int pid;

	LinePrefix(StraceLine line, ThreadNames threads) {
		this.line = line;
		this.threads = threads;
	}

	/** Returns the number of the process that the line has, or -1. */
	int pid() {
		return this.pid;
	}

	/**
	 * Reads the prefix of the line.
	 * @return where the rest begins, or -1 if the brackets do not end
	 */
	int read() {
		int at = this.line.skipSpaces(0);
		this.pid = -1;
		if (this.line.startsWith(at, "[pid ")) {
			int digits = this.line.skipSpaces(at + 5);
			this.pid = (int) this.line.number(digits);
			at = this.line.indexOf((byte) ']', digits) + 1;
			if (at == 0) {
				return -1;
			}
			this.threads.bracketed();
		}
		else if (isPidColumn(at)) {
			this.pid = (int) this.line.number(at);
			this.threads.column();
			at = this.line.skipDigits(at);
			at = (at < this.line.end && this.line.at(at) == '<') ? this.line.skipDecoration(at) : at;
		}
		return skipStamps(at);
	}

	/**
	 * Tells whether the line is one that head or tail puts before each of several files.
	 */
	boolean isSection() {
		if (!this.line.startsWith(0, "==> ") || !this.line.endsWith(" <==")) {
			return false;
		}
		int dot = this.line.end - 5;
		while (dot > 0 && StraceLine.isDigit(this.line.at(dot))) {
			dot--;
		}
		this.threads.section((this.line.at(dot) == '.') ? (int) this.line.number(dot + 1) : -1);
		return true;
	}

	/** A number that is not the beginning of a time. */
	private boolean isPidColumn(int at) {
		int after = this.line.skipDigits(at);
		return after > at && after < this.line.end && (this.line.at(after) == ' ' || this.line.at(after) == '<');
	}

	/** Skips times, the pointer of -i and the number of -n. */
	private int skipStamps(int from) {
		int at = this.line.skipSpaces(from);
		while (at < this.line.end) {
			byte c = this.line.at(at);
			if (StraceLine.isDigit(c)) {
				while (at < this.line.end && this.line.at(at) != ' ') {
					at++;
				}
			}
			else if (c == '[') {
				at = this.line.indexOf((byte) ']', at) + 1;
			}
			else if (c == '(' && at + 1 < this.line.end && this.line.at(at + 1) == '+') {
				at = this.line.indexOf((byte) ')', at) + 1;
			}
			else {
				return at;
			}
			if (at == 0) {
				return this.line.end;
			}
			at = this.line.skipSpaces(at);
		}
		return at;
	}

}
