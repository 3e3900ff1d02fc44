package io.fdtable.kernel;

import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the search of every allocator: from any start it finds the lowest clear bit, or
 * answers the capacity.
 */
class FdBitmapTest {

	private static FdBitmap bitmap(Allocator allocator, int capacity, int taken) {
		FdBitmap bitmap = allocator.newBitmap(capacity, new SearchCounters());
		IntStream.range(0, taken).forEach(bitmap::set);
		return bitmap;
	}

	@ParameterizedTest(name = "B8: {0}")
	@EnumSource
	void findNextFd_fullTable_returnsCapacityAndReadsNoWordPastTheEnd(Allocator allocator) {
		for (int capacity : new int[] { 64, 128, 960, 4032, 4096, 4160, 8192 }) {
			FdBitmap bitmap = bitmap(allocator, capacity, capacity);
			for (int start = 0; start < capacity; start++) {
				assertThat(bitmap.findNextFd(start)).isEqualTo(capacity);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void findNextFd_holeOnlyBelowStartInItsWord_findsNextHoleAbove(Allocator allocator) {
		FdBitmap bitmap = bitmap(allocator, 8192, 8000);
		bitmap.clear(70);
		assertThat(bitmap.findNextFd(0)).isEqualTo(70);
		assertThat(bitmap.findNextFd(70)).isEqualTo(70);
		assertThat(bitmap.findNextFd(71)).isEqualTo(8000);
		assertThat(bitmap.findNextFd(127)).isEqualTo(8000);
		assertThat(bitmap.findNextFd(128)).isEqualTo(8000);
	}

	@ParameterizedTest
	@EnumSource
	void findNextFd_oneHole_isFoundFromEveryStartAtOrBelowIt(Allocator allocator) {
		int capacity = 4160;
		for (int hole : new int[] { 0, 1, 63, 64, 127, 4095, 4096, 4159 }) {
			FdBitmap bitmap = bitmap(allocator, capacity, capacity);
			bitmap.clear(hole);
			for (int start = 0; start < capacity; start++) {
				assertThat(bitmap.findNextFd(start)).isEqualTo((start <= hole) ? hole : capacity);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void findNextFd_randomMap_agreesWithSortedSet(Allocator allocator) {
		for (long seed = 0; seed < 20; seed++) {
			Random random = new Random(seed);
			int capacity = 64 * (1 + random.nextInt(100));
			FdBitmap bitmap = bitmap(allocator, capacity, 0);
			TreeSet<Integer> free = new TreeSet<>(IntStream.range(0, capacity).boxed().toList());
			for (int i = 0; i < 5000; i++) {
				int fd = random.nextInt(capacity);
				if (random.nextInt(10) < 7) {
					bitmap.set(fd);
					free.remove(fd);
				}
				else {
					bitmap.clear(fd);
					free.add(fd);
				}
				int start = random.nextInt(capacity);
				Integer expected = free.ceiling(start);
				assertThat(bitmap.findNextFd(start)).as("seed %d", seed)
					.isEqualTo((expected != null) ? expected : capacity);
			}
			bitmap.checkInvariants();
			assertThat(bitmap.cardinality()).isEqualTo(capacity - free.size());
		}
	}

	@ParameterizedTest(name = "B4: {0}")
	@EnumSource
	void copy_partOfASummaryWord_copiesBitsAndNotWords(Allocator allocator) {
		FdBitmap bitmap = bitmap(allocator, 8192, 8192);
		for (int bits : new int[] { 64, 128, 4032, 4096, 4160, 8192 }) {
			for (int capacity = bits; capacity <= 16384; capacity *= 2) {
				FdBitmap copy = bitmap.copy(bits, capacity, new SearchCounters());
				copy.checkInvariants();
				assertThat(copy.fullFdsBits()).hasSize((capacity + 4095) / 4096);
				assertThat(IntStream.of(0, bits - 1).allMatch(copy::get)).isTrue();
				assertThat(copy.cardinality()).isEqualTo(bits);
				assertThat(copy.findNextFd(0)).isEqualTo(bits);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void lastSet_and_nextSet_atTheEdgesOfWords_findTheirBit(Allocator allocator) {
		FdBitmap bitmap = bitmap(allocator, 256, 0);
		assertThat(bitmap.lastSet(256)).isEqualTo(-1);
		assertThat(bitmap.nextSet(0)).isEqualTo(256);
		for (int fd : new int[] { 0, 63, 64, 127, 255 }) {
			bitmap.set(fd);
			assertThat(bitmap.lastSet(256)).isEqualTo(fd);
			assertThat(bitmap.lastSet(fd + 1)).isEqualTo(fd);
			assertThat(bitmap.nextSet(fd)).isEqualTo(fd);
			assertThat(bitmap.nextSet(fd + 1)).isEqualTo(256);
		}
		assertThat(bitmap.lastSet(0)).isEqualTo(-1);
		assertThat(bitmap.lastSet(255)).isEqualTo(127);
		assertThat(bitmap.nextSet(65)).isEqualTo(127);
	}

}
