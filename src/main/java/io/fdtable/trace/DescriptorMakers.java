package io.fdtable.trace;

import java.util.List;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import io.fdtable.trace.TraceReport.DivergenceKind;

/**
 * Does calls that make descriptors, on the lowest free number or on one of the caller's
 * choice, and compares the number with the log's.
 *
 * <p>
 * Tested by TraceTest, on recorded logs and on parts of them.
 */
final class DescriptorMakers {

	/** How many numbers one divergence may fill, so that a line cannot cost a second. */
	private static final int MAX_FILL = 256;

	private final ReplayListener listener;

	private final ReplayModel model;

	private final Divergences divergences;

	private final UnseenChanges unseen;

	private final OverlappingCalls overlaps;

	private final DescriptorUses uses;

	DescriptorMakers(ReplayListener listener, ReplayModel model, Divergences divergences, UnseenChanges unseen,
			OverlappingCalls overlaps, DescriptorUses uses) {
		this.listener = listener;
		this.model = model;
		this.divergences = divergences;
		this.unseen = unseen;
		this.overlaps = overlaps;
		this.uses = uses;
	}

	void make(TracedProcess process, Call call) {
		if (!call.succeeded()) {
			failedToMake(process, call);
			return;
		}
		this.uses.checkSource(process, call);
		if (call.op == Op.PAIR) {
			for (int i = 0; i < 2; i++) {
				settle(process, call, (i < call.fdCount) ? call.fds[i] : Call.NONE);
			}
		}
		else if (call.op == Op.RECEIVE) {
			boolean closeOnExec = call.closeOnExec;
			for (int i = 0; i < call.fdCount; i++) {
				// What MSG_CMSG_CLOEXEC asks of others, a pidfd always is.
				call.closeOnExec = closeOnExec || call.isPidfd(i);
				settle(process, call, call.fds[i]);
			}
			call.closeOnExec = closeOnExec;
		}
		else {
			settle(process, call, (int) call.ret);
		}
	}

	private void failedToMake(TracedProcess process, Call call) {
		if (call.failedWith("EBADF") && call.fd != Call.NONE) {
			this.uses.notOpen(process, call);
		}
		else if (call.failedWith("EMFILE")) {
			int fd = this.model.attempt(process, call);
			if (fd >= 0) {
				this.model.undo(process, fd);
				if (process.isLimitKnown) {
					this.divergences.diverge(process, call, DivergenceKind.LIMIT, fd, Integer.toString(fd), "EMFILE");
				}
				for (TracedProcess thread : process.leader.threads) {
					this.model.setLimit(thread, fd);
				}
			}
		}
		// Any other error is the world's: the number was reserved and given back.
	}

	/**
	 * Makes a descriptor on the model and compares it with the log.
	 * @param actual the number in the log, negative if it is not there
	 */
	private void settle(TracedProcess process, Call call, int actual) {
		if (process.table.judge != null) {
			this.overlaps.follow(process, call, actual);
			return;
		}
		for (int i = 0; i <= UnseenChanges.MAX_GAP; i++) {
			int expected = this.model.attempt(process, call);
			if (expected == actual || (actual < 0 && expected >= 0)) {
				this.model.made(process, expected, call);
				return;
			}
			this.model.undo(process, expected);
			if (actual < 0) {
				// No room, and no number in the log to make room for.
				return;
			}
			if (expected >= 0 && expected < actual && this.unseen.wasHidden(process, expected, actual)) {
				continue;
			}
			if (expected > actual && this.unseen.wasGone(process, actual)) {
				continue;
			}
			if (!process.leader.isLost) {
				force(process, call, expected, actual);
			}
			return;
		}
	}

	/** Brings the model in line with a number that it does not expect. */
	private void force(TracedProcess process, Call call, int expected, int actual) {
		if (expected < 0) {
			this.divergences.diverge(process, call, DivergenceKind.LIMIT, actual, "EMFILE", Integer.toString(actual));
			this.model.setLimit(process, TraceReplay.NR_OPEN);
		}
		else if (expected < actual) {
			this.divergences.diverge(process, call, DivergenceKind.OPEN_IN_LOG, expected, Integer.toString(expected),
					Integer.toString(actual));
			int from = (call.op == Op.DUP_FROM) ? (int) call.arg : 0;
			for (int i = 0; i < MAX_FILL; i++) {
				int fd = this.model.lowest(process, from, false);
				if (fd >= 0) {
					this.model.release(process, fd);
				}
				if (fd < 0 || fd >= actual || !this.model.place(process, fd, false, TracedTable.UNTRACED)) {
					break;
				}
			}
		}
		else {
			this.divergences.diverge(process, call, DivergenceKind.FREE_IN_LOG, actual, Integer.toString(expected),
					Integer.toString(actual));
			this.model.interpret(process, new Syscall.Close(actual));
			this.model.closed(process, actual, 0);
		}
		int fd = this.model.attempt(process, call);
		if (fd != actual) {
			this.model.undo(process, fd);
			if (!this.model.place(process, actual, call.closeOnExec, call.offset)) {
				this.model.lose(process);
				return;
			}
		}
		this.model.made(process, actual, call);
	}

	void dup2(TracedProcess process, Call call) {
		int target = (int) call.arg;
		if (!call.succeeded()) {
			if (call.failedWith("EBADF") && !process.isLimitKnown && process.table.isOpen(call.fd)) {
				// The target may be beyond a limit that the log has not shown.
				return;
			}
			if (call.failedWith("EBADF") && target >= 0 && target < process.task.nofile().soft()) {
				this.uses.notOpen(process, call);
			}
			return;
		}
		this.uses.checkSource(process, call);
		if (call.fd == target) {
			return;
		}
		boolean replaces = process.table.made(target) != 0;
		if (replaces) {
			this.listener.closing(process, target, call);
		}
		SyscallResult result = this.model.interpret(process, (call.op == Op.DUP2) ? new Syscall.Dup2(call.fd, target)
				: new Syscall.Dup3(call.fd, target, call.closeOnExec ? OpenFlags.O_CLOEXEC : 0));
		if (result.errno() == null) {
			this.model.made(process, target, call);
			return;
		}
		if (result.errno() == Errno.EBUSY) {
			// A call under way holds the number in the model; the log knows better.
			for (CallUnderWay other : List.copyOf(process.table.underWay)) {
				if (other.reserved == target) {
					this.model.release(other.process, target);
					other.reserved = CallUnderWay.NONE;
				}
			}
		}
		else if (result.errno() == Errno.ENOMEM || target >= TraceReplay.NR_OPEN) {
			this.model.lose(process);
			return;
		}
		else {
			this.divergences.diverge(process, call, DivergenceKind.LIMIT, target, String.valueOf(result.errno()),
					Integer.toString(target));
			this.model.setLimit(process, TraceReplay.NR_OPEN);
		}
		if (this.model.interpret(process, new Syscall.Dup2(call.fd, target)).errno() == null) {
			this.model.made(process, target, call);
		}
		else {
			this.model.lose(process);
		}
	}

	/** Makes the descriptor of CLONE_PIDFD. */
	void pidfd(TracedProcess process, Call call) {
		if ((call.arg & CloneArguments.CLONE_PIDFD) != 0 && call.fdCount > 0) {
			call.closeOnExec = true;
			call.op = Op.ALLOC;
			settle(process, call, call.fds[0]);
			call.op = Op.FORK;
		}
	}

}
