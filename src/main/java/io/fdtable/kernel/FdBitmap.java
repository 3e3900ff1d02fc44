package io.fdtable.kernel;

/**
 * The map of open descriptors of one {@link FdTable}, with whatever summary its strategy
 * keeps to find the lowest free number.
 *
 * <p>
 * This class holds the bits; a subclass holds the summary and the search. Every subclass
 * answers the same number to {@link #findNextFd}. The capacity never changes. Guarded by
 * the {@code fileLock} of the owner.
 */
abstract class FdBitmap {

	/** One bit per descriptor, set while it is reserved or installed. */
	final long[] openFds;

	final SearchCounters counters;

	FdBitmap(int capacity, SearchCounters counters) {
		this.openFds = new long[wordIndex(capacity)];
		this.counters = counters;
	}

	/**
	 * Finds the lowest clear bit.
	 * @param start the lowest acceptable bit, 0 to {@code capacity() - 1}
	 * @return the bit, or {@code capacity()} if there is none
	 */
	abstract int findNextFd(int start);

	/**
	 * Finds the clear bit to hand out next: the lowest, unless the strategy does without
	 * that promise.
	 * @param start the lowest acceptable bit, 0 to {@code capacity() - 1}
	 * @param end one past the highest acceptable bit
	 * @return the bit, or a number that is not below both {@code end} and
	 * {@code capacity()} if there is none
	 */
	int findFreeFd(int start, int end) {
		return findNextFd(start);
	}

	/** Sets a bit, which may be set already, and brings the summary in line. */
	abstract void set(int fd);

	/** Clears a bit, which may be clear already, and brings the summary in line. */
	abstract void clear(int fd);

	/** Creates an empty map of the same strategy. */
	abstract FdBitmap newMap(int capacity, SearchCounters counters);

	/** Computes the summary from the bits of a map that has had no summary so far. */
	abstract void summarise();

	/**
	 * Copies the lowest bits into a new map of the same strategy; all others are clear
	 * there.
	 * @param bits how many bits to copy, a multiple of 64 that neither capacity is below
	 * @param capacity the capacity of the new map, a multiple of 64
	 * @param counters the counters of the table that the new map is for
	 */
	FdBitmap copy(int bits, int capacity, SearchCounters counters) {
		FdBitmap copy = newMap(capacity, counters);
		System.arraycopy(this.openFds, 0, copy.openFds, 0, wordIndex(bits));
		copy.summarise();
		return copy;
	}

	/**
	 * Returns what {@code full_fds_bits} would hold: bit k is set exactly when word k of
	 * the map is all ones.
	 */
	long[] fullFdsBits() {
		long[] full = new long[wordsFor(this.openFds.length)];
		markFull(this.openFds, full);
		return full;
	}

	/** Sets bit k of an empty summary for each word k of a map that is all ones. */
	static void markFull(long[] map, long[] summary) {
		for (int word = 0; word < map.length; word++) {
			if (map[word] == -1L) {
				summary[wordIndex(word)] |= 1L << word;
			}
		}
	}

	/** Throws {@link IllegalStateException} where the summary contradicts the bits. */
	void checkInvariants() {
		// Without a summary there is nothing to contradict.
	}

	/**
	 * Finds the lowest clear bit at or above {@code start} in the word of {@code start},
	 * or answers -1. Reads one word.
	 */
	final int clearInWord(int start) {
		int word = wordIndex(start);
		this.counters.wordsRead++;
		long clear = ~this.openFds[word] & (-1L << start);
		if (clear == 0) {
			return -1;
		}
		this.counters.wordHits++;
		return (word << 6) + Long.numberOfTrailingZeros(clear);
	}

	/**
	 * Finds the lowest clear bit at or above {@code from}, or {@code size}, and counts
	 * the words that it reads.
	 * @param map the map or a summary
	 * @param from the lowest bit to look at, below {@code size}
	 * @param size one past the highest bit to look at
	 */
	final int nextClear(long[] map, int from, int size) {
		int first = wordIndex(from);
		int end = wordsFor(size);
		long clear = ~map[first] & (-1L << from);
		int word = first;
		if (clear == 0) {
			// Nothing but the test: the compiler reads several words in one round of it.
			for (word++; word < end; word++) {
				if (map[word] != -1L) {
					clear = ~map[word];
					break;
				}
			}
		}
		this.counters.wordsRead += Math.min(word + 1, end) - first;
		return (clear != 0) ? Math.min((word << 6) + Long.numberOfTrailingZeros(clear), size) : size;
	}

	final int capacity() {
		return this.openFds.length << 6;
	}

	final boolean get(int fd) {
		return (this.openFds[wordIndex(fd)] & (1L << fd)) != 0;
	}

	/**
	 * Finds the highest set bit.
	 * @param end one past the highest bit to look at, 0 to {@code capacity()}
	 * @return the bit, or -1 if there is none
	 */
	final int lastSet(int end) {
		if (end == 0) {
			return -1;
		}
		int word = wordIndex(end - 1);
		long bits = this.openFds[word] & (-1L >>> -end);
		while (bits == 0) {
			if (--word < 0) {
				return -1;
			}
			bits = this.openFds[word];
		}
		return (word << 6) + 63 - Long.numberOfLeadingZeros(bits);
	}

	/** Finds the lowest set bit at or above {@code from}, or {@code capacity()}. */
	final int nextSet(int from) {
		for (int word = wordIndex(from); word < this.openFds.length; word++) {
			long bits = this.openFds[word] & maskFrom(word, from);
			if (bits != 0) {
				return (word << 6) + Long.numberOfTrailingZeros(bits);
			}
		}
		return capacity();
	}

	/**
	 * Finds the lowest clear bit at or above {@code from}, or {@code capacity()}, without
	 * the summary and without counting.
	 */
	final int nextClear(int from) {
		for (int word = wordIndex(from); word < this.openFds.length; word++) {
			long clear = ~this.openFds[word] & maskFrom(word, from);
			if (clear != 0) {
				return (word << 6) + Long.numberOfTrailingZeros(clear);
			}
		}
		return capacity();
	}

	private static long maskFrom(int word, int from) {
		return (word == wordIndex(from)) ? -1L << from : -1L;
	}

	final int cardinality() {
		int ones = 0;
		for (long word : this.openFds) {
			ones += Long.bitCount(word);
		}
		return ones;
	}

	/** Returns how many words of the map are all ones. */
	final int fullWords() {
		int full = 0;
		for (long word : this.openFds) {
			full += (word == -1L) ? 1 : 0;
		}
		return full;
	}

	/** Returns the index of the word that holds a bit. */
	static int wordIndex(int bit) {
		return bit >>> 6;
	}

	/** Returns how many words hold so many bits. */
	static int wordsFor(int bits) {
		return (bits + 63) >>> 6;
	}

}
