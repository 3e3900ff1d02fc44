package io.fdtable.trace;

import java.util.HashSet;
import java.util.Set;

/**
 * Tells whose a line is. In a file every line begins with a number; on a terminal strace
 * leaves it out as long as there is only one thread, so that the first one's number is
 * not known before there is a second.
 */
final class ThreadNames {

	private static final int MAX_LIVE = 65_536;

	/** What the thread is called that no line has named yet. */
	private static final int UNNAMED = 0;

	private final Set<Integer> live = new HashSet<>();

	private boolean inBrackets;

	private boolean hasUnnamed;

	private int unnamedPid;

	private int section = -1;

	private int last = UNNAMED;

	int unnamedPid() {
		return this.unnamedPid;
	}

	/** Says that a line had its number in brackets, so not all have one. */
	void bracketed() {
		this.inBrackets = true;
	}

	/** Says that a line had its number in a column, as then all have. */
	void column() {
		this.section = -1;
	}

	/** Says that the lines to come were in a file of one process. */
	void section(int pid) {
		this.section = pid;
	}

	void attached(int pid) {
		if (this.section < 0 && (this.inBrackets || this.hasUnnamed) && pid > 0 && this.live.size() < MAX_LIVE) {
			this.live.add(pid);
		}
	}

	void ended(int pid) {
		this.live.remove(pid);
	}

	/**
	 * Returns by which number a thread is known.
	 * @param printed the number in the line, or -1 if it has none
	 */
	int resolve(int printed) {
		this.last = (printed < 0) ? unprinted() : printed(printed);
		return this.last;
	}

	private int unprinted() {
		if (this.section >= 0) {
			return this.section;
		}
		if (!this.hasUnnamed && !this.inBrackets) {
			this.hasUnnamed = true;
			this.live.add(UNNAMED);
		}
		return (this.live.size() == 1) ? this.live.iterator().next() : this.last;
	}

	private int printed(int pid) {
		if (!this.inBrackets || this.live.contains(pid)) {
			return pid;
		}
		if (this.hasUnnamed && (this.unnamedPid == pid || this.unnamedPid == 0)) {
			this.unnamedPid = pid;
			return UNNAMED;
		}
		attached(pid);
		return pid;
	}

}
