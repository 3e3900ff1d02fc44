package io.fdtable.kernel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.fdtable.kernel.SyscallAssertions.assertErrno;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Guards allocation: the lowest free number at or above the minimum, the limit, the hint
 * next_fd, reservation, installation and release.
 */
class FilesStructAllocTest {

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	private FilesStruct filesWithFirst(int taken) {
		FilesStruct files = this.kernel.files();
		for (int fd = 0; fd < taken; fd++) {
			assertThat(files.allocFd(0, Integer.MAX_VALUE, false)).isEqualTo(fd);
		}
		return files;
	}

	@ParameterizedTest(name = "0..{0} taken, free {1}, minimum {2}: {3}, then next_fd {4}")
	@CsvSource({
			// Without a hole.
			"9, -1, 0, 10, 11", "9, -1, 5, 10, 11", "9, -1, 10, 10, 11", "9, -1, 20, 20, 10",
			// A minimum at or below next_fd moves the hint, one above leaves it.
			"99, 7, 0, 7, 8", "99, 7, 7, 7, 8", "99, 7, 8, 100, 7", "99, 7, 50, 100, 7", "99, 7, 101, 101, 7",
			// Across words.
			"127, 63, 0, 63, 64", "127, 63, 64, 128, 63", "127, 64, 0, 64, 65", "127, 64, 1, 64, 65",
			"63, -1, 0, 64, 65", "63, 0, 1, 64, 0" })
	void allocFd_minimum_returnsLowestFreeAndKeepsTheHintBelowIt(int last, int free, int start, int fd, int nextFd) {
		FilesStruct files = filesWithFirst(last + 1);
		if (free >= 0) {
			files.putUnusedFd(free);
		}
		assertThat(files.allocFd(start, 1024, false)).isEqualTo(fd);
		assertThat(files.bitmaps().nextFd()).isEqualTo(nextFd);
	}

	@ParameterizedTest(name = "{0} taken, minimum {1}, limit {2}")
	@CsvSource({ "0, 0, 0", "10, 0, 10", "10, 0, 5", "10, 9, 10", "64, 0, 64", "64, 64, 64", "64, 0, 1", "128, 64, 128",
			"128, 127, 100" })
	void allocFd_noFreeNumberBelowLimit_isEmfileAndGrowsNothing(int taken, int start, int limit) {
		FilesStruct files = filesWithFirst(taken);
		int width = files.bitmaps().capacity();
		assertErrno(Errno.EMFILE, () -> files.allocFd(start, limit, false));
		assertThat(files.bitmaps().capacity()).isEqualTo(width);
		assertThat(files.bitmaps().nextFd()).isEqualTo(taken);
	}

	@Test
	void allocFd_limitInsideFullWord_isEmfileUntilSomethingBelowItIsFree() {
		FilesStruct files = filesWithFirst(64);
		files.putUnusedFd(50);
		assertErrno(Errno.EMFILE, () -> files.allocFd(0, 50, false));
		assertThat(files.allocFd(0, 51, false)).isEqualTo(50);
	}

	@ParameterizedTest(name = "descriptor {0}: {1} slots")
	@CsvSource({ "63, 64", "64, 128", "127, 128", "128, 256", "255, 256", "256, 512", "1023, 1024", "1024, 2048",
			"65536, 131072", "999999, 1048576" })
	void allocFd_numberBeyondTable_growsToPowerOfTwo(int fd, int width) {
		FilesStruct files = this.kernel.files();
		assertThat(files.allocFd(fd, Integer.MAX_VALUE, false)).isEqualTo(fd);
		assertThat(files.bitmaps().capacity()).isEqualTo(width);
	}

