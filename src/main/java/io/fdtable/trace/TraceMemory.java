package io.fdtable.trace;

import io.fdtable.kernel.Sysctl;

/**
 * What one trace takes of the memory budget. It grows with the log up to what no trace
 * exceeds, since what is found in a log is bounded. Used by the thread that reads the
 * log, and then by whoever forgets it.
 */
final class TraceMemory {

	/** How much of a log is paid for at once, in bytes. */
	static final int STEP = 1 << 16;

	/**
	 * Half as much again as has been measured of a log that is all findings, in bytes.
	 */
	static final long MAX = 1 << 24;

	private final Sysctl sysctl;

	private long read;

	private long charged;

	TraceMemory(Sysctl sysctl) {
		this.sysctl = sysctl;
	}

	/** Pays for bytes of the log that have been read. */
	void charge(int bytes) throws TraceRefusedException {
		this.read += bytes;
		while (this.charged < Math.min(this.read, MAX)) {
			if (!this.sysctl.tryCharge(STEP)) {
				throw new TraceRefusedException(TraceRefusedException.Reason.TOO_MANY,
						"the memory budget has no room for another trace");
			}
			this.charged += STEP;
		}
	}

	/** Gives everything back. */
	void uncharge() {
		this.sysctl.uncharge(this.charged);
		this.charged = 0;
	}

}
