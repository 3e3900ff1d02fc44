package io.fdtable.trace;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

import io.fdtable.kernel.Task;
import org.jspecify.annotations.Nullable;

/**
 * A process, or one thread of it, as the log shows it.
 */
final class TracedProcess {

	final int pid;

	/**
	 * Which process made it, or null for one that was there before or whose parent is
	 * unknown. Only the number, so that a long line of ancestors can be forgotten.
	 */
	final @Nullable Integer parentPid;

	/** The first thread of the process. */
	final TracedProcess leader;

	/** Threads that are alive; kept by the leader. */
	final List<TracedProcess> threads = new ArrayList<>(1);

	Task task;

	TracedTable table;

	@Nullable CallUnderWay underWay;

	boolean hasEnded;

	/** Whether its table has become too large to follow; kept by the leader. */
	boolean isLost;

	/** Whether the log has told the soft limit, so that EMFILE can be compared. */
	boolean isLimitKnown;

	/** The exec whose program it runs, or 0. */
	long program;

	/** The first line that shows it, or the one that made it. */
	final long firstLine;

	int threadCount = 1;

	long calls;

	int highWater = -1;

	long highWaterLine;

	int peakOpen;

	long peakOpenLine;

	/** Descriptors that went through the last exec and have not been used since. */
	final BitSet survivors = new BitSet();

	long execLine;

	TracedProcess(int pid, @Nullable TracedProcess parent, @Nullable TracedProcess leader, Task task, TracedTable table,
			long firstLine) {
		this.pid = pid;
		this.parentPid = (parent != null) ? (Integer) parent.leader.pid : null;
		this.leader = (leader != null) ? leader : this;
		this.task = task;
		this.table = table;
		this.firstLine = firstLine;
		this.leader.threads.add(this);
		this.program = (parent != null) ? parent.leader.program : 0;
		this.isLimitKnown = parent != null && parent.isLimitKnown;
	}

	boolean isLeader() {
		return this.leader == this;
	}

}
