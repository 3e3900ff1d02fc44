package io.fdtable.kernel;

/**
 * The map for Eric Dumazet's O_FD_FASTALLOC of 2015: it hands out any free number, not
 * the lowest.
 */
final class FastAllocBitmap extends WordFirstBitmap {

	/*
	 * Theory. POSIX's promise of the lowest number is what makes a search long: it must
	 * pass over everything that is taken below. A caller who does not need the promise is
	 * served by next fit: the search goes on where the last one ended, or at the number
	 * closed last, whose word is in the cache and has room. Only when nothing is free
	 * from there up does it start over at the bottom, so a number is still found whenever
	 * there is one, and a table still grows only when it is full.
	 *
	 * What lies below an answer has not been looked at, so an answer says nothing about
	 * the lowest free number: next_fd must not be raised by it.
	 */

	/** Where the next search begins, 0 to {@code capacity()}. */
	private int cursor;

	FastAllocBitmap(int capacity, SearchCounters counters) {
		super(capacity, counters);
	}

	@Override
	int findFreeFd(int start, int end) {
		if (this.cursor > start && this.cursor < Math.min(end, capacity())) {
			int fd = findNextFd(this.cursor);
			if (fd < Math.min(end, capacity())) {
				this.cursor = fd;
				return fd;
			}
		}
		this.cursor = findNextFd(start);
		return this.cursor;
	}

	@Override
	void clear(int fd) {
		super.clear(fd);
		this.cursor = fd;
	}

	@Override
	FastAllocBitmap newMap(int capacity, SearchCounters counters) {
		return new FastAllocBitmap(capacity, counters);
	}

}
