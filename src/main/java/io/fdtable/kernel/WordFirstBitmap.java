package io.fdtable.kernel;

/**
 * The two-level map of mainline Linux since v6.13, Mateusz Guzik's: the word of the first
 * candidate is looked at before the summary.
 */
class WordFirstBitmap extends TwoLevelBitmap {

	/*
	 * Theory. next_fd mostly points into a word with room, or F_DUPFD into one that is
	 * empty. Reading that word first costs one read when it is full, and saves the
	 * summary when it is not. Unlike a look into the very first word this helps at any
	 * size. It changes no answer, and leaves the slow case of the two-level map slow.
	 */

	WordFirstBitmap(int capacity, SearchCounters counters) {
		super(capacity, counters);
	}

	@Override
	final int findNextFd(int start) {
		int fd = clearInWord(start);
		return (fd >= 0) ? fd : super.findNextFd(start);
	}

	@Override
	WordFirstBitmap newMap(int capacity, SearchCounters counters) {
		return new WordFirstBitmap(capacity, counters);
	}

}
