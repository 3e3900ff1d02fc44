package io.fdtable.kernel;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How often calls through one table took the lock of a file's position, and how often
 * they could do without. Calls on streams, which have no position, do not count.
 */
final class PositionLocks {

	private final AtomicLong taken = new AtomicLong();

	private final AtomicLong elided = new AtomicLong();

	void countTaken() {
		this.taken.incrementAndGet();
	}

	void countElided() {
		this.elided.incrementAndGet();
	}

	long taken() {
		return this.taken.get();
	}

	long elided() {
		return this.elided.get();
	}

}
