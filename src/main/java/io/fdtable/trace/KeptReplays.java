package io.fdtable.trace;

import java.util.ArrayDeque;
import java.util.Deque;

import io.fdtable.kernel.Sysctl;
import org.jspecify.annotations.Nullable;

/**
 * Replays of one log that stopped at a line and can go on from there, so that a question
 * about a later line does not begin at the start of the log again.
 *
 * <p>
 * A replay has one user at a time: it is taken out to go on and kept again afterwards, at
 * its new line. It cannot go back, so a question about a line before all that are kept
 * begins at the start. Going on passes over the same calls in the same order as a replay
 * that does not stop, so the answers are the same. What is kept is paid for with the
 * memory budget; a replay that is too large, or for which no memory is left, is
 * forgotten. Safe from any thread.
 */
final class KeptReplays {

	/** How many are kept; the one that was not used for longest makes room. */
	static final int MAX = 8;

	/** How large a replay may be that is kept, in bytes. */
	static final long MAX_BYTES = 1 << 20;

	private final Sysctl sysctl;

	/** The one used last stands last. */
	private final Deque<Kept> kept = new ArrayDeque<>();

	private boolean isClosed;

	/**
	 * A replay that waits.
	 *
	 * @param bytes what has been paid for it
	 */
	private record Kept(TraceReplay replay, long bytes) {
	}

	/** Keeps replays at the expense of a memory budget. */
	KeptReplays(Sysctl sysctl) {
		this.sysctl = sysctl;
	}

	/**
	 * Takes out the replay that has the least way to go to a line, or returns null if
	 * each is beyond it.
	 */
	synchronized @Nullable TraceReplay take(long line) {
		Kept best = null;
		for (Kept each : this.kept) {
			long at = each.replay().line();
			if (at <= line && (best == null || at > best.replay().line())) {
				best = each;
			}
		}
		if (best == null) {
			return null;
		}
		forget(best);
		return best.replay();
	}

	/** Keeps a replay, which nobody may use any more, unless there is no room for it. */
	void keep(TraceReplay replay) {
		long bytes = replay.bytes();
		if (bytes <= MAX_BYTES) {
			keep(new Kept(replay, bytes));
		}
	}

	private synchronized void keep(Kept one) {
		if (this.isClosed || !this.sysctl.tryCharge(one.bytes())) {
			return;
		}
		if (this.kept.size() == MAX) {
			forget(this.kept.getFirst());
		}
		this.kept.addLast(one);
	}

	private void forget(Kept one) {
		this.kept.remove(one);
		this.sysctl.uncharge(one.bytes());
	}

	synchronized int size() {
		return this.kept.size();
	}

	/** Forgets all, and keeps none that comes back later. */
	synchronized void close() {
		this.isClosed = true;
		while (!this.kept.isEmpty()) {
			forget(this.kept.getFirst());
		}
	}

}
