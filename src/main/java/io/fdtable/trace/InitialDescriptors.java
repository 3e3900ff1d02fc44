package io.fdtable.trace;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The descriptors that processes had before the log began, which no line shows: collected
 * by a first replay, taken as given by a second.
 */
final class InitialDescriptors {

	/**
	 * Words of memory for all, so that a log of nonsense cannot fill it: one for each
	 * number, and one for every 64 below the highest of a process.
	 */
	private static final int MAX = 1 << 17;

	/** How many processes without a parent, alive or not. */
	private static final int MAX_ROOTS = 1 << 16;

	private final List<Root> roots = new ArrayList<>();

	private boolean isComplete;

	private int count;

	private static final class Root {

		private final int pid;

		private final BitSet fds = new BitSet(0);

		private final Map<Integer, Long> lines = new HashMap<>();

		private final BitSet refuted = new BitSet(0);

		private final BitSet closeOnExec = new BitSet(0);

		Root(int pid) {
			this.pid = pid;
		}

	}

	/** Ends the collecting. */
	void complete() {
		this.isComplete = true;
	}

	/** Tells whether there is room for one more process that has no parent in the log. */
	static boolean hasRoomFor(int root) {
		return root < MAX_ROOTS;
	}

	/** Introduces a process that has no parent in the log. */
	void root(int root, int pid) {
		if (root == this.roots.size()) {
			this.roots.add(new Root(pid));
		}
	}

	int roots() {
		return this.roots.size();
	}

	int pid(int root) {
		return this.roots.get(root).pid;
	}

	BitSet of(int root) {
		return this.roots.get(root).fds;
	}

	/**
	 * Adds a number.
	 * @param line the line that shows it
	 * @return false if it cannot have been open from the start
	 */
	boolean add(int root, int fd, long line) {
		Root at = this.roots.get(root);
		if (this.isComplete) {
			return at.fds.get(fd);
		}
		if (at.refuted.get(fd)) {
			return false;
		}
		if (!at.fds.get(fd)) {
			int words = 1 + Math.max(0, fd - at.fds.size()) / Long.SIZE;
			if (this.count + words > MAX) {
				return false;
			}
			this.count += words;
			at.fds.set(fd);
			at.lines.put(fd, line);
		}
		return true;
	}

	/**
	 * Drops a number that was free after all.
	 * @return false if it is too late for that
	 */
	boolean refute(int root, int fd) {
		if (this.isComplete) {
			return false;
		}
		this.roots.get(root).fds.clear(fd);
		this.roots.get(root).lines.remove(fd);
		this.roots.get(root).refuted.set(fd);
		return true;
	}

	/** Returns the first line that shows that the number was open. */
	long line(int root, int fd) {
		return this.roots.get(root).lines.getOrDefault(fd, 0L);
	}

	void setCloseOnExec(int root, int fd) {
		if (!this.isComplete) {
			this.roots.get(root).closeOnExec.set(fd);
		}
	}

	boolean isCloseOnExec(int root, int fd) {
		return this.roots.get(root).closeOnExec.get(fd);
	}

}
