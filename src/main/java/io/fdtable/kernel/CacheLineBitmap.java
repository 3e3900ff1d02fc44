package io.fdtable.kernel;

import java.util.Arrays;

/**
 * The map that Al Viro sketched in 2015: one summary bit per cache line of bits.
 */
final class CacheLineBitmap extends FdBitmap {

	/*
	 * Theory. Memory comes in lines of 64 bytes: once one word of a line is read, the
	 * other seven cost next to nothing. So a summary bit may as well speak of a whole
	 * line, 512 descriptors. The summary is then eight times smaller than with one bit
	 * per word: it takes n/32768 words to find the line and at most eight more to find
	 * the word.
	 *
	 * No single comparison tells whether eight words are full. Each line therefore counts
	 * its ones; the bit is set when the count reaches the size of the line and cleared
	 * when it falls below.
	 *
	 * The line of `start` may have its only holes below `start`. The search then reads
	 * what is left of that line in vain, at most eight words, and goes on with the
	 * summary at the next line. So there is no case like the slow one of the two-level
	 * map.
	 */

	private static final int LINE_SHIFT = 9;

	private static final int LINE_BITS = 1 << LINE_SHIFT;

	/** Set bits of each line, 0 to 512. */
	private final short[] used;

	/** Bit k is set exactly when all bits of line k are ones. */
	private final long[] fullLines;

	CacheLineBitmap(int capacity, SearchCounters counters) {
		super(capacity, counters);
		this.used = new short[lineOf(capacity + LINE_BITS - 1)];
		this.fullLines = new long[wordsFor(this.used.length)];
	}

	private static int lineOf(int bit) {
		return bit >>> LINE_SHIFT;
	}

	/** Returns one past the last bit of a line; the last line may be short. */
	private int endOf(int line) {
		return Math.min((line + 1) << LINE_SHIFT, capacity());
	}

	@Override
	int findNextFd(int start) {
		this.counters.summarySearches++;
		int line = nextClear(this.fullLines, lineOf(start), this.used.length);
		while (line < this.used.length) {
			int fd = nextClear(this.openFds, Math.max(start, line << LINE_SHIFT), endOf(line));
			if (fd < endOf(line)) {
				return fd;
			}
			line = (line + 1 < this.used.length) ? nextClear(this.fullLines, line + 1, this.used.length) : line + 1;
		}
		return capacity();
	}

	@Override
	void set(int fd) {
		if (!get(fd)) {
			this.openFds[wordIndex(fd)] |= 1L << fd;
			int line = lineOf(fd);
			if (++this.used[line] == endOf(line) - (line << LINE_SHIFT)) {
				this.fullLines[wordIndex(line)] |= 1L << line;
			}
		}
	}

	@Override
	void clear(int fd) {
		if (get(fd)) {
			this.openFds[wordIndex(fd)] &= ~(1L << fd);
			int line = lineOf(fd);
			this.used[line]--;
			this.fullLines[wordIndex(line)] &= ~(1L << line);
		}
	}

	@Override
	CacheLineBitmap newMap(int capacity, SearchCounters counters) {
		return new CacheLineBitmap(capacity, counters);
	}

	@Override
	void summarise() {
		for (int line = 0; line < this.used.length; line++) {
			int ones = 0;
			for (int word = wordIndex(line << LINE_SHIFT); word < wordIndex(endOf(line)); word++) {
				ones += Long.bitCount(this.openFds[word]);
			}
			this.used[line] = (short) ones;
			if (ones == endOf(line) - (line << LINE_SHIFT)) {
				this.fullLines[wordIndex(line)] |= 1L << line;
			}
		}
	}

	@Override
	void checkInvariants() {
		CacheLineBitmap expected = (CacheLineBitmap) copy(capacity(), capacity(), new SearchCounters());
		if (!Arrays.equals(expected.used, this.used) || !Arrays.equals(expected.fullLines, this.fullLines)) {
			throw new IllegalStateException("I3, I4, I5: the summary is not the map of the full lines");
		}
	}

}
