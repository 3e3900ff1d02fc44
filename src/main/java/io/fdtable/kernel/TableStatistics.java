package io.fdtable.kernel;

/**
 * What a table holds and what it has cost so far.
 *
 * @param options how the table allocates
 * @param open installed descriptors
 * @param reserved descriptors that are taken but hold no file
 * @param holes free descriptors below the highest taken one
 * @param highest the highest taken descriptor, -1 if there is none
 * @param highWater the highest descriptor ever taken, -1 if there was none
 * @param capacity the width in slots
 * @param nextFd the lower bound of the lowest free descriptor
 * @param sharers processes that use the table
 * @param fullWords words of the map without a hole
 * @param bytes bytes of slots and bitmaps
 * @param searches searches for a free descriptor
 * @param hintHits searches whose first candidate was free
 * @param wordHits searches that ended in the first word they read
 * @param summarySearches searches that had to read the summary
 * @param wordsRead words of either level that all searches have read
 * @param expansions how often the table has grown
 * @param slotsCopied slots of the tables that growing replaced
 * @param positionLocksTaken calls that took the lock of a file's position
 * @param positionLocksElided calls that could do without, being the only user
 */
public record TableStatistics(AllocatorOptions options, int open, int reserved, int holes, int highest, int highWater,
		int capacity, int nextFd, int sharers, int fullWords, long bytes, long searches, long hintHits, long wordHits,
		long summarySearches, long wordsRead, long expansions, long slotsCopied, long positionLocksTaken,
		long positionLocksElided) {
}
