package io.fdtable.kernel;

import java.util.Arrays;

/**
 * The two-level map of Linux v4.4 to v6.12: one summary bit per word.
 */
class TwoLevelBitmap extends FdBitmap {

	/*
	 * Theory. A table of n descriptors is n/64 words. Closing a low descriptor pulls
	 * next_fd down, and a search that starts there would read every full word above it
	 * again: n/64 words for one descriptor, which is how an allocation of ten million
	 * took 15 us in 2015. One bit per word, "this word is all ones", lets the search skip
	 * 64 full words, 4096 descriptors, with each summary word it reads: at most n/4096 +
	 * 1 words to the first word with a hole, then one more for the hole.
	 *
	 * A wrong 1 in the summary would hide free descriptors for good; a wrong 0 would only
	 * cost time. Both directions are kept exact. The summary is never copied but computed
	 * from the bits of the copy, because a summary word speaks of 4096 descriptors, and a
	 * table that is cut off in the middle of them would inherit ones for words that it
	 * does not have.
	 *
	 * One case is slow, as in the kernel: when the word of `start` is full from `start`
	 * up but has a hole below, its summary bit is 0, the summary search returns that same
	 * word, and the final scan walks the map from there without the summary.
	 */

	/** Bit k is set exactly when word k of {@link #openFds} is all ones. */
	private final long[] fullFdsBits;

	TwoLevelBitmap(int capacity, SearchCounters counters) {
		super(capacity, counters);
		this.fullFdsBits = new long[wordsFor(this.openFds.length)];
	}

	@Override
	int findNextFd(int start) {
		this.counters.summarySearches++;
		int word = nextClear(this.fullFdsBits, wordIndex(start), this.openFds.length);
		if (word >= this.openFds.length) {
			return capacity();
		}
		return nextClear(this.openFds, Math.max(start, word << 6), capacity());
	}

	@Override
	final void set(int fd) {
		int word = wordIndex(fd);
		long bits = this.openFds[word] | (1L << fd);
		this.openFds[word] = bits;
		if (bits == -1L) {
			this.fullFdsBits[wordIndex(word)] |= 1L << word;
		}
	}

	@Override
	void clear(int fd) {
		int word = wordIndex(fd);
		long bits = this.openFds[word];
		this.openFds[word] = bits & ~(1L << fd);
		if (bits == -1L) {
			this.fullFdsBits[wordIndex(word)] &= ~(1L << word);
		}
	}

	@Override
	TwoLevelBitmap newMap(int capacity, SearchCounters counters) {
		return new TwoLevelBitmap(capacity, counters);
	}

	@Override
	final void summarise() {
		markFull(this.openFds, this.fullFdsBits);
	}

	@Override
	final long[] fullFdsBits() {
		return this.fullFdsBits.clone();
	}

	@Override
	void checkInvariants() {
		if (!Arrays.equals(super.fullFdsBits(), this.fullFdsBits)) {
			throw new IllegalStateException("I3, I4, I5: full_fds_bits is not the map of the full words");
		}
	}

}
