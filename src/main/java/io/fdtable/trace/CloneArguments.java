package io.fdtable.trace;

/**
 * Reads what clone, clone3, fork and vfork say about descriptors: the flags that decide
 * whether a table is shared and whether there is a pidfd.
 *
 * <p>
 * Tested by StraceParserTest, line by line.
 */
final class CloneArguments {

	static final int CLONE_FILES = 0x400;

	static final int CLONE_PIDFD = 0x1000;

	static final int CLONE_THREAD = 0x10000;

	private final StraceLine line;

	private final StraceArguments args;

	CloneArguments(StraceLine line, StraceArguments args) {
		this.line = line;
		this.args = args;
	}

	/** Reads flags into arg, and the descriptor that CLONE_PIDFD made into the list. */
	void read(Call c) {
		int flags = 0;
		for (int i = 0; i < this.args.count(); i++) {
			if (this.args.contains(i, "flags=")) {
				int at = this.line.indexOf("flags=", this.args.from(i)) + 6;
				int to = at;
				while (to < this.args.to(i) && this.line.at(to) != ',' && this.line.at(to) != '}') {
					to++;
				}
				flags = cloneFlags(at, to);
				break;
			}
		}
		if (flags == 0 && c.type.name().equals("clone") && this.args.count() > 0
				&& StraceLine.isDigit(this.args.first(0))) {
			flags = (int) this.line.number(this.args.from(0));
		}
		c.arg = flags;
		if ((flags & CLONE_PIDFD) != 0) {
			String field = c.type.name().equals("clone") ? "parent_tid=[" : "pidfd=[";
			int at = this.line.indexOf(field, this.args.from(0));
			if (at >= 0 && this.line.hasDigit(at + field.length())) {
				c.addFd(Math.clamp(this.line.number(at + field.length()), 0, Integer.MAX_VALUE));
			}
		}
	}

	private int cloneFlags(int from, int to) {
		int flags = (int) this.line.numbers(from, to);
		flags |= this.line.contains(from, to, "CLONE_FILES") ? CLONE_FILES : 0;
		flags |= this.line.contains(from, to, "CLONE_PIDFD") ? CLONE_PIDFD : 0;
		flags |= this.line.contains(from, to, "CLONE_THREAD") ? CLONE_THREAD : 0;
		return flags;
	}

}
