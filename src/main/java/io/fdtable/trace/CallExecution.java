package io.fdtable.trace;

import java.util.ArrayList;

import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;

/**
 * Does whole calls on the model: hands each to those that know its family, and does
 * itself what concerns a process as a whole.
 *
 * <p>
 * Tested by TraceTest, on recorded logs and on parts of them.
 */
final class CallExecution {

	private final ReplayListener listener;

	private final ReplayModel model;

	private final CallsUnderWay underWay;

	private final LiveProcesses processes;

	private final OverlappingCalls overlaps;

	private final DescriptorUses uses;

	private final DescriptorMakers makes;

	CallExecution(ReplayListener listener, InitialDescriptors initial, ReplayModel model, UnseenChanges unseen,
			CallsUnderWay underWay, LiveProcesses processes) {
		this.listener = listener;
		this.model = model;
		this.underWay = underWay;
		this.processes = processes;
		Divergences divergences = new Divergences(listener);
		this.overlaps = new OverlappingCalls(model, divergences, unseen, underWay, this::carryOut);
		this.uses = new DescriptorUses(listener, initial, model, divergences, unseen, this.overlaps);
		this.makes = new DescriptorMakers(listener, model, divergences, unseen, this.overlaps, this.uses);
	}

	/** Does a call that the log has in one piece. */
	void complete(TracedProcess process, Call call) {
		this.overlaps.judge(process, null, call);
		carryOut(process, call);
	}

	/** Does a call whose beginning is in a line further up. */
	void ended(TracedProcess process, Call call) {
		CallUnderWay underWay = process.underWay;
		if (underWay == null) {
			complete(process, call);
			return;
		}
		this.overlaps.judge(process, underWay, call);
		int reserved = underWay.reserved;
		boolean isApplied = underWay.isApplied;
		if (reserved >= 0 && call.succeeded() && call.ret == reserved) {
			underWay.reserved = CallUnderWay.NONE;
			this.underWay.withdraw(underWay);
			process.leader.calls++;
			this.uses.checkSource(process, call);
			if (this.model.install(process, reserved, ReplayModel.label(call))) {
				this.model.made(process, reserved, call);
			}
			else {
				this.model.lose(process);
			}
			return;
		}
		this.underWay.withdraw(underWay);
		if (!isApplied) {
			carryOut(process, call);
		}
		else if (call.op == Op.FORK) {
			process.leader.calls++;
			this.makes.pidfd(process, call);
		}
	}

	/** Does a whole call on the model, as one process. */
	void carryOut(TracedProcess process, Call call) {
		process.leader.calls++;
		if (process.leader.isLost && call.op != Op.EXIT_GROUP && call.op != Op.EXIT && call.op != Op.ENDED) {
			return;
		}
		switch (call.op) {
			case OPEN, ALLOC, DUP, DUP_FROM, PAIR, RECEIVE -> this.makes.make(process, call);
			case DUP2, DUP3 -> this.makes.dup2(process, call);
			case CLOSE -> this.uses.close(process, call);
			case CLOSE_RANGE -> this.uses.closeRange(process, call);
			case GET_CLOEXEC, SET_CLOEXEC -> this.uses.closeOnExec(process, call);
			case USE, ADDRESS -> this.uses.use(process, call);
			case FORK -> {
				if (call.succeeded()) {
					this.processes.fork(process, call, (int) call.ret, call.line);
					this.makes.pidfd(process, call);
				}
			}
			case EXEC -> {
				if (call.succeeded()) {
					exec(process, call);
				}
			}
			case EXIT, ENDED -> {
				if (process.isLeader() && call.op == Op.EXIT && process.threads.size() > 1) {
					// The process goes on without its first thread.
					break;
				}
				this.processes.end(process, call.line);
			}
			case EXIT_GROUP -> this.processes.endGroup(process, call.line);
			case UNSHARE -> {
				if (call.succeeded() && call.arg != 0) {
					this.model.interpret(process, new Syscall.Unshare());
					this.model.followTable(process);
				}
			}
			case LIMIT -> limit(process, call);
			case SUPERSEDED -> this.processes.superseded(process, call);
		}
	}

	private void exec(TracedProcess process, Call call) {
		for (TracedProcess thread : new ArrayList<>(process.leader.threads)) {
			if (thread != process && !thread.isLeader()) {
				this.processes.end(thread, call.line);
			}
		}
		this.listener.executing(process, call);
		SyscallResult result = this.model.interpret(process, new Syscall.Execve());
		if (result instanceof SyscallResult.Executed executed) {
			this.model.followTable(process);
			for (int fd : executed.closed()) {
				this.model.closed(process, fd, call.offset);
			}
		}
		else {
			// Past the point of no return the model has no memory left, as in Linux.
			this.model.lose(process);
			this.processes.end(process, call.line);
			return;
		}
		process.leader.program = call.offset;
		this.listener.executed(process, call);
	}

	private void limit(TracedProcess process, Call call) {
		if (!call.succeeded()) {
			return;
		}
		for (TracedProcess thread : process.leader.threads) {
			this.model.setLimit(thread, call.arg);
		}
	}

}
