package io.fdtable.kernel;

/**
 * How a table searches for a free descriptor. All but {@link #FAST_ALLOC} hand out the
 * same numbers and differ only in what a search costs.
 */
public enum Allocator {

	/** Linux before v4.4: the map, word by word. */
	ONE_LEVEL {
		@Override
		FdBitmap newBitmap(int capacity, SearchCounters counters) {
			return new OneLevelBitmap(capacity, counters);
		}
	},

	/** Linux v4.4 to v6.12: one summary bit per word. */
	TWO_LEVEL {
		@Override
		FdBitmap newBitmap(int capacity, SearchCounters counters) {
			return new TwoLevelBitmap(capacity, counters);
		}
	},

	/** Yu Ma's proposal of 2024: the first word of the map, then the two-level map. */
	LOW_WORD_FIRST {
		@Override
		FdBitmap newBitmap(int capacity, SearchCounters counters) {
			return new LowWordFirstBitmap(capacity, counters);
		}
	},

	/** Mainline since v6.13: the word of the first candidate, then the two-level map. */
	WORD_FIRST {
		@Override
		FdBitmap newBitmap(int capacity, SearchCounters counters) {
			return new WordFirstBitmap(capacity, counters);
		}
	},

	/** Al Viro's sketch of 2015: one summary bit per cache line, with counters. */
	CACHE_LINE {
		@Override
		FdBitmap newBitmap(int capacity, SearchCounters counters) {
			return new CacheLineBitmap(capacity, counters);
		}
	},

	/** Eric Dumazet's O_FD_FASTALLOC of 2015: any free number, not the lowest. */
	FAST_ALLOC {
		@Override
		FdBitmap newBitmap(int capacity, SearchCounters counters) {
			return new FastAllocBitmap(capacity, counters);
		}
	},

	/** A 64-ary tree of summaries: the same few words at any size and any start. */
	SUMMARY_TREE {
		@Override
		FdBitmap newBitmap(int capacity, SearchCounters counters) {
			return new SummaryTreeBitmap(capacity, counters);
		}
	};

	/** Creates an empty map of {@code capacity} bits, a multiple of 64. */
	abstract FdBitmap newBitmap(int capacity, SearchCounters counters);

	/**
	 * Tells whether a new descriptor is the lowest that is free.
	 * @return false only for {@link #FAST_ALLOC}
	 */
	public boolean isLowestFirst() {
		return this != FAST_ALLOC;
	}

}
