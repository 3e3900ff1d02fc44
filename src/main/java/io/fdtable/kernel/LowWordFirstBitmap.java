package io.fdtable.kernel;

/**
 * The two-level map with the fast path that Yu Ma proposed in June 2024: the first word
 * is looked at before the summary.
 */
final class LowWordFirstBitmap extends TwoLevelBitmap {

	/*
	 * Theory. Numbers are handed out from the bottom, and most processes have fewer than
	 * 64 descriptors however wide their table once grew, so the first word holds the
	 * answer of most searches. Looking there first saves them the summary.
	 *
	 * The first version of the proposal jumped over the test against the limit, and
	 * looked into the first word also when F_DUPFD asks for a minimum of 64 or more,
	 * where it could answer with a number below the minimum. So: only if the search
	 * starts in the first word, and only from its start; the caller tests the limit for
	 * every answer.
	 *
	 * A process with more than 64 descriptors whose first word is full pays one wasted
	 * read for each search from there.
	 */

	LowWordFirstBitmap(int capacity, SearchCounters counters) {
		super(capacity, counters);
	}

	@Override
	int findNextFd(int start) {
		if (start < Long.SIZE) {
			int fd = clearInWord(start);
			if (fd >= 0) {
				return fd;
			}
		}
		return super.findNextFd(start);
	}

	@Override
	LowWordFirstBitmap newMap(int capacity, SearchCounters counters) {
		return new LowWordFirstBitmap(capacity, counters);
	}

}
