package io.fdtable.trace;

import java.util.BitSet;
import java.util.List;
import java.util.function.BiConsumer;

import io.fdtable.kernel.Fcntl;
import io.fdtable.syscall.Syscall;
import io.fdtable.trace.TraceReport.DivergenceKind;
import org.jspecify.annotations.Nullable;

/**
 * Calls of threads that share a table and overlap: asks the OverlapJudge whether one
 * order of them explains an answer, and changes the model into the state of that order.
 *
 * <p>
 * Tested by TraceTest, on recorded logs and on parts of them.
 */
final class OverlappingCalls {

	private final ReplayModel model;

	private final Divergences divergences;

	private final UnseenChanges unseen;

	private final CallsUnderWay underWay;

	/** Does the call of a process before its end is reached in the log. */
	private final BiConsumer<TracedProcess, Call> carryOut;

	OverlappingCalls(ReplayModel model, Divergences divergences, UnseenChanges unseen, CallsUnderWay underWay,
			BiConsumer<TracedProcess, Call> carryOut) {
		this.model = model;
		this.divergences = divergences;
		this.unseen = unseen;
		this.underWay = underWay;
		this.carryOut = carryOut;
	}

	/** Lets the judge of a shared table decide, and brings it in line if it must. */
	void judge(TracedProcess process, @Nullable CallUnderWay underWay, Call call) {
		TracedTable table = process.table;
		if (table.judge == null || process.leader.isLost) {
			return;
		}
		for (int i = 0; i <= UnseenChanges.MAX_GAP; i++) {
			if (table.judge.end(underWay, call)) {
				if (table.judge.hasGivenUp()) {
					this.divergences.undecided(process);
					table.isJudgeWrong = true;
				}
				return;
			}
			if (!adjust(process, table.judge, call)) {
				break;
			}
		}
		condemn(process, table.judge, call);
		table.isJudgeWrong = true;
	}

	/**
	 * Finds a reason for an answer that is no divergence and that the judge cannot know.
	 */
	private boolean adjust(TracedProcess process, OverlapJudge judge, Call call) {
		if (!makesNumbers(call)) {
			boolean isOpen = !call.failedWith("EBADF");
			boolean found = judge.isTaken(call.fd) != isOpen && (isOpen
					? this.unseen.wasHidden(process, call.fd, call.fd + 1) : this.unseen.wasGone(process, call.fd));
			if (found) {
				judge.set(call.fd, isOpen);
			}
			return found;
		}
		int from = (call.op == Op.DUP_FROM) ? (int) call.arg : 0;
		int highest = (int) call.ret;
		for (int i = 0; i < call.fdCount; i++) {
			highest = Math.max(highest, call.fds[i]);
		}
		BitSet hidden = new BitSet();
		int lowest = judge.lowestFree(from);
		for (int fd = Math.max(lowest, highest - UnseenChanges.MAX_GAP); fd < highest; fd++) {
			if (!process.table.isKnown(fd) && !makes(call, fd) && !isComing(process.table, fd)
					&& this.unseen.wasHidden(process, fd, highest)) {
				hidden.set(fd);
			}
		}
		if (!hidden.isEmpty()) {
			// Linux took the lowest number, so all of them must have been open.
			judge.take(hidden);
			return true;
		}
		if (judge.isTaken(highest) && this.unseen.wasGone(process, highest)) {
			judge.set(highest, false);
			return true;
		}
		return false;
	}

	private static boolean makes(Call call, int fd) {
		for (int i = 0; i < call.fdCount; i++) {
			if (call.fds[i] == fd) {
				return true;
			}
		}
		return false;
	}

	/** Tells whether a call under way will turn out to have got the number. */
	private static boolean isComing(TracedTable table, int fd) {
		for (CallUnderWay other : table.underWay) {
			if (other.isCertain() && concerns(other.call, fd, true)) {
				return true;
			}
		}
		return false;
	}

	private static boolean makesNumbers(Call call) {
		return call.op.makesOne() || call.op == Op.PAIR || call.op == Op.RECEIVE || call.op == Op.FORK;
	}

