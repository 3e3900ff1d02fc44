package io.fdtable.trace;

/**
 * The bytes of one line of strace and the tokens in them: numbers, names, strings in
 * quotes, comments, and what {@code -y} adds in angle brackets. Scanning makes no
 * objects.
 *
 * <p>
 * Tested by StraceParserTest, line by line.
 */
final class StraceLine {

	byte[] bytes = new byte[0];

	int end;

	private byte[] joined = new byte[1 << 12];

	void set(byte[] line, int length) {
		this.bytes = line;
		this.end = length;
	}

	byte at(int index) {
		return this.bytes[index];
	}

	/** Reads a decimal, octal or hexadecimal number; 0 if there is none. */
	long number(int at) {
		int i = at;
		boolean negative = i < this.end && i >= 0 && this.bytes[i] == '-';
		i += negative ? 1 : 0;
		long value = 0;
		if (startsWith(i, "0x")) {
			i += 2;
			for (int digit = digit(i, 16); digit >= 0; digit = digit(i, 16)) {
				value = (value << 4) | digit;
				i++;
			}
		}
		else {
			int base = (digit(i, 10) == 0 && digit(i + 1, 8) >= 0) ? 8 : 10;
			for (int digit = digit(i, base); digit >= 0; digit = digit(i, base)) {
				value = value * base + digit;
				i++;
			}
		}
		return negative ? -value : value;
	}

	/** Joins the numbers among names that are separated by bars. */
	long numbers(int from, int to) {
		long flags = 0;
		int i = from;
		while (i < to) {
			if (isDigit(this.bytes[i]) && (i == from || this.bytes[i - 1] == '|')) {
				flags |= number(i);
			}
			i++;
		}
		return flags;
	}

	/** Tells whether a number begins at a place, which may be beyond the line. */
	boolean hasDigit(int at) {
		return digit(at, 10) >= 0;
	}

	private int digit(int at, int base) {
		return (at >= 0 && at < this.end) ? Character.digit(this.bytes[at], base) : -1;
	}

	int skipNumber(int at) {
		int i = startsWith(at, "0x") ? at + 2 : at;
		int base = (i > at) ? 16 : 10;
		while (digit(i, base) >= 0) {
			i++;
		}
		return i;
	}

	int skipDigits(int at) {
		int i = at;
		while (i < this.end && isDigit(this.bytes[i])) {
			i++;
		}
		return i;
	}

	int skipSpaces(int at) {
		int i = at;
		while (i >= 0 && i < this.end && this.bytes[i] == ' ') {
			i++;
		}
		return i;
	}

	/** Returns where the closing quote of a string is. */
	int skipString(int quote) {
		int i = quote + 1;
		while (i < this.end && this.bytes[i] != '"') {
			i += (this.bytes[i] == '\\') ? 2 : 1;
		}
		return i;
	}

	int skipComment(int at) {
		int to = indexOf("*/", at + 2);
		return (to < 0) ? this.end : to + 1;
	}

	/** What -y adds stands right after a number, a name or a comment. */
	boolean isDecoration(int at) {
		byte before = (at > 0) ? this.bytes[at - 1] : (byte) ' ';
		return isName(before) || before == '/';
	}

	/** Returns where the text in angle brackets ends; arrows in it do not count. */
	int skipDecoration(int at) {
		int depth = 0;
		for (int i = at; i < this.end; i++) {
			byte c = this.bytes[i];
			if (c == '"') {
				i = skipString(i);
			}
			else if (c == '<') {
				depth++;
			}
			else if (c == '>' && this.bytes[i - 1] != '-' && --depth == 0) {
				return startsWith(i + 1, "(deleted)") ? i + 10 : i + 1;
			}
		}
		return at + 1;
	}

	int indexOf(byte value, int from) {
		for (int i = Math.max(from, 0); i < this.end; i++) {
			if (this.bytes[i] == value) {
				return i;
			}
		}
		return -1;
	}

	int indexOf(String word, int from) {
		for (int i = Math.max(from, 0); i <= this.end - word.length(); i++) {
			if (this.bytes[i] == word.charAt(0) && startsWith(i, word)) {
				return i;
			}
		}
		return -1;
	}

	boolean contains(int from, int to, String word) {
		int at = indexOf(word, from);
		return at >= 0 && at + word.length() <= to;
	}

	boolean startsWith(int at, String word) {
		if (at < 0 || at + word.length() > this.end) {
			return false;
		}
		for (int i = 0; i < word.length(); i++) {
			if (this.bytes[at + i] != word.charAt(i)) {
				return false;
			}
		}
		return true;
	}

	boolean endsWith(String word) {
		return startsWith(this.end - word.length(), word);
	}

	/** Tells whether an equals sign stands where the result of a call does. */
	boolean hasResult() {
		for (int i = this.end - 2; i > 0; i--) {
			if (this.bytes[i] == '=' && this.bytes[i - 1] == ' ' && this.bytes[i + 1] == ' ') {
				return true;
			}
		}
		return false;
	}

	/** Puts the first part of a call before what stands from a place on. */
	void join(byte[] first, int from) {
		int length = first.length + this.end - from;
		if (this.joined.length < length) {
			this.joined = new byte[length + (length >> 1)];
		}
		System.arraycopy(first, 0, this.joined, 0, first.length);
		System.arraycopy(this.bytes, from, this.joined, first.length, this.end - from);
		this.bytes = this.joined;
		this.end = length;
	}

	static boolean isDigit(byte c) {
		return c >= '0' && c <= '9';
	}

	static boolean isName(byte c) {
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
	}

}
