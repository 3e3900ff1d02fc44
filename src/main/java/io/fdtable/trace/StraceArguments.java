package io.fdtable.trace;

/**
 * The arguments of a call at the top level: where in the line each begins and ends, and
 * what one of them says.
 *
 * <p>
 * Tested by StraceParserTest, line by line.
 */
final class StraceArguments {

	private static final int MAX_ARGS = 8;

	private final StraceLine line;

	private final int[] from = new int[MAX_ARGS];

	private final int[] to = new int[MAX_ARGS];

	private int count;

	StraceArguments(StraceLine line) {
		this.line = line;
	}

	int count() {
		return this.count;
	}

	int from(int arg) {
		return this.from[arg];
	}

	int to(int arg) {
		return this.to[arg];
	}

	/** Returns the first byte of an argument. */
	byte first(int arg) {
		return this.line.at(this.from[arg]);
	}

	/**
	 * Finds the arguments at the top level.
	 * @return where the closing parenthesis is, or -1 if there is none
	 */
	int split(int from) {
		this.count = 0;
		int depth = 1;
		int start = from;
		for (int i = from; i < this.line.end; i++) {
			switch (this.line.at(i)) {
				case '"' -> i = this.line.skipString(i);
				case '<' -> i = this.line.isDecoration(i) ? this.line.skipDecoration(i) - 1 : i;
				case '/' -> i = this.line.startsWith(i, "/*") ? this.line.skipComment(i) : i;
				case '(', '[', '{' -> depth++;
				case ']', '}' -> depth--;
				case ')' -> {
					depth--;
					if (depth == 0) {
						argument(start, i);
						return i;
					}
				}
				case ',' -> {
					if (depth == 1) {
						argument(start, i);
						start = i + 1;
					}
				}
				default -> {
				}
			}
		}
		argument(start, this.line.end);
		return -1;
	}

	private void argument(int from, int to) {
		int start = this.line.skipSpaces(from);
		if (this.count < MAX_ARGS && start < to) {
			this.from[this.count] = start;
			this.to[this.count] = to;
			this.count++;
		}
	}

	/** Returns the descriptor that an argument is, or NONE. */
	int descriptor(int arg) {
		if (arg >= this.count) {
			return Call.NONE;
		}
		int at = this.from[arg];
		boolean number = StraceLine.isDigit(this.line.at(at)) || this.line.at(at) == '-';
		long value = number ? this.line.number(at) : Call.NONE;
		return (value == -100 || !number) ? Call.NONE : (int) value;
	}

	/** Tells whether an argument has a name in it, as a whole word. */
	boolean is(int arg, String name) {
		if (arg >= this.count) {
			return false;
		}
		return this.to[arg] - this.from[arg] >= name.length() && containsWord(arg, name);
	}

	private boolean containsWord(int arg, String word) {
		int at = this.line.indexOf(word, this.from[arg]);
		int after = at + word.length();
		return at >= 0 && after <= this.to[arg] && (after == this.line.end || !StraceLine.isName(this.line.at(after)));
	}

	boolean isNumber(int arg, long value) {
		return arg < this.count && StraceLine.isDigit(this.line.at(this.from[arg]))
				&& this.line.number(this.from[arg]) == value;
	}

	/** Tells whether an argument has a flag, by its name or as a bit of a number. */
	boolean hasFlag(int arg, String name, long bit) {
		return arg < this.count
				&& (contains(arg, name) || (this.line.numbers(this.from[arg], this.to[arg]) & bit) != 0);
	}

	boolean contains(int arg, String word) {
		return arg < this.count && this.line.contains(this.from[arg], this.to[arg], word);
	}

	/** Adds the descriptors of a list in brackets to those of a call. */
	void addDescriptors(Call c, int from, int to) {
		int i = from;
		while (i < to && this.line.at(i) != ']') {
			if (StraceLine.isDigit(this.line.at(i)) && !this.line.startsWith(i, "...")) {
				long fd = this.line.number(i);
				if (Call.isDescriptor(fd)) {
					c.addFd((int) fd);
				}
				i = this.line.skipNumber(i);
				i = (i < to && this.line.at(i) == '<') ? this.line.skipDecoration(i) : i;
			}
			else {
				i++;
			}
		}
	}

}
