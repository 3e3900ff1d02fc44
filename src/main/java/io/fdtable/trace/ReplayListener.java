package io.fdtable.trace;

import org.jspecify.annotations.Nullable;

/**
 * Gets to know what a replay does, step by step. Calls are only valid until the method
 * returns.
 */
interface ReplayListener {

	/** A process or thread has begun; the call is the one that made it, if any did. */
	default void began(TracedProcess process, @Nullable Call call) {
	}

	/** A number was handed out, by {@code allocFd} or to a dup2. */
	default void made(TracedProcess process, int fd, Call call) {
	}

	/** A number is about to be closed. */
	default void closing(TracedProcess process, int fd, Call call) {
	}

	/** A number was used, which therefore is open. */
	default void used(TracedProcess process, int fd, Call call) {
	}

	/** A call met EBADF. */
	default void notOpen(TracedProcess process, int fd, Call call) {
	}

	/** A process is about to run another program. */
	default void executing(TracedProcess process, Call call) {
	}

	/** A process runs another program. */
	default void executed(TracedProcess process, Call call) {
	}

	/** A process is about to end. */
	default void ending(TracedProcess process, long line) {
	}

	/** A call has been done with. */
	default void after(TracedProcess process, Call call) {
	}

	/** The log is not what the model expects. */
	default void diverged(TraceReport.Divergence divergence) {
	}

	/**
	 * The log is again not what the model expects, and one and the same cause explains
	 * it.
	 */
	default void divergedAgain(int number, int fd) {
	}

	/**
	 * A call overlapped with so many others that not every order of them could be tried,
	 * and none that was explains its answer.
	 */
	default void undecided() {
	}

	/** A bound was met and something left out. */
	default void capped(String what) {
	}

}
