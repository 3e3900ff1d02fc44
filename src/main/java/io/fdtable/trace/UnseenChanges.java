package io.fdtable.trace;

import io.fdtable.syscall.Syscall;

/**
 * Explains a number that is open, or free, although no line of the log made it so, and
 * that is no divergence: it was open before the log began, or its table was copied while
 * another thread changed it.
 *
 * <p>
 * Tested by TraceTest, on recorded logs and on parts of them.
 */
final class UnseenChanges {

	/** How many numbers in a row may turn out to have been open from the start. */
	static final int MAX_GAP = 1 << 16;

	private final InitialDescriptors initial;

	private final ReplayModel model;

	private long line;

	UnseenChanges(InitialDescriptors initial, ReplayModel model) {
		this.initial = initial;
		this.model = model;
	}

	/** Says which line is being replayed. */
	void at(long replayed) {
		this.line = replayed;
	}

	/** Tells whether Linux passed over a number for a reason that is no divergence. */
	boolean wasHidden(TracedProcess process, int fd, int actual) {
		TracedTable table = process.table;
		if (table.isUncertain(fd)) {
			return this.model.place(process, fd, false, TracedTable.UNTRACED);
		}
		return !table.isKnown(fd) && actual - fd < MAX_GAP && this.initial.add(table.root, fd, this.line)
				&& this.model.place(process, fd, false, TracedTable.INITIAL);
	}

	/** Tells whether a number that the model holds was free for a reason that is none. */
	boolean wasGone(TracedProcess process, int fd) {
		TracedTable table = process.table;
		boolean isRefuted = table.made(fd) == TracedTable.INITIAL && this.initial.refute(table.root, fd);
		if ((isRefuted || table.isUncertain(fd)) && table.isOpen(fd)) {
			this.model.interpret(process, new Syscall.Close(fd));
			this.model.closed(process, fd, 0);
			return true;
		}
		return false;
	}

}
