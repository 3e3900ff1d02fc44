package io.fdtable.kernel;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The settings and counters that all process trees of one service share, as
 * {@code /proc/sys/fs} and {@code /proc/sys/kernel} show them.
 *
 * <p>
 * {@code nr_open}, {@code file-max} and {@code threads-max} are Linux's. The memory
 * budget stands for the machine's memory, so that no client can exhaust the heap that all
 * of them live in. It counts tables beyond their first 64 slots, open files with their
 * labels, paths, contents, what waits in pipes and backlogs and messages; and, charged by
 * whoever keeps them, leases, events, answers kept for retries, traces, and what requests
 * take while they are read. What of the model would go beyond it is ENOMEM. What every
 * session takes alike is bounded by {@code threads-max} instead. Safe from any thread.
 */
public final class Sysctl {

	/** Linux's default of nr_open. */
	public static final int DEFAULT_NR_OPEN = 1_048_576;

	/** The lowest nr_open that Linux accepts: one word of the bitmap. */
	public static final int MIN_NR_OPEN = Long.SIZE;

	/** The highest nr_open that Linux accepts: INT_MAX rounded down to whole words. */
	public static final int MAX_NR_OPEN = Integer.MAX_VALUE & -Long.SIZE;

	/** How long a file may be unless it is said otherwise: 1 MiB. */
	public static final int DEFAULT_FILE_MAX_BYTES = 1 << 20;

	private volatile int nrOpen;

	private final long fileMax;

	private final int threadsMax;

	private final long memoryMax;

	private final int fileMaxBytes;

	private final AtomicLong files = new AtomicLong();

	private final AtomicLong threads = new AtomicLong();

	private final AtomicLong memory = new AtomicLong();

	/**
	 * Creates the settings of one service whose files may be as long as
	 * {@link #DEFAULT_FILE_MAX_BYTES}.
	 * @param nrOpen the highest descriptor number plus one that any table may grow to, 64
	 * to 2,147,483,584
	 * @param fileMax the highest number of open files at any one time
	 * @param threadsMax the highest number of processes at any one time
	 * @param memoryMax the memory budget, in bytes
	 * @throws IllegalArgumentException if {@code nrOpen} is out of range or another
	 * argument is negative
	 */
	public Sysctl(int nrOpen, long fileMax, int threadsMax, long memoryMax) {
		this(nrOpen, fileMax, threadsMax, memoryMax, DEFAULT_FILE_MAX_BYTES);
	}

	/**
	 * Creates the settings of one service.
	 * @param nrOpen the highest descriptor number plus one that any table may grow to, 64
	 * to 2,147,483,584
	 * @param fileMax the highest number of open files at any one time
	 * @param threadsMax the highest number of processes at any one time
	 * @param memoryMax the memory budget, in bytes
	 * @param fileMaxBytes how long a file may be, in bytes
	 * @throws IllegalArgumentException if {@code nrOpen} is out of range or another
	 * argument is negative
	 */
	public Sysctl(int nrOpen, long fileMax, int threadsMax, long memoryMax, int fileMaxBytes) {
		if (fileMax < 0 || threadsMax < 0 || memoryMax < 0 || fileMaxBytes < 0) {
			throw new IllegalArgumentException("only nr_open has a lower bound other than 0");
		}
		setNrOpen(nrOpen);
		this.fileMax = fileMax;
		this.threadsMax = threadsMax;
		this.memoryMax = memoryMax;
		this.fileMaxBytes = fileMaxBytes;
	}

	/**
	 * Creates settings with Linux's default nr_open and no other bound.
	 * @return new settings, with all counters at zero
	 */
	public static Sysctl unbounded() {
		return new Sysctl(DEFAULT_NR_OPEN, Long.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);
	}

	public int nrOpen() {
		return this.nrOpen;
	}

	/**
	 * Changes nr_open. Tables that are wider already keep their width, and limits their
	 * value; only later growth and copies are refused.
	 * @param nrOpen 64 to 2,147,483,584, not necessarily a multiple of 64
	 * @throws IllegalArgumentException if the value is out of range
	 */
	public void setNrOpen(int nrOpen) {
		if (nrOpen < MIN_NR_OPEN || nrOpen > MAX_NR_OPEN) {
			throw new IllegalArgumentException(
					"nr_open must be " + MIN_NR_OPEN + " to " + MAX_NR_OPEN + ", not " + nrOpen);
		}
		this.nrOpen = nrOpen;
	}

	public long fileMax() {
		return this.fileMax;
	}

	public int threadsMax() {
		return this.threadsMax;
	}

	/**
	 * Returns how many open files exist, like the first number of {@code file-nr}.
	 * @return files with at least one reference
	 */
	public long files() {
		return this.files.get();
	}

	/**
	 * Returns how many processes exist.
	 * @return processes that have not exited
	 */
	public long threads() {
		return this.threads.get();
	}

	/**
	 * Returns how much of the memory budget is in use.
	 * @return bytes
	 */
	public long memory() {
		return this.memory.get();
	}

	public long memoryMax() {
		return this.memoryMax;
	}

	/**
	 * Returns how long a file may be, like RLIMIT_FSIZE, and how much one read returns.
	 * @return bytes
	 */
	public int fileMaxBytes() {
		return this.fileMaxBytes;
	}

	/** Counts one more open file, or throws ENFILE at file-max. */
	void addFile() {
		if (!addBounded(this.files, 1, this.fileMax)) {
			throw Errno.ENFILE.exception();
		}
	}

	void removeFile() {
		this.files.decrementAndGet();
	}

	/** Counts one more process, or throws ENFILE at threads-max. */
	void addThread() {
		if (!addBounded(this.threads, 1, this.threadsMax)) {
			throw Errno.ENFILE.exception();
		}
	}

	void removeThread() {
		this.threads.decrementAndGet();
	}

	/** Takes bytes out of the budget, or throws ENOMEM when so much is not left. */
	void charge(long bytes) {
		if (!tryCharge(bytes)) {
			throw Errno.ENOMEM.exception();
		}
	}

	/**
	 * Takes bytes out of the memory budget.
	 * @param bytes how many, not negative
	 * @return false if so much is not left, and nothing was taken
	 */
	public boolean tryCharge(long bytes) {
		return addBounded(this.memory, bytes, this.memoryMax);
	}

	/**
	 * Takes bytes for what has happened already and must be kept, even beyond the budget;
	 * whatever is charged next finds that much less.
	 * @param bytes how many, not negative
	 */
	public void overcharge(long bytes) {
		this.memory.addAndGet(bytes);
	}

	/**
	 * Gives bytes back to the memory budget.
	 * @param bytes what {@link #tryCharge} or {@link #overcharge} took before, not
	 * negative
	 */
	public void uncharge(long bytes) {
		this.memory.addAndGet(-bytes);
	}

	/** Adds only what fits, so that a refused call never makes another one fail. */
	private static boolean addBounded(AtomicLong counter, long amount, long max) {
		long current;
		do {
			current = counter.get();
			if (current > max - amount) {
				return false;
			}
		}
		while (!counter.compareAndSet(current, current + amount));
		return true;
	}

}
