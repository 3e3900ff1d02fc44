package io.fdtable.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FilesStruct;
import org.jspecify.annotations.Nullable;

/**
 * What a replay knows about a table beside what the kernel model holds: where each number
 * came from, and which calls are under way on it.
 */
final class TracedTable {

	/** The origin of a descriptor that was open before the log began. */
	static final long INITIAL = -1;

	/** The origin of a descriptor of which the log has no trace. */
	static final long UNTRACED = -2;

	/** Numbers beyond the width of the table that are kept in mind. */
	private static final int MAX_BEYOND = 1 << 16;

	/** What a copy remembers of numbers beyond the highest that it has open. */
	private static final int MAX_CLOSED = 256;

	final FilesStruct files;

	/** Which process without a parent the table descends from. */
	final int root;

	/** Processes and threads that use it. */
	int sharers = 1;

	/** Numbers whose state the log has told at least once. */
	private final BitSet known;

	/** The lowest number from which on it has told all. */
	private int knownFrom = Integer.MAX_VALUE;

	/** Numbers that may or may not have been open when the table was copied. */
	private final BitSet uncertain = new BitSet();

	final List<CallUnderWay> underWay = new ArrayList<>(2);

	/** Who judges while threads share the table. */
	@Nullable OverlapJudge judge;

	/** Whether the judge has been overruled and must start again from the model. */
	boolean isJudgeWrong;

	/** How many descriptors are installed. */
	int open;

	/** The call that made the number, for each number; 0 where it is free. */
	private long[] made;

	/** The call that took close-on-exec off the number. */
	private long[] cleared;

	/** The call that closed the number last. */
	private long[] closed;

	/** The call that gave the socket its address. */
	private long[] named;

	/** The last divergence of each kind. */
	final Map<TraceReport.DivergenceKind, LastDivergence> lastDivergences = new EnumMap<>(
			TraceReport.DivergenceKind.class);

	/**
	 * A divergence that later ones may belong to.
	 *
	 * @param number its number, counted from 1
	 * @param offset the call that it was found at
	 */
	record LastDivergence(int number, long offset) {
	}

	TracedTable(FilesStruct files, int root) {
		this.files = files;
		this.root = root;
		this.known = new BitSet();
		this.made = new long[16];
		this.cleared = new long[16];
		this.closed = new long[16];
		this.named = new long[16];
	}

	private TracedTable(TracedTable from, FilesStruct files) {
		this.files = files;
		this.root = from.root;
		this.known = (BitSet) from.known.clone();
		this.knownFrom = from.knownFrom;
		// No wider than the copy in the model, whose width is bounded.
		int length = Math.min(from.made.length, Math.max(from.highest() + 1, MAX_CLOSED));
		this.made = Arrays.copyOf(from.made, length);
		this.cleared = Arrays.copyOf(from.cleared, length);
		this.closed = Arrays.copyOf(from.closed, length);
		this.named = Arrays.copyOf(from.named, length);
		this.open = from.open;
	}

	/** Describes a copy of the table, as fork makes it. */
	TracedTable copy(FilesStruct copy) {
		return new TracedTable(this, copy);
	}

	/**
	 * Returns what it takes, the table of the model left out.
	 * @return bytes
	 */
	long bytes() {
		long numbers = 4L * Long.BYTES * this.made.length + (this.known.size() + this.uncertain.size()) / Byte.SIZE;
		return numbers + ((this.judge != null) ? this.judge.bytes() : 0);
	}

	private int highest() {
		int fd = this.made.length - 1;
		while (fd >= 0 && this.made[fd] == 0) {
			fd--;
		}
		return fd;
	}

	boolean isUncertain(int fd) {
		return this.uncertain.get(fd);
	}

	boolean isOpen(int fd) {
		FdEntry entry = this.files.entry(fd);
		return entry != null && !entry.isReserved();
	}

	/** Returns the call that made a number, or one of the constants, or 0. */
	long made(int fd) {
		return at(this.made, fd);
	}

	long cleared(int fd) {
		return at(this.cleared, fd);
	}

	long closed(int fd) {
		return at(this.closed, fd);
	}

	long named(int fd) {
		return at(this.named, fd);
	}

	private static long at(long[] array, int fd) {
		return (fd >= 0 && fd < array.length) ? array[fd] : 0;
	}

	void setMade(int fd, long offset) {
		makeRoom(fd);
		this.open += (this.made[fd] == 0) ? 1 : 0;
		this.made[fd] = offset;
		this.cleared[fd] = 0;
		this.named[fd] = 0;
		changed(fd);
	}

	private void makeRoom(int fd) {
		if (fd >= this.made.length) {
			int length = Math.max(2 * this.made.length, fd + 1);
			this.made = Arrays.copyOf(this.made, length);
			this.cleared = Arrays.copyOf(this.cleared, length);
			this.closed = Arrays.copyOf(this.closed, length);
			this.named = Arrays.copyOf(this.named, length);
		}
	}

	void setClosed(int fd, long offset) {
		if (fd >= this.made.length) {
			// Nobody was seen to make it, so the model has no room for it either.
			know(fd);
			return;
		}
		this.open -= (this.made[fd] != 0) ? 1 : 0;
		this.made[fd] = 0;
		this.closed[fd] = offset;
		changed(fd);
	}

	/** Tells whether the log has told the state of a number at least once. */
	boolean isKnown(int fd) {
		return fd >= this.knownFrom || this.known.get(fd);
	}

	/** Notes that the log tells the state of a number. */
	void know(int fd) {
		if (fd < Math.max(this.made.length, MAX_BEYOND)) {
			this.known.set(fd);
		}
	}

	/** Notes that the log tells the state of a range. */
	void know(int first, int end) {
		if (end >= TraceReplay.NR_OPEN) {
			this.knownFrom = Math.min(this.knownFrom, first);
		}
		else if (first < end) {
			int width = Math.max(this.made.length, MAX_BEYOND);
			this.known.set(Math.min(first, width), Math.min(end, width));
		}
	}

	/** Notes that a number may or may not be open. */
	void doubt(int fd) {
		if (fd >= 0 && fd < Math.max(this.made.length, MAX_BEYOND)) {
			this.uncertain.set(fd);
		}
	}

	void setCleared(int fd, long offset) {
		if (fd >= 0 && fd < this.cleared.length) {
			this.cleared[fd] = offset;
		}
	}

	void setNamed(int fd, long offset) {
		if (fd >= 0 && fd < this.named.length) {
			this.named[fd] = offset;
		}
	}

	/** A copy being made at this moment may or may not have seen the change. */
	private void changed(int fd) {
		know(fd);
		this.uncertain.clear(fd);
		for (int i = 0; i < this.underWay.size(); i++) {
			TracedTable child = this.underWay.get(i).copy;
			if (child != null) {
				child.doubt(fd);
			}
		}
	}

}
