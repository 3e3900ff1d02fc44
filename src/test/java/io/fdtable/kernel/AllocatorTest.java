package io.fdtable.kernel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards the promise that a strategy changes what a search costs and never what it
 * answers: the same random calls go to a table of every strategy, with next_fd and
 * without, and to a plain set of taken numbers. Also guards what FAST_ALLOC promises
 * instead.
 */
class AllocatorTest {

	/** Fewer under mutation, where each run only asks whether there is a difference. */
	private static final int STEPS = Integer.getInteger("random.steps", 1500);

	private static final int LIMIT = 9000;

	private final Sysctl sysctl = Sysctl.unbounded();

	private final OpenFile file = new ProcessTree(this.sysctl).openFile(null, FileKind.OPAQUE, 0, null);

	private static Stream<AllocatorOptions> lowestFirst() {
		return Arrays.stream(Allocator.values())
			.filter(Allocator::isLowestFirst)
			.flatMap((allocator) -> Stream.of(true, false).map((hint) -> new AllocatorOptions(allocator, hint)));
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void everyStrategy_randomCalls_answersAsThePlainModel(long seed) {
		Random random = new Random(seed);
		List<FilesStruct> tables = new ArrayList<>(
				lowestFirst().map((options) -> new FilesStruct(this.sysctl, options)).toList());
		assertThat(tables).hasSize(12);
		BitSet taken = new BitSet();
		BitSet reserved = new BitSet();
		tables.forEach((table) -> install(table, table.allocFd(0, LIMIT, false)));
		taken.set(0);
		for (int step = 0; step < STEPS; step++) {
			switch (random.nextInt(12)) {
				case 0, 1, 2 -> {
					int count = 1 << random.nextInt(9);
					for (int i = 0; i < count; i++) {
						allocate(tables, taken, reserved, 0, random.nextInt(50) != 0);
					}
				}
				case 3, 4 -> allocate(tables, taken, reserved, random.nextInt(taken.length() + 70), true);
				case 5, 6, 7 -> close(tables, taken, reserved, random.nextInt(taken.length()));
				case 8 -> {
					int target = random.nextInt((random.nextInt(8) == 0) ? LIMIT : taken.length() + 10);
					dup2(tables, taken, reserved, target);
				}
				case 9 -> {
					int first = 1 + random.nextInt(taken.length());
					int last = first + random.nextInt(1 << random.nextInt(13));
					for (FilesStruct table : tables) {
						table.closeRange(new FdRange(first, last));
					}
					BitSet kept = (BitSet) reserved.clone();
					taken.clear(first, last + 1);
					taken.or(kept);
				}
				case 10 -> {
					int fd = reserved.nextSetBit(random.nextInt(taken.length()));
					if (fd >= 0) {
						boolean install = random.nextBoolean();
						tables.forEach((table) -> installOrRelease(table, fd, install));
						reserved.clear(fd);
						taken.set(fd, install);
					}
				}
				default -> {
					if (random.nextInt(10) == 0) {
						tables.replaceAll((table) -> table.dupFd(null));
						taken.andNot(reserved);
						reserved.clear();
					}
				}
			}
			for (FilesStruct table : tables) {
				table.checkInvariants();
				assertThat(taken(table)).as("seed %s, step %s, %s", seed, step, table.options()).isEqualTo(taken);
			}
		}
	}

	private void allocate(List<FilesStruct> tables, BitSet taken, BitSet reserved, int start, boolean install) {
		int expected = taken.nextClearBit(start);
		for (FilesStruct table : tables) {
			if (expected >= LIMIT) {
				assertThatExceptionOfType(SyscallException.class).isThrownBy(() -> table.allocFd(start, LIMIT, false))
					.matches((ex) -> ex.errno() == Errno.EMFILE);
			}
			else {
				assertThat(table.allocFd(start, LIMIT, false)).as("%s", table.options()).isEqualTo(expected);
				if (install) {
					install(table, expected);
				}
			}
		}
		if (expected < LIMIT) {
			taken.set(expected);
			reserved.set(expected, !install);
		}
	}

	private void close(List<FilesStruct> tables, BitSet taken, BitSet reserved, int fd) {
		// Descriptor 0 stays, for dup2.
		if (fd != 0 && taken.get(fd) && !reserved.get(fd)) {
			tables.forEach((table) -> table.close(fd));
			taken.clear(fd);
		}
	}

	private void dup2(List<FilesStruct> tables, BitSet taken, BitSet reserved, int target) {
		if (!reserved.get(target)) {
			tables.forEach((table) -> table.dup2(0, target, LIMIT));
			taken.set(target);
		}
	}

	private void install(FilesStruct table, int fd) {
		this.file.acquire();
		table.fdInstall(fd, this.file);
	}

	private void installOrRelease(FilesStruct table, int fd, boolean install) {
		if (install) {
			install(table, fd);
		}
		else {
			table.putUnusedFd(fd);
		}
	}

	private static BitSet taken(FilesStruct table) {
		return BitSet.valueOf(table.bitmaps().openFds());
	}

	@ParameterizedTest
	@EnumSource
	void bitmaps_fullFdsBits_isTheMapOfFullWords(Allocator allocator) {
		FilesStruct table = new FilesStruct(this.sysctl, allocator);
		for (int fd = 0; fd < 4096 + 64; fd++) {
			table.allocFd(0, LIMIT, false);
		}
		table.putUnusedFd(130);
		FdBitmaps bitmaps = table.bitmaps();
		assertThat(bitmaps.capacity()).isEqualTo(8192);
		assertThat(bitmaps.fullFdsBits()).containsExactly(~(1L << 2), 1L);
	}

	@Test
	void statistics_options_areThoseOfTheTableAndItsCopies() {
		AllocatorOptions options = new AllocatorOptions(Allocator.CACHE_LINE, false);
		FilesStruct table = new FilesStruct(this.sysctl, options);
		assertThat(table.statistics().options()).isEqualTo(options);
		assertThat(table.dupFd(null).statistics().options()).isEqualTo(options);
	}

	@Test
	void allocFd_withoutHint_leavesNextFdAtZero() {
		FilesStruct table = new FilesStruct(this.sysctl, new AllocatorOptions(Allocator.WORD_FIRST, false));
		table.allocFd(0, LIMIT, false);
		table.allocFd(0, LIMIT, false);
		assertThat(table.statistics().nextFd()).isZero();
		assertThat(table.statistics().hintHits()).isEqualTo(1);
	}

	@Test
	void fastAlloc_afterClose_answersTheNumberClosedLast() {
		FilesStruct table = filled(Allocator.FAST_ALLOC, 100);
		table.close(10);
		table.close(70);
		assertThat(table.allocFd(0, LIMIT, false)).isEqualTo(70);
		// Next fit: on from 70, not back to 10.
		assertThat(table.allocFd(0, LIMIT, false)).isEqualTo(100);
		table.checkInvariants();
	}

	@Test
	void fastAlloc_nothingFreeAbove_startsOverBeforeItGrowsOrFails() {
		FilesStruct table = filled(Allocator.FAST_ALLOC, 128);
		table.close(10);
		table.close(127);
		assertThat(table.allocFd(0, 128, false)).isEqualTo(127);
		assertThat(table.allocFd(0, 128, false)).isEqualTo(10);
		assertThatExceptionOfType(SyscallException.class).isThrownBy(() -> table.allocFd(0, 128, false))
			.matches((ex) -> ex.errno() == Errno.EMFILE);
		assertThat(table.statistics().capacity()).isEqualTo(128);
	}

	@Test
	void fastAlloc_randomCalls_answersFreeNumbersInRangeAndKeepsNextFd() {
		Random random = new Random(4);
		FilesStruct table = filled(Allocator.FAST_ALLOC, 1);
		BitSet taken = taken(table);
		for (int step = 0; step < 3000; step++) {
			int start = random.nextInt(4) == 0 ? random.nextInt(2000) : 0;
			int end = start + 1 + random.nextInt(2000);
			boolean room = taken.nextClearBit(start) < end;
			if (random.nextInt(5) < 3 && room) {
				int fd = table.allocFd(start, end, false);
				assertThat(fd).isBetween(start, end - 1);
				assertThat(taken.get(fd)).as("%s was free", fd).isFalse();
				install(table, fd);
				taken.set(fd);
			}
			else {
				int fd = taken.nextSetBit(random.nextInt(taken.length()));
				if (fd > 0) {
					table.close(fd);
					taken.clear(fd);
				}
			}
			assertThat(taken(table)).isEqualTo(taken);
			assertThat(table.statistics().nextFd()).isZero();
			table.checkInvariants();
		}
	}

	private FilesStruct filled(Allocator allocator, int count) {
		FilesStruct table = new FilesStruct(this.sysctl, allocator);
		for (int i = 0; i < count; i++) {
			install(table, table.allocFd(0, LIMIT, false));
		}
		return table;
	}

}
