package io.fdtable.kernel;

import java.util.Arrays;

/**
 * A map with a summary of the summary, and so on up to a single word: a tree in which
 * every node has 64 children.
 */
final class SummaryTreeBitmap extends FdBitmap {

	/*
	 * Theory. Level 0 is the map. Bit k of level i+1 is set exactly when word k of level
	 * i is all ones. The highest level is one word. A table of n descriptors has
	 * ceil(log64(n)) levels: 3 up to 262,144 descriptors, 4 up to 16,777,216, 5 for any.
	 * All summaries together take 1/63 of the map.
	 *
	 * A search for the lowest zero at or above `start` looks at what is right of `start`
	 * in its own word. If that is full, it looks at what is right of that word in the
	 * word above, and so on upwards. The first zero it meets stands for the nearest
	 * subtree that has room, and no part of that subtree lies below `start`; so the way
	 * back down takes the lowest zero of one word per level, without any condition, and
	 * never turns around. That is one word per level on the way up, one per level on the
	 * way down, and none twice: 2 * levels - 1 at worst, and one if the word of `start`
	 * has room. Neither the number of descriptors nor where the search starts matters.
	 *
	 * The slow case of the two-level map is gone because the way up never asks about the
	 * word that it comes from, only about those right of it: a hole below `start` is not
	 * seen.
	 *
	 * A bit that fills its word sets one bit above, which may fill that word, and so on:
	 * at most one write per level, and more than one only every 64th time.
	 */

	/** Level 0 is {@link #openFds}; the last level is one word. */
	private final long[][] levels;

	SummaryTreeBitmap(int capacity, SearchCounters counters) {
		super(capacity, counters);
		this.levels = new long[levelsFor(this.openFds.length)][];
		this.levels[0] = this.openFds;
		for (int level = 1; level < this.levels.length; level++) {
			this.levels[level] = new long[wordsFor(this.levels[level - 1].length)];
		}
	}

	private static int levelsFor(int words) {
		int levels = 1;
		for (int width = words; width > 1; width = wordsFor(width)) {
			levels++;
		}
		return levels;
	}

	@Override
	int findNextFd(int start) {
		int index = start;
		for (int level = 0; level < this.levels.length; level++) {
			long[] map = this.levels[level];
			int word = wordIndex(index);
			if (word >= map.length) {
				break;
			}
			this.counters.wordsRead++;
			long clear = ~map[word] & (-1L << index);
			if (clear != 0) {
				return (level == 0) ? wordHit(word, clear) : descend(level, bitOf(word, clear));
			}
			index = word + 1;
		}
		this.counters.summarySearches++;
		return capacity();
	}

	private int wordHit(int word, long clear) {
		this.counters.wordHits++;
		return bitOf(word, clear);
	}

	/** Goes down from a zero of a summary to the lowest zero of the map below it. */
	private int descend(int from, int zero) {
		this.counters.summarySearches++;
		int index = zero;
		for (int level = from - 1; level >= 0; level--) {
			if (index >= this.levels[level].length) {
				// All that exists is full: this zero stands for no word.
				return capacity();
			}
			this.counters.wordsRead++;
			index = bitOf(index, ~this.levels[level][index]);
		}
		return index;
	}

	private static int bitOf(int word, long clear) {
		return (word << 6) + Long.numberOfTrailingZeros(clear);
	}

	@Override
	void set(int fd) {
		int index = fd;
		for (long[] map : this.levels) {
			int word = wordIndex(index);
			map[word] |= 1L << index;
			if (map[word] != -1L) {
				return;
			}
			index = word;
		}
	}

	@Override
	void clear(int fd) {
		int index = fd;
		for (long[] map : this.levels) {
			int word = wordIndex(index);
			long bits = map[word];
			map[word] = bits & ~(1L << index);
			if (bits != -1L) {
				return;
			}
			index = word;
		}
	}

	@Override
	SummaryTreeBitmap newMap(int capacity, SearchCounters counters) {
		return new SummaryTreeBitmap(capacity, counters);
	}

	@Override
	void summarise() {
		for (int level = 1; level < this.levels.length; level++) {
			markFull(this.levels[level - 1], this.levels[level]);
		}
	}

	@Override
	void checkInvariants() {
		SummaryTreeBitmap expected = (SummaryTreeBitmap) copy(capacity(), capacity(), new SearchCounters());
		if (!Arrays.deepEquals(expected.levels, this.levels)) {
			throw new IllegalStateException("I3, I4, I5: a summary is not the map of the full words below it");
		}
	}

}