	@Test
	void allocFd_afterGrowth_keepsFilesMarksAndStaleMarks() {
		Task task = this.kernel.task();
		task.fcntl(0, Fcntl.F_DUPFD_CLOEXEC, 40);
		task.fcntl(0, Fcntl.F_DUPFD_CLOEXEC, 41);
		task.close(41);
		task.dup2(1, 200);
		FdBitmaps maps = task.files().bitmaps();
		assertThat(maps.capacity()).isEqualTo(256);
		assertThat(maps.openFds()).containsExactly(7L | 1L << 40, 0, 0, 1L << 8);
		assertThat(maps.closeOnExec()).containsExactly(3L << 40, 0, 0, 0);
		assertThat(task.fcntl(40, Fcntl.F_DUPFD_QUERY, 0)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void allocFd_staleMark_isOverwritten(boolean closeOnExec) {
		FilesStruct files = this.kernel.files();
		files.putUnusedFd(files.allocFd(0, 10, !closeOnExec));
		assertThat(files.allocFd(0, 10, closeOnExec)).isZero();
		assertThat(files.entry(0)).isNotNull().extracting(FdEntry::closeOnExec).isEqualTo(closeOnExec);
	}

	@Test
	void allocFd_sameNumberAgain_hasNewGeneration() {
		FilesStruct files = filesWithFirst(3);
		long before = files.entry(1).generation();
		files.putUnusedFd(1);
		assertThat(files.allocFd(0, 10, false)).isEqualTo(1);
		assertThat(files.entry(1).generation()).isGreaterThan(before).isEqualTo(4);
	}

	@Test
	void putUnusedFd_wordThatWasFull_clearsItsSummaryBit() {
		FilesStruct files = filesWithFirst(128);
		assertThat(files.bitmaps().fullFdsBits()).containsExactly(3L);
		files.putUnusedFd(70);
		assertThat(files.bitmaps().fullFdsBits()).containsExactly(1L);
		assertThat(files.bitmaps().nextFd()).isEqualTo(70);
		files.putUnusedFd(80);
		assertThat(files.bitmaps().nextFd()).isEqualTo(70);
	}

	@Test
	void fdInstall_reservedSlot_makesItVisible() {
		Sysctl sysctl = this.kernel.sysctl(1024);
		FilesStruct files = this.kernel.files(sysctl);
		int fd = files.allocFd(0, 10, true);
		assertThat(files.entry(fd).isReserved()).isTrue();
		assertErrno(Errno.EBADF, () -> files.closeOnExec(fd));
		OpenFile file = KernelFixture.file(sysctl);
		files.fdInstall(fd, file);
		assertThat(files.entry(fd).file()).isSameAs(file);
		assertThat(files.closeOnExec(fd)).isTrue();
		assertThat(file.count()).isEqualTo(1);
	}

	@Test
	void fdInstall_slotWithFile_isRefused() {
		Sysctl sysctl = this.kernel.sysctl(1024);
		FilesStruct files = this.kernel.files(sysctl);
		int fd = files.allocFd(0, 10, false);
		files.fdInstall(fd, KernelFixture.file(sysctl));
		OpenFile second = KernelFixture.file(sysctl);
		assertThatIllegalStateException().isThrownBy(() -> files.fdInstall(fd, second)).withMessageStartingWith("I7");
		second.release();
	}

	@Test
	void fdInstall_afterGrowthSinceReservation_isFound() {
		Sysctl sysctl = this.kernel.sysctl(1024);
		FilesStruct files = this.kernel.files(sysctl);
		int fd = files.allocFd(0, 10, false);
		files.putUnusedFd(files.allocFd(500, 1000, false));
		OpenFile file = KernelFixture.file(sysctl);
		files.fdInstall(fd, file);
		assertThat(files.entry(fd).file()).isSameAs(file);
	}

	@ParameterizedTest(name = "full up to {0}")
	@ValueSource(ints = { 64, 128, 4096, 8192 })
	void allocFd_fullTable_countsTheSearchInWords(int taken) {
		FilesStruct files = filesWithFirst(taken);
		files.putUnusedFd(0);
		files.allocFd(0, Integer.MAX_VALUE, false);
		long before = files.statistics().wordsRead();
		files.allocFd(1, Integer.MAX_VALUE, false);
		// The word of next_fd, which is full, and every word of the summary.
		assertThat(files.statistics().wordsRead() - before).isEqualTo(1 + (taken + 4095) / 4096);
	}

	@Test
	void statistics_mixedTable_countsEverySlotOnce() {
		FilesStruct files = this.kernel.task().files();
		files.allocFd(5, 100, false);
		files.allocFd(0, 100, false);
		files.putUnusedFd(files.allocFd(70, 100, false));
		TableStatistics statistics = files.statistics();
		assertThat(statistics.open()).isEqualTo(3);
		assertThat(statistics.reserved()).isEqualTo(2);
		assertThat(statistics.holes()).isEqualTo(1);
		assertThat(statistics.highest()).isEqualTo(5);
		assertThat(statistics.highWater()).isEqualTo(70);
		assertThat(statistics.capacity()).isEqualTo(128);
		assertThat(statistics.nextFd()).isEqualTo(4);
		assertThat(statistics.sharers()).isEqualTo(1);
		assertThat(statistics.fullWords()).isZero();
		assertThat(statistics.expansions()).isEqualTo(1);
		assertThat(statistics.slotsCopied()).isEqualTo(64);
	}

	@Test
	void allocFd_growth_keepsTheGenerationsOfOpenNumbers() {
		Task task = this.kernel.task();
		long first = task.files().entry(0).generation();
		long third = task.files().entry(2).generation();
		task.dup2(0, 64);
		assertThat(task.files().entry(0).generation()).isEqualTo(first).isNotZero();
		assertThat(task.files().entry(2).generation()).isEqualTo(third).isEqualTo(first + 2);
	}

	@Test
	void entries_max_isWhatAPageHoldsAtMost() {
		FilesStruct files = filesWithFirst(4);
		files.putUnusedFd(1);
		assertThat(files.entries(0, 2)).extracting(FdEntry::fd).containsExactly(0, 2);
		assertThat(files.entries(2, 1)).extracting(FdEntry::fd).containsExactly(2);
		assertThat(files.entries(1, 9)).extracting(FdEntry::fd).containsExactly(2, 3);
		assertThat(files.entries(0, 0)).isEmpty();
		assertThat(files.entries(4, 9)).isEmpty();
	}

}
