package io.fdtable.kernel;

/**
 * The map of open descriptors of one {@link FdTable}, with whatever summary its strategy
 * keeps to find the lowest free number.
 *
 * <p>
 * This class holds the bits; a subclass holds the summary and the search. Every subclass
 * answers the same number to the same question. The capacity never changes. Guarded by
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

	/** Sets a bit, which may be set already, and brings the summary in line. */
	abstract void set(int fd);

	/** Clears a bit, which may be clear already, and brings the summary in line. */
	abstract void clear(int fd);

	/**
	 * Copies the lowest bits into a new map of the same strategy; all others are clear
	 * there.
	 * @param bits how many bits to copy, a multiple of 64 that neither capacity is below
	 * @param capacity the capacity of the new map, a multiple of 64
	 * @param counters the counters of the table that the new map is for
	 */
	abstract FdBitmap copy(int bits, int capacity, SearchCounters counters);

	/**
	 * Returns the summary as {@code full_fds_bits} would hold it: bit k is set exactly
	 * when word k of the map is all ones.
	 */
	abstract long[] fullFdsBits();

	/** Throws {@link IllegalStateException} where the summary contradicts the bits. */
	abstract void checkInvariants();

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
