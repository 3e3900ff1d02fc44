package io.fdtable.trace;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What the temporary files of all traces may take together. A full disk, or a full tmpfs,
 * would end the whole service in a container, so it is counted rather than tried. Safe
 * from any thread.
 */
final class TraceDisk {

	private final long max;

	private final AtomicLong used = new AtomicLong();

	/**
	 * Makes an empty disk.
	 * @param max bytes, not negative
	 */
	TraceDisk(long max) {
		this.max = max;
	}

	/**
	 * Takes bytes before they are written.
	 * @throws TraceRefusedException if there are not so many left, and nothing was taken
	 */
	void take(int bytes) throws TraceRefusedException {
		long current;
		do {
			current = this.used.get();
			if (current > this.max - bytes) {
				throw refused();
			}
		}
		// Only what fits is added, so that a refused log never makes another one fail.
		while (!this.used.compareAndSet(current, current + bytes));
	}

	private TraceRefusedException refused() {
		return new TraceRefusedException(TraceRefusedException.Reason.TOO_MANY, "the files of the traces may take "
				+ this.max
				+ " bytes together, and this log needs more than is left; delete a trace, or send a shorter log");
	}

	/** Gives bytes back that have been taken. */
	void giveBack(long bytes) {
		this.used.addAndGet(-bytes);
	}

	/** Returns how many bytes are taken. */
	long used() {
		return this.used.get();
	}

}
