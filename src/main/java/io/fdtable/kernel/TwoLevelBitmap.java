package io.fdtable.kernel;

import java.util.Arrays;

/**
 * The two-level map of mainline Linux since v6.13: one summary bit per word.
 */
final class TwoLevelBitmap extends FdBitmap {

	/*
	 * Theory. A table of n descriptors is n/64 words. Closing a low descriptor pulls
	 * next_fd down, and a search that starts there would read every full word above it
	 * again: n/64 words for one descriptor, which is how an allocation of ten million
	 * took 15 us in 2015. One bit per word, "this word is all ones", lets the search skip
	 * 64 full words, 4096 descriptors, with each summary word it reads: at most n/4096 +
	 * 1 words to the first word with a hole, then one more for the hole.
	 *
	 * The word that the search starts in is read before the summary. It costs one read
	 * when the word is full, and saves the summary read when it is not, which is the
	 * usual case: next_fd mostly points into a word with room.
	 *
	 * A wrong 1 in the summary would hide free descriptors for good; a wrong 0 would only
	 * cost time. Both directions are kept exact. Bits beyond the last word of the map
	 * stay 0, so a copy into a wider table must copy bits and not whole summary words: a
	 * summary word speaks of 4096 descriptors, and a table that is cut off in the middle
	 * of them would inherit ones for words it does not have.
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
		int word = wordIndex(start);
		this.counters.wordsRead++;
		long free = ~this.openFds[word] & (-1L << start);
		if (free != 0) {
			this.counters.wordHits++;
			return (word << 6) + Long.numberOfTrailingZeros(free);
		}
		this.counters.summarySearches++;
		word = nextClear(this.fullFdsBits, word, this.openFds.length);
		if (word >= this.openFds.length) {
			return capacity();
		}
		return nextClear(this.openFds, Math.max(start, word << 6), capacity());
	}

	@Override
	void set(int fd) {
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
	FdBitmap copy(int bits, int capacity, SearchCounters counters) {
		TwoLevelBitmap copy = new TwoLevelBitmap(capacity, counters);
		int words = wordIndex(bits);
		System.arraycopy(this.openFds, 0, copy.openFds, 0, words);
		int fullWords = wordsFor(words);
		System.arraycopy(this.fullFdsBits, 0, copy.fullFdsBits, 0, fullWords);
		if ((words & 63) != 0) {
			copy.fullFdsBits[fullWords - 1] &= -1L >>> -words;
		}
		return copy;
	}

	@Override
	long[] fullFdsBits() {
		return this.fullFdsBits.clone();
	}

	@Override
	void checkInvariants() {
		long[] expected = new long[this.fullFdsBits.length];
		for (int word = 0; word < this.openFds.length; word++) {
			if (this.openFds[word] == -1L) {
				expected[wordIndex(word)] |= 1L << word;
			}
		}
		if (!Arrays.equals(expected, this.fullFdsBits)) {
			throw new IllegalStateException("I3, I4, I5: full_fds_bits is not the map of the full words");
		}
	}

	/** Finds the lowest clear bit at or above {@code from}, or {@code size}. */
	private int nextClear(long[] map, int from, int size) {
		int word = wordIndex(from);
		int end = wordsFor(size);
		long clear = ~map[word] & (-1L << from);
		long read = 1;
		while (clear == 0 && ++word < end) {
			clear = ~map[word];
			read++;
		}
		this.counters.wordsRead += read;
		return (clear != 0) ? Math.min((word << 6) + Long.numberOfTrailingZeros(clear), size) : size;
	}

}
