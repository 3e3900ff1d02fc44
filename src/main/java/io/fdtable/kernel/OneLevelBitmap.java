package io.fdtable.kernel;

/**
 * The map of Linux before v4.4: bits and no summary.
 */
final class OneLevelBitmap extends FdBitmap {

	/*
	 * Theory. A search reads the map word by word from its first candidate, so it costs
	 * one read per 64 descriptors that are taken in a row: n/64 words for a table that is
	 * full up to n. next_fd hides that cost while descriptors are only opened. One close
	 * of a low number takes the hint down, and as soon as the hole is filled by dup2,
	 * which does not move the hint, the next search reads everything: the loop "close(3);
	 * dup2(0, 3); dup(0)" is quadratic.
	 */

	OneLevelBitmap(int capacity, SearchCounters counters) {
		super(capacity, counters);
	}

	@Override
	int findNextFd(int start) {
		int fd = nextClear(this.openFds, start, capacity());
		if (wordIndex(fd) == wordIndex(start)) {
			this.counters.wordHits++;
		}
		return fd;
	}

	@Override
	void set(int fd) {
		this.openFds[wordIndex(fd)] |= 1L << fd;
	}

	@Override
	void clear(int fd) {
		this.openFds[wordIndex(fd)] &= ~(1L << fd);
	}

	@Override
	OneLevelBitmap newMap(int capacity, SearchCounters counters) {
		return new OneLevelBitmap(capacity, counters);
	}

	@Override
	void summarise() {
		// There is no summary.
	}

}
