package io.fdtable.kernel;

import java.util.function.IntFunction;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Guards the guards: three bugs that Linux once had in its two-level map are brought back
 * one by one, and the checks that pass on the map in use must fail on each of them.
 */
class BitmapMutantsTest {

	/** One way to be wrong. */
	private enum Fault {

		/** B4: the summary is copied in whole words of 4096 descriptors. */
		WHOLE_WORD_COPY,

		/** B2: what lies behind the copied summary keeps what the memory held before. */
		UNTRIMMED_TAIL,

		/** B8: the end of the search is compared with {@code >}. */
		GREATER_FOR_GREATER_OR_EQUAL

	}

	private static FdBitmap inUse(int capacity) {
		return Allocator.WORD_FIRST.newBitmap(capacity, new SearchCounters());
	}

	/** A cut that keeps one of two full words: the next free descriptor is the cut. */
	private static void checkCut(IntFunction<FdBitmap> maps) {
		FdBitmap map = maps.apply(128);
		setAll(map, 128);
		FdBitmap copy = map.copy(64, 128, new SearchCounters());
		copy.checkInvariants();
		assertThat(copy.findNextFd(0)).isEqualTo(64);
	}

	/** A copy into a wider map: the words that are new there are not full. */
	private static void checkTail(IntFunction<FdBitmap> maps) {
		FdBitmap map = maps.apply(4096);
		setAll(map, 4096);
		FdBitmap copy = map.copy(4096, 8192, new SearchCounters());
		copy.checkInvariants();
		assertThat(copy.findNextFd(0)).isEqualTo(4096);
	}

	/** A full map: the answer is its width, and nothing past its end is read. */
	private static void checkFull(IntFunction<FdBitmap> maps) {
		FdBitmap map = maps.apply(4096);
		setAll(map, 4096);
		assertThat(map.findNextFd(0)).isEqualTo(4096);
	}

	private static void setAll(FdBitmap map, int end) {
		for (int fd = 0; fd < end; fd++) {
			map.set(fd);
		}
	}

	@Test
	void mapInUse_passesEveryCheck() {
		assertThatCode(() -> checkCut(BitmapMutantsTest::inUse)).doesNotThrowAnyException();
		assertThatCode(() -> checkTail(BitmapMutantsTest::inUse)).doesNotThrowAnyException();
		assertThatCode(() -> checkFull(BitmapMutantsTest::inUse)).doesNotThrowAnyException();
	}

	@Test
	void b4_wholeWordCopyOfTheSummary_isCaught() {
		assertThatThrownBy(() -> checkCut((capacity) -> new Mutant(capacity, Fault.WHOLE_WORD_COPY)))
			.hasMessageContaining("I3");
	}

	@Test
	void b2_untrimmedTail_isCaught() {
		assertThatThrownBy(() -> checkTail((capacity) -> new Mutant(capacity, Fault.UNTRIMMED_TAIL)))
			.hasMessageContaining("I3");
	}

	@Test
	void b8_greaterForGreaterOrEqual_isCaught() {
		assertThatThrownBy(() -> checkFull((capacity) -> new Mutant(capacity, Fault.GREATER_FOR_GREATER_OR_EQUAL)))
			.isInstanceOf(ArrayIndexOutOfBoundsException.class);
	}

	/** Linux's two-level map, once more and with one fault. */
	private static final class Mutant extends FdBitmap {

		private final Fault fault;

		private final long[] full;

		Mutant(int capacity, Fault fault) {
			super(capacity, new SearchCounters());
			this.fault = fault;
			this.full = new long[wordsFor(this.openFds.length)];
		}

		@Override
		int findNextFd(int start) {
			int word = wordIndex(start);
			while (isInside(word) && isFull(word)) {
				word++;
			}
			if (!isInside(word)) {
				return capacity();
			}
			long free = ~this.openFds[word];
			return (word << 6) + Long.numberOfTrailingZeros(free);
		}

		private boolean isInside(int word) {
			return (this.fault == Fault.GREATER_FOR_GREATER_OR_EQUAL) ? !(word > this.openFds.length)
					: !(word >= this.openFds.length);
		}

		private boolean isFull(int word) {
			return (this.full[wordIndex(word)] & (1L << word)) != 0;
		}

		@Override
		void set(int fd) {
			int word = wordIndex(fd);
			this.openFds[word] |= 1L << fd;
			if (this.openFds[word] == -1L) {
				this.full[wordIndex(word)] |= 1L << word;
			}
		}

		@Override
		void clear(int fd) {
			int word = wordIndex(fd);
			this.openFds[word] &= ~(1L << fd);
			this.full[wordIndex(word)] &= ~(1L << word);
		}

		@Override
		FdBitmap newMap(int capacity, SearchCounters counters) {
			return new Mutant(capacity, this.fault);
		}

		@Override
		void summarise() {
			// The faults are in copying the summary, as Linux does.
		}

		@Override
		FdBitmap copy(int bits, int capacity, SearchCounters copyCounters) {
			Mutant copy = new Mutant(capacity, this.fault);
			System.arraycopy(this.openFds, 0, copy.openFds, 0, wordIndex(bits));
			int words = wordsFor(wordIndex(bits));
			System.arraycopy(this.full, 0, copy.full, 0, words);
			if (this.fault != Fault.WHOLE_WORD_COPY && wordIndex(bits) % 64 != 0) {
				copy.full[words - 1] &= -1L >>> -wordIndex(bits);
			}
			if (this.fault == Fault.UNTRIMMED_TAIL) {
				for (int i = words; i < copy.full.length; i++) {
					copy.full[i] = -1L;
				}
			}
			return copy;
		}

		@Override
		long[] fullFdsBits() {
			return this.full.clone();
		}

		@Override
		void checkInvariants() {
			for (int bit = 0; bit < this.full.length * Long.SIZE; bit++) {
				boolean expected = bit < this.openFds.length && this.openFds[bit] == -1L;
				if (isFull(bit) != expected) {
					throw new IllegalStateException("I3, I4, I5: bit " + bit + " of the summary is wrong");
				}
			}
		}

	}

}
