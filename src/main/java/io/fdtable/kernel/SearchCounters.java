package io.fdtable.kernel;

/**
 * Counts what the searches of one table cost; it outlives the tables that growth
 * replaces.
 *
 * <p>
 * Guarded by the {@code fileLock} of the {@link FilesStruct} that owns it.
 */
final class SearchCounters {

	/** Searches for a free descriptor, each the work of one allocation. */
	long searches;

	/** Searches whose first candidate, the higher of minimum and next_fd, was free. */
	long hintHits;

	/** Searches that ended in the word of their first candidate. */
	long wordHits;

	/** Searches that had to read the summary. */
	long summarySearches;

	/** Words of either level that were read. */
	long wordsRead;

	long expansions;

	long slotsCopied;

}
