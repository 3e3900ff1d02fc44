package io.fdtable.trace;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

import io.fdtable.kernel.SyscallException;
import io.fdtable.kernel.Task;
import io.fdtable.syscall.Syscall;
import org.jspecify.annotations.Nullable;

/**
 * The processes and threads of a log that are alive: whose child each is, which table it
 * uses, and how it ends.
 *
 * <p>
 * Tested by TraceTest, on recorded logs and on parts of them.
 */
final class LiveProcesses {

	/** More than a process or thread takes beside its table, in bytes. */
	private static final int PROCESS_BYTES = 1024;

	private final Map<Integer, TracedProcess> live = new HashMap<>();

	private final InitialDescriptors initial;

	private final ReplayListener listener;

	private final ReplayModel model;

	private final CallsUnderWay underWay;

	private int roots;

	LiveProcesses(InitialDescriptors initial, ReplayListener listener, ReplayModel model, CallsUnderWay underWay) {
		this.initial = initial;
		this.listener = listener;
		this.model = model;
		this.underWay = underWay;
	}

	@Nullable TracedProcess find(int pid) {
		return this.live.get(pid);
	}

	Iterable<TracedProcess> all() {
		return this.live.values();
	}

	/**
	 * Returns what the processes take, the tables of the model left out.
	 * @return bytes
	 */
	long bytes() {
		long bytes = 0;
		for (TracedProcess process : this.live.values()) {
			bytes += PROCESS_BYTES + process.survivors.size() / Byte.SIZE
					+ process.table.bytes() / process.table.sharers;
		}
		return bytes;
	}

	/** Ends every process that is still alive, at the end of the log. */
	void endAll() {
		for (TracedProcess process : new ArrayList<>(this.live.values())) {
			end(process, 0);
		}
	}

	/** Returns whose call it is, or null if it is to be passed over. */
	@Nullable TracedProcess process(Call call) {
		TracedProcess process = this.live.get(call.pid);
		if (process != null || call.op == Op.ENDED || call.op == Op.SUPERSEDED || call.phase == Call.Phase.END) {
			return process;
		}
		return newcomer(call);
	}

	/**
	 * A thread whose making the log does not show. If a fork of one process, and one
	 * only, has no answer in the log, it is that one's child.
	 */
	private @Nullable TracedProcess newcomer(Call call) {
		CallUnderWay fork = this.underWay.takeUnansweredFork();
		if (fork != null) {
			return fork(fork.process, fork.call, call.pid, call.line);
		}
		return root(call);
	}

	private @Nullable TracedProcess root(Call call) {
		if (this.live.size() >= TraceReplay.MAX_THREADS) {
			this.listener.capped("threads alive at once: " + TraceReplay.MAX_THREADS);
			return null;
		}
		if (!InitialDescriptors.hasRoomFor(this.roots)) {
			this.listener.capped("processes without a parent: " + this.roots);
			return null;
		}
		Task task;
		try {
			task = this.model.init();
		}
		catch (SyscallException ex) {
			this.listener.capped("memory of the tables: " + ex.errno());
			return null;
		}
		int root = this.roots++;
		TracedProcess process = new TracedProcess(call.pid, null, null, task, new TracedTable(task.files(), root),
				call.line);
		this.live.put(call.pid, process);
		this.initial.root(root, call.pid);
		BitSet fds = this.initial.of(root);
		for (int fd = fds.nextSetBit(0); fd >= 0; fd = fds.nextSetBit(fd + 1)) {
			this.model.place(process, fd, this.initial.isCloseOnExec(root, fd), TracedTable.INITIAL);
		}
		this.listener.began(process, null);
		return process;
	}

	/** Makes the child of a fork, with a table of its own or not, or returns null. */
	@Nullable TracedProcess fork(TracedProcess parent, Call call, int pid, long line) {
		if (pid == parent.pid) {
			return null;
		}
		boolean share = (call.arg & CloneArguments.CLONE_FILES) != 0;
		Task task = this.model.fork(parent, share);
		if (task == null) {
			return null;
		}
		TracedProcess former = this.live.get(pid);
		if (former != null) {
			end(former, line);
		}
		TracedTable table = share ? parent.table : parent.table.copy(task.files());
		if (share) {
			table.sharers++;
			if (table.judge == null) {
				table.judge = new OverlapJudge(table);
			}
		}
		else {
			this.model.count(table.open);
		}
		boolean isThread = (call.arg & CloneArguments.CLONE_THREAD) != 0;
		TracedProcess child = new TracedProcess(pid, parent, isThread ? parent.leader : null, task, table, line);
		if (isThread) {
			child.leader.threadCount++;
		}
		this.live.put(pid, child);
		this.listener.began(child, call);
		return child;
	}

	void end(TracedProcess process, long line) {
		if (process.hasEnded) {
			return;
		}
		this.listener.ending(process, line);
		process.hasEnded = true;
		CallUnderWay underWay = process.underWay;
		if (underWay != null) {
			this.underWay.withdraw(underWay);
		}
		this.model.interpret(process, new Syscall.Exit());
		process.leader.threads.remove(process);
		this.live.remove(process.pid, process);
		leave(process.table);
	}

	/** Counts one user of a table less. */
	private void leave(TracedTable table) {
		table.sharers--;
		if (table.sharers == 0) {
			this.model.count(-table.open);
		}
		else if (table.sharers == 1) {
			table.judge = null;
		}
	}

	void endGroup(TracedProcess process, long line) {
		// The leader last: what it has open then is what the process has.
		for (TracedProcess thread : new ArrayList<>(process.leader.threads)) {
			if (!thread.isLeader()) {
				end(thread, line);
			}
		}
		end(process.leader, line);
	}

	/**
	 * An exec in another thread takes over the number of the first one, which is gone,
	 * and with it whatever it had under way.
	 */
	void superseded(TracedProcess leader, Call call) {
		TracedProcess other = this.live.get((int) call.arg);
		if (other == null || other == leader || other.leader != leader) {
			return;
		}
		CallUnderWay lost = leader.underWay;
		if (lost != null) {
			this.underWay.withdraw(lost);
		}
		this.model.interpret(leader, new Syscall.Exit());
		TracedTable left = leader.table;
		leader.task = other.task;
		leader.table = other.table;
		leave(left);
		CallUnderWay exec = other.underWay;
		if (exec != null) {
			exec.process = leader;
		}
		leader.underWay = exec;
		other.underWay = null;
		other.hasEnded = true;
		leader.threads.remove(other);
		this.live.remove(other.pid, other);
	}

}
