package io.fdtable.session;

import java.util.concurrent.atomic.AtomicLong;

import io.fdtable.kernel.Sysctl;

/**
 * The part of the memory budget that the events of all sessions may take: what is kept
 * for streams that may never come must leave room for calls. Safe from any thread.
 */
final class EventMemory {

	private static final int SHARE_OF_BUDGET = 8;

	private final Sysctl sysctl;

	private final AtomicLong used = new AtomicLong();

	EventMemory(Sysctl sysctl) {
		this.sysctl = sysctl;
	}

	/** Takes bytes, or returns false and takes nothing if so much is not left. */
	boolean tryCharge(long bytes) {
		long current;
		do {
			current = this.used.get();
			if (current > this.sysctl.memoryMax() / SHARE_OF_BUDGET - bytes) {
				return false;
			}
		}
		// Only what fits is added, so that a refused event never makes another one fail.
		while (!this.used.compareAndSet(current, current + bytes));
		if (this.sysctl.tryCharge(bytes)) {
			return true;
		}
		this.used.addAndGet(-bytes);
		return false;
	}

	/** Takes bytes for what has to be kept, even beyond the budget. */
	void overcharge(long bytes) {
		this.used.addAndGet(bytes);
		this.sysctl.overcharge(bytes);
	}

	void uncharge(long bytes) {
		this.used.addAndGet(-bytes);
		this.sysctl.uncharge(bytes);
	}

}
