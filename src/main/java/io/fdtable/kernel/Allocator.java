package io.fdtable.kernel;

/**
 * How a table searches for the lowest free descriptor.
 */
public enum Allocator {

	/** Mainline since v6.13: the word of the first candidate, then the two-level map. */
	WORD_FIRST {
		@Override
		FdBitmap newBitmap(int capacity, SearchCounters counters) {
			return new TwoLevelBitmap(capacity, counters);
		}
	};

	/** Creates an empty map of {@code capacity} bits, a multiple of 64. */
	abstract FdBitmap newBitmap(int capacity, SearchCounters counters);

}
