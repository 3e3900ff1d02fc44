package io.fdtable.trace;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Calls that have begun and not ended: the numbers that they hold while they block, and
 * the children that forks among them may have.
 *
 * <p>
 * Tested by TraceTest, on recorded logs and on parts of them.
 */
final class CallsUnderWay {

	/** Calls under way whose reserved number had to go to another call. */
	private final List<CallUnderWay> dropped = new ArrayList<>();

	/** Forks that are under way and whose child the log does not name. */
	private final Set<CallUnderWay> unansweredForks = new LinkedHashSet<>();

	private final ReplayModel model;

	private final UnseenChanges unseen;

	CallsUnderWay(ReplayModel model, UnseenChanges unseen) {
		this.model = model;
		this.unseen = unseen;
	}

	CallUnderWay begin(TracedProcess process, Call whole, long line) {
		CallUnderWay underWay = new CallUnderWay(process, whole, line);
		process.underWay = underWay;
		process.table.underWay.add(underWay);
		return underWay;
	}

	void addUnansweredFork(CallUnderWay fork) {
		this.unansweredForks.add(fork);
	}

	/** Returns the fork that has no answer in the log, if there is one only. */
	@Nullable CallUnderWay takeUnansweredFork() {
		CallUnderWay fork = (this.unansweredForks.size() == 1) ? this.unansweredForks.iterator().next() : null;
		if (fork != null) {
			fork.isApplied = true;
			this.unansweredForks.remove(fork);
		}
		return fork;
	}

	/** Gives calls under way a number again that had to do without for a moment. */
	void reserveAgain(TracedProcess process) {
		if (process.table.isJudgeWrong) {
			process.table.isJudgeWrong = false;
			if (process.table.judge != null) {
				process.table.judge.reset();
			}
		}
		if (!this.dropped.isEmpty()) {
			for (CallUnderWay underWay : this.dropped) {
				if (underWay.process.underWay == underWay) {
					reserve(underWay);
				}
			}
			this.dropped.clear();
		}
	}

	/**
	 * Reserves the number that a call will hold while it blocks, if it can be that one.
	 */
	void reserve(CallUnderWay underWay) {
		TracedProcess process = underWay.process;
		int actual = underWay.isCertain() ? (int) underWay.call.ret : CallUnderWay.NONE;
		for (int i = 0; i <= UnseenChanges.MAX_GAP; i++) {
			int fd = this.model.lowest(process, 0, underWay.call.closeOnExec);
			if (fd < 0 || fd == actual || actual == CallUnderWay.NONE) {
				underWay.reserved = fd;
				return;
			}
			this.model.release(process, fd);
			if (fd > actual || !this.unseen.wasHidden(process, fd, actual)) {
				return;
			}
		}
	}

	/** Ends a call without its doing anything. */
	void withdraw(CallUnderWay underWay) {
		if (underWay.reserved >= 0) {
			this.model.release(underWay.process, underWay.reserved);
			underWay.reserved = CallUnderWay.NONE;
		}
		this.unansweredForks.remove(underWay);
		underWay.table.underWay.remove(underWay);
		underWay.process.underWay = null;
		if (underWay.copy != null) {
			for (CallUnderWay other : underWay.table.underWay) {
				markUncertain(underWay.copy, other.call);
			}
		}
		if (underWay.table.judge != null) {
			underWay.table.judge.withdraw(underWay);
		}
	}

	/** What overlaps with the copying of a table may or may not be in the copy. */
	private static void markUncertain(TracedTable copy, Call call) {
		if (call.succeeded()) {
			if (call.op == Op.CLOSE) {
				copy.doubt(call.fd);
			}
			else if (call.op.makesOne()) {
				copy.doubt((int) call.ret);
			}
			for (int i = 0; i < call.fdCount && call.op == Op.PAIR; i++) {
				copy.doubt(call.fds[i]);
			}
		}
	}

	/** Takes the number back from a call under way that gets it, or another, later. */
	void drop(CallUnderWay underWay) {
		this.model.release(underWay.process, underWay.reserved);
		underWay.reserved = CallUnderWay.NONE;
		this.dropped.add(underWay);
	}

}
