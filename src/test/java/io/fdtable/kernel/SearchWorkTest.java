package io.fdtable.kernel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards what each strategy is for: the number of words that its searches read. The
 * figures are exact; a change that costs one more read per search fails here and needs no
 * clock.
 */
class SearchWorkTest {

	private static final int MILLION = 1 << 20;

	private final Sysctl sysctl = new Sysctl(1 << 24, Long.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);

	/** Words read by one search from {@code start} in a map that is full below n. */
	private static long work(FdBitmap map, int start, int expected) {
		long before = map.counters.wordsRead;
		assertThat(map.findNextFd(start)).isEqualTo(expected);
		return map.counters.wordsRead - before;
	}

	private static FdBitmap fullBelow(Allocator allocator, int n, int capacity) {
		FdBitmap map = allocator.newBitmap(capacity, new SearchCounters());
		for (int fd = 0; fd < n; fd++) {
			map.set(fd);
		}
		return map;
	}

	@ParameterizedTest
	@CsvSource({
			// n/64 words and the one with the hole
			"ONE_LEVEL, 15626",
			// n/4096 summary words, the one with the hole, the word with the hole
			"TWO_LEVEL, 246",
			// and the first word, read in vain
			"LOW_WORD_FIRST, 247", "WORD_FIRST, 247", "FAST_ALLOC, 247",
			// n/32768 summary words, the one with the hole, and here 2 of the line
			"CACHE_LINE, 33",
			// up from the map to the fourth level, and down again: 2 * 4 - 1
			"SUMMARY_TREE, 7" })
	void findNextFd_fullBelowAMillion_readsAsManyWords(Allocator allocator, int words) {
		assertThat(work(fullBelow(allocator, 1_000_000, MILLION), 3, 1_000_000)).isEqualTo(words);
	}

	@ParameterizedTest
	@EnumSource
	void findNextFd_roomInTheWordOfStart_readsOneWordOrTwo(Allocator allocator) {
		FdBitmap map = fullBelow(allocator, 40, MILLION);
		int expected = switch (allocator) {
			// These cannot answer before they have read the summary.
			case TWO_LEVEL, CACHE_LINE -> 2;
			default -> 1;
		};
		assertThat(work(map, 3, 40)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "ONE_LEVEL, 1", "TWO_LEVEL, 2", "LOW_WORD_FIRST, 2", "WORD_FIRST, 1", "CACHE_LINE, 2", "FAST_ALLOC, 1",
			"SUMMARY_TREE, 1" })
	void findNextFd_roomInAHigherWordOfStart_onlyWordFirstSavesTheSummary(Allocator allocator, int words) {
		assertThat(work(fullBelow(allocator, 6500, 8192), 6470, 6500)).isEqualTo(words);
	}

	/**
	 * The slow case of F_DUPFD: the only hole in the word of the minimum lies below it.
	 */
	@ParameterizedTest
	@CsvSource({ "ONE_LEVEL, 15626",
			// the summary word says "room here", then the map is read to the end
			"TWO_LEVEL, 15627", "WORD_FIRST, 15628", "FAST_ALLOC, 15628",
			// and the first word once more
			"LOW_WORD_FIRST, 15628",
			// 1 of the summary and 8 of the line in vain, then as if from the next line
			"CACHE_LINE, 42", "SUMMARY_TREE, 7" })
	void findNextFd_holeBelowStartInItsWord_isSlowInTheTwoLevelMapOnly(Allocator allocator, int words) {
		FdBitmap map = fullBelow(allocator, 1_000_000, MILLION);
		map.clear(5);
		assertThat(work(map, 6, 1_000_000)).isEqualTo(words);
	}

	@ParameterizedTest
	@ValueSource(ints = { 64, 4096, 20_000, 262_144, 262_208, 1_000_000, 10_000_000 })
	void summaryTree_anySizeAndStart_readsAtMostOneWordPerLevelUpAndDown(int capacity) {
		int whole = (capacity + 63) & -64;
		FdBitmap map = fullBelow(Allocator.SUMMARY_TREE, whole, whole);
		int levels = (int) Math.ceil(Math.log(whole) / Math.log(64) - 1e-9);
		for (int hole = 1; hole < whole; hole += 1 + whole / 13) {
			map.clear(hole);
			map.clear(whole - 1);
			for (int start = 0; start < whole; start += 1 + whole / 97) {
				int expected = (start <= hole) ? hole : whole - 1;
				assertThat(work(map, start, expected)).isBetween(1L, 2L * levels - 1);
			}
			map.set(hole);
		}
	}