	/**
	 * Returns the first new descriptor that the log names: one that the judge may refuse.
	 */
	private static int firstTold(Call call) {
		for (int i = 0; i < call.fdCount; i++) {
			if (call.fds[i] >= 0) {
				return call.fds[i];
			}
		}
		return (int) call.ret;
	}

	private void condemn(TracedProcess process, OverlapJudge judge, Call call) {
		if (!makesNumbers(call)) {
			boolean isOpen = !call.failedWith("EBADF");
			this.divergences.diverge(process, call, isOpen ? DivergenceKind.OPEN_IN_LOG : DivergenceKind.FREE_IN_LOG,
					call.fd, isOpen ? "EBADF" : "open", isOpen ? "open" : "EBADF");
			return;
		}
		int actual = call.op.makesOne() ? (int) call.ret : firstTold(call);
		int expected = judge.lowestFree((call.op == Op.DUP_FROM) ? (int) call.arg : 0);
		if (expected < actual) {
			this.divergences.diverge(process, call, DivergenceKind.OPEN_IN_LOG, expected, Integer.toString(expected),
					Integer.toString(actual));
			this.model.place(process, expected, false, TracedTable.UNTRACED);
		}
		else {
			this.divergences.diverge(process, call, DivergenceKind.FREE_IN_LOG, actual, Integer.toString(expected),
					Integer.toString(actual));
		}
	}

	/** Makes the descriptor that the judge has found explained, or has condemned. */
	void follow(TracedProcess process, Call call, int actual) {
		int fd = this.model.attempt(process, call);
		if (process.leader.isLost) {
			return;
		}
		if (fd != actual && actual >= 0) {
			this.model.undo(process, fd);
			bring(process, actual, false);
			if (!makeAt(process, call, actual)) {
				this.model.lose(process);
				return;
			}
		}
		if (actual >= 0 || fd >= 0) {
			this.model.made(process, (actual >= 0) ? actual : fd, call);
		}
	}

	private boolean makeAt(TracedProcess process, Call call, int fd) {
		if (call.op != Op.DUP && call.op != Op.DUP_FROM) {
			return this.model.place(process, fd, call.closeOnExec, call.offset);
		}
		int flags = call.closeOnExec ? Fcntl.FD_CLOEXEC : 0;
		return this.model.interpret(process, new Syscall.Dup2(call.fd, fd)).errno() == null
				&& this.model.interpret(process, new Syscall.Fcntl(fd, Fcntl.F_SETFD, flags)).errno() == null;
	}

	/**
	 * Makes a number open, or free, which in another order of the calls under way it is
	 * by now.
	 */
	void bring(TracedProcess process, int fd, boolean isOpen) {
		TracedTable table = process.table;
		for (CallUnderWay other : List.copyOf(table.underWay)) {
			if (!isOpen && other.reserved == fd) {
				this.underWay.drop(other);
			}
			else if (other.process != process && !other.isApplied && other.isCertain() && other.reserved < 0
					&& concerns(other.call, fd, isOpen)) {
				other.isApplied = true;
				this.carryOut.accept(other.process, other.call);
			}
		}
		if (isOpen && !table.isOpen(fd)) {
			this.model.place(process, fd, false, TracedTable.UNTRACED);
		}
		else if (!isOpen && table.isOpen(fd)) {
			this.model.interpret(process, new Syscall.Close(fd));
			this.model.closed(process, fd, 0);
		}
	}

	private static boolean concerns(Call call, int fd, boolean isOpen) {
		if (!isOpen) {
			return call.op == Op.CLOSE && call.fd == fd;
		}
		boolean isOneOf = call.op.makesOne() && call.ret == fd;
		for (int i = 0; i < call.fdCount && call.op == Op.PAIR; i++) {
			isOneOf |= call.fds[i] == fd;
		}
		return isOneOf || ((call.op == Op.DUP2 || call.op == Op.DUP3) && call.arg == fd);
	}

}
