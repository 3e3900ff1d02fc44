package io.fdtable.trace;

import java.io.IOException;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.Sysctl;
import org.jspecify.annotations.Nullable;

/**
 * Does again, on the kernel model, what the processes of a log did, and compares each
 * answer with the log's.
 *
 * <p>
 * Every process of the log becomes a process of one tree, which has settings of its own,
 * so that a log can neither exhaust the service nor touch its sessions. Replaying the
 * same log twice gives the same tables.
 *
 * <p>
 * Tested by TraceTest, on recorded logs and on parts of them.
 */
final class TraceReplay {

	/*
	 * When the log and the model differ, four explanations come before "divergence".
	 *
	 * 1. The number was open before the log began. Such descriptors are in no line. If
	 * Linux passes over a number, or works on one, whose state no line has told yet, it
	 * must have been open from the start. A first replay collects these numbers, and
	 * drops those that a later line refutes; the second starts with them open.
	 *
	 * 2. The table was copied by a fork while another thread was changing it. What that
	 * thread changed between the line that began the fork and the one that ended it may
	 * or may not be in the copy; the copy learns from its first use.
	 *
	 * 3. Calls of threads that overlap may have happened in any order. For a table that
	 * is shared the OverlapJudge keeps all orders in mind and says whether one explains
	 * the answer. The model does each call at its end, on the number that the log has,
	 * except that a call which may block reserves its number at once.
	 *
	 * 4. The soft limit is not known until the log tells it, and is learnt from the first
	 * EMFILE.
	 *
	 * After a divergence the model is changed to what the log says: a number that should
	 * be free is given a file of unknown origin, one that should be open is closed.
	 * Further differences that the same untraced call explains, because the numbers in
	 * question have not changed since, count as the same divergence.
	 *
	 * The first two are in UnseenChanges, the third in OverlappingCalls and
	 * CallsUnderWay, the fourth in DescriptorMakers, and the counting in Divergences.
	 */

	/**
	 * As wide as Linux lets tables get by default: what a log may make the model grow to.
	 */
	static final int NR_OPEN = Sysctl.DEFAULT_NR_OPEN;

	/** Threads at any one time; lines of further ones are passed over. */
	static final int MAX_THREADS = 8192;

	private final CallLog.Reader calls;

	private final CallLog.Reader ends;

	private final ReplayListener listener;

	private final ReplayModel model;

	private final UnseenChanges unseen;

	private final CallsUnderWay underWay;

	private final LiveProcesses processes;

	private final CallExecution execution;

	private final Call call = new Call();

	/** Whether {@link #call} has been read and not been replayed. */
	private boolean isWaiting;

	private long line;

	TraceReplay(CallLog log, Allocator allocator, InitialDescriptors initial, ReplayListener listener) {
		this.calls = log.reader();
		this.ends = log.reader();
		this.listener = listener;
		this.model = new ReplayModel(allocator, listener);
		this.unseen = new UnseenChanges(initial, this.model);
		this.underWay = new CallsUnderWay(this.model, this.unseen);
		this.processes = new LiveProcesses(initial, listener, this.model, this.underWay);
		this.execution = new CallExecution(listener, initial, this.model, this.unseen, this.underWay, this.processes);
	}

	/**
	 * Returns the highest line that has been replayed. The tables as they were just after
	 * a line can be had by running up to it as long as it is not less than this.
	 */
	long line() {
		return this.line;
	}

	/**
	 * Returns about how much memory it takes: what grows with the log exactly enough, a
	 * generous constant for each process.
	 * @return bytes
	 */
	long bytes() {
		return 2 * CallLog.BUFFER + this.model.bytes() + this.processes.bytes();
	}

	/** Returns how many descriptors all processes have open. */
	int open() {
		return this.model.open();
	}

	@Nullable TracedProcess find(int pid) {
		return this.processes.find(pid);
	}

	Iterable<TracedProcess> processes() {
		return this.processes.all();
	}

	/** Ends every process that is still alive, at the end of the log. */
	void finish() {
		this.processes.endAll();
	}

	/**
	 * Replays up to a line, that one included.
	 * @return false when the log is at its end
	 */
	boolean run(long untilLine) throws IOException {
		while (this.isWaiting || this.calls.next(this.call)) {
			this.isWaiting = this.call.line > untilLine;
			if (this.isWaiting) {
				return true;
			}
			this.line = Math.max(this.line, this.call.line);
			replay(this.call);
		}
		return false;
	}

	private void replay(Call call) throws IOException {
		this.unseen.at(call.line);
		TracedProcess process = this.processes.process(call);
		if (process == null) {
			return;
		}
		switch (call.phase) {
			case START -> began(process, call);
			case END -> this.execution.ended(process, call);
			case COMPLETE -> this.execution.complete(process, call);
		}
		this.underWay.reserveAgain(process);
		if (!process.hasEnded) {
			this.listener.after(process, call);
		}
	}

	private void began(TracedProcess process, Call call) throws IOException {
		if (process.underWay != null) {
			this.underWay.withdraw(process.underWay);
		}
		Call whole = new Call();
		this.ends.read((call.other != 0) ? call.other : call.offset, whole);
		CallUnderWay underWay = this.underWay.begin(process, whole, call.line);
		if (whole.op == Op.FORK && !whole.returned) {
			this.underWay.addUnansweredFork(underWay);
		}
		else if (whole.op == Op.FORK && whole.succeeded()) {
			underWay.isApplied = true;
			TracedProcess child = this.processes.fork(process, whole, (int) whole.ret, call.line);
			if (child != null && child.table != process.table) {
				underWay.copy = child.table;
			}
		}
		else if (whole.op == Op.OPEN && !whole.failedWith("EMFILE") && !whole.failedWith("EBADF")) {
			this.underWay.reserve(underWay);
		}
	}

}