	/**
	 * Step i finds number i + 4. Where that is the width of the table, everything is full
	 * and the table grows.
	 */
	@Test
	void linusLoop_131072Steps_readsWhatTheModelSays() {
		int steps = 1 << 17;
		long oneLevel = 0;
		long twoLevel = 0;
		for (int fd = 4; fd < steps + 4; fd++) {
			boolean grows = fd >= 64 && Integer.bitCount(fd) == 1;
			int words = fd / 64;
			oneLevel += grows ? words : words + 1;
			twoLevel += grows ? Math.ceilDiv(words, 64) : words / 64 + 2;
		}
		// The word of start has room for the first 60 numbers, and is read in vain later.
		long wordFirst = twoLevel + steps - 2 * 60;
		assertThat(linusLoop(Allocator.ONE_LEVEL, steps)).isEqualTo(oneLevel).isEqualTo(134_291_444L);
		assertThat(linusLoop(Allocator.TWO_LEVEL, steps)).isEqualTo(twoLevel).isEqualTo(2_293_870L);
		assertThat(linusLoop(Allocator.LOW_WORD_FIRST, steps)).isEqualTo(wordFirst);
		assertThat(linusLoop(Allocator.WORD_FIRST, steps)).isEqualTo(wordFirst);
		// Five words and not more, up to 262,144 numbers: three up and two down.
		assertThat(linusLoop(Allocator.SUMMARY_TREE, steps)).isBetween(4L * steps, 5L * steps);
	}

	/** Repeats close(3); dup2(0, 3); dup(0), and returns the words read. */
	private long linusLoop(Allocator allocator, int steps) {
		FilesStruct table = new FilesStruct(this.sysctl, allocator);
		OpenFile file = new ProcessTree(this.sysctl).openFile(null, FileKind.OPAQUE, 0, null);
		table.fdInstall(table.allocFd(0, 64, false), file);
		for (int i = 1; i < 4; i++) {
			table.dup(0, 0, 64, false);
		}
		long before = table.statistics().wordsRead();
		for (int i = 0; i < steps; i++) {
			table.close(3);
			table.dup2(0, 3, steps + 10);
			assertThat(table.dup(0, 0, steps + 10, false)).isEqualTo(i + 4);
		}
		return table.statistics().wordsRead() - before;
	}

	/** Opening n descriptors in a row: what the hint is for. */
	@ParameterizedTest
	@CsvSource({
			// One word each; where the table is full there is nothing to search.
			"ONE_LEVEL, true, 16376", "TWO_LEVEL, true, 32752", "WORD_FIRST, true, 16376", "SUMMARY_TREE, true, 16376",
			// The sum of i/64 + 1, less what growing saves: quadratic.
			"ONE_LEVEL, false, 2105336",
			// About 4.5 words each at this size: quadratic, with a 64th of the factor.
			"WORD_FIRST, false, 73590", "SUMMARY_TREE, false, 73588" })
	void sequentialFill_hint_readsOneWordEach(Allocator allocator, boolean hint, long words) {
		int count = 16_384;
		FilesStruct table = new FilesStruct(this.sysctl, new AllocatorOptions(allocator, hint));
		for (int fd = 0; fd < count; fd++) {
			assertThat(table.allocFd(0, count, false)).isEqualTo(fd);
		}
		assertThat(table.statistics().wordsRead()).isEqualTo(words);
	}

	@ParameterizedTest
	@CsvSource({ "ONE_LEVEL, 4, 0, 4", "TWO_LEVEL, 0, 4, 8", "LOW_WORD_FIRST, 4, 0, 4", "WORD_FIRST, 4, 0, 4",
			"CACHE_LINE, 0, 4, 8", "SUMMARY_TREE, 4, 0, 4" })
	void statistics_fourSearchesThatHitTheHint_countedExactly(Allocator allocator, int wordHits, int summarySearches,
			int wordsRead) {
		FilesStruct table = new FilesStruct(this.sysctl, allocator);
		for (int fd = 0; fd < 2; fd++) {
			table.allocFd(0, 1024, false);
		}
		table.allocFd(60, 1024, false);
		table.putUnusedFd(0);
		table.allocFd(0, 1024, false);
		TableStatistics statistics = table.statistics();
		assertThat(statistics.searches()).isEqualTo(4);
		assertThat(statistics.hintHits()).isEqualTo(4);
		assertThat(statistics.wordHits()).isEqualTo(wordHits);
		assertThat(statistics.summarySearches()).isEqualTo(summarySearches);
		assertThat(statistics.wordsRead()).isEqualTo(wordsRead);
	}

	/** A search that the word of its start cannot answer counts once, hit or miss. */
	@Test
	void summaryTree_wordOfStartFull_countsOneSummarySearch() {
		FdBitmap map = fullBelow(Allocator.SUMMARY_TREE, 65, 4096);
		assertThat(map.findNextFd(3)).isEqualTo(65);
		assertThat(map.counters.summarySearches).isEqualTo(1);
		assertThat(map.counters.wordHits).isZero();
		FdBitmap full = fullBelow(Allocator.SUMMARY_TREE, 4096, 4096);
		assertThat(full.findNextFd(3)).isEqualTo(4096);
		assertThat(full.counters.summarySearches).isEqualTo(1);
		assertThat(full.counters.wordHits).isZero();
	}

}
