package io.fdtable.kernel;

import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.fdtable.kernel.SyscallAssertions.assertErrno;
import static io.fdtable.kernel.SyscallAssertions.fdSize;
import static io.fdtable.kernel.SyscallAssertions.isOpen;
import static io.fdtable.kernel.SyscallAssertions.openUpTo;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards against bugs that Linux once had in this code; the commits that fixed them are
 * named. B8 and B4 are also in {@code FdBitmapTest}, B10 and B11 in
 * {@code FdTableCapacityTest}, B20 in {@code FcntlTest}, B12 to B14 in
 * {@code FilesStructConcurrencyTest}.
 */
class HistoricBugsTest {

	private static final int UNSHARE = CloseRange.CLOSE_RANGE_UNSHARE;

	private static final int CLOEXEC = CloseRange.CLOSE_RANGE_CLOEXEC;

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	/**
	 * {@code close(3); dup2(0, 3); dup(0)} over and over: next_fd falls to 3, dup2
	 * refills 3 behind its back, and each dup searches from 3 through all that is full.
	 * With one level that reads n * n / 128 words, with two n * n / 8192.
	 */
	@ParameterizedTest(name = "B1 (f3f86e33dc3d): {0} descriptors")
	@ValueSource(ints = { 1000, 10_000, 100_000 })
	void b1_closeLowAndDup_readsASummaryInsteadOfEveryFullWord(int n) {
		Task task = this.kernel.task(n);
		// Opening 0, 1 and 2 has read a word each.
		long words = 3;
		for (int expected = 4; expected < n; expected++) {
			if (expected > 4) {
				task.close(3);
			}
			task.dup2(0, 3);
			assertThat(task.dup(0)).isEqualTo(expected);
			words += wordsToFind(expected);
		}
		assertThat(task.files().statistics().wordsRead()).isEqualTo(words);
		assertThat(words).isLessThan((long) n * n / 8192 + 3L * n);
	}

	/** How many words a search from 3 reads if all below {@code fd} is taken. */
	private static int wordsToFind(int fd) {
		boolean tableIsFull = fd >= 64 && Integer.bitCount(fd) == 1;
		if (tableIsFull) {
			return 1 + (fd + 4095) / 4096;
		}
		return (fd < 64) ? 1 : 3 + fd / 4096;
	}

	@ParameterizedTest(name = "B2 (ea5c58e70c3a): 0..{0} and {1} open")
	@CsvSource({ "63, 100000", "64, 100000", "4095, 8191", "4096, 8192", "100, 4096", "9999, 10000" })
	void b2_forkOfWideTable_childHasNoStraySummaryBits(int upTo, int highest) {
		Task parent = this.kernel.task(200_000);
		openUpTo(parent, upTo);
		parent.dup2(0, highest);
		FdBitmaps child = parent.fork(false).files().bitmaps();
		long[] full = new long[(child.capacity() + 4095) / 4096];
		for (int word = 0; word < (upTo + 1) / 64; word++) {
			full[word / 64] |= 1L << word;
		}
		assertThat(child.fullFdsBits()).isEqualTo(full);
		Task second = parent.fork(false);
		int lowest = (highest == upTo + 1) ? highest + 1 : upTo + 1;
		assertThat(second.dup(0)).isEqualTo(lowest);
	}

	@ParameterizedTest(name = "B3 (1c24a186398f): close_range({0}, ~0, UNSHARE)")
	@MethodSource("everyFirst")
	void b3_unshareCutAnywhere_copiesWholeWords(int first) {
		Task parent = this.kernel.task();
		openUpTo(parent, 199);
		Task child = parent.fork(true);
		child.closeRange(first, -1, UNSHARE);
		this.kernel.checkInvariants();
		int words = Math.max(1, (first + 63) / 64);
		assertThat(fdSize(child)).isEqualTo(64 * Integer.highestOneBit(2 * words - 1));
		assertThat(child.files().statistics().open()).isEqualTo(Math.min(first, 200));
	}

	static IntStream everyFirst() {
		return IntStream.rangeClosed(0, 200);
	}

	@Test
	@DisplayName("B3 (d888c83fcec7): a plain fork copies descriptors above 64")
	void b3_forkWithoutHole_copiesEverything() {
		Task parent = this.kernel.task();
		openUpTo(parent, 199);
		assertThat(parent.fork(false).files().statistics().open()).isEqualTo(200);
	}

	@Test
	@DisplayName("B4 (9a2fa1472083): a copy that is cut off has no summary bits for what it lacks")
	void b4_unshareCutAtWord_nextDescriptorIsTheFirstAfterTheCut() {
		Task parent = this.kernel.task();
		openUpTo(parent, 127);
		Task child = parent.fork(true);
		child.closeRange(64, -1, UNSHARE);
		assertThat(child.files().bitmaps().fullFdsBits()).containsExactly(1);
		assertThat(child.dup(0)).isEqualTo(64);
	}

	@Test
	@DisplayName("B6 (fec8a6a69103): UNSHARE with CLOEXEC loses no descriptor and marks none of the parent's")
	void b6_unshareAndMark_keepsTheRangeInTheCopy() {
		Task parent = this.kernel.task();
		parent.dup2(0, 1000);
		Task child = parent.fork(true);
		assertThat(child.closeRange(3, -1, UNSHARE | CLOEXEC)).isZero();
		assertThat(child.fcntl(1000, Fcntl.F_GETFD, 0)).isEqualTo(1);
		assertThat(parent.fcntl(1000, Fcntl.F_GETFD, 0)).isZero();
	}

	@ParameterizedTest(name = "B8 (ed8c7fbdfe11): {0} descriptors")
	@ValueSource(ints = { 64, 128, 4096, 8192 })
	void b8_fullTable_growsWithoutReadingPastItsEnd(int n) {
		Task task = this.kernel.task(n + 1);
		openUpTo(task, n - 1);
		assertThat(fdSize(task)).isEqualTo(n);
		assertThat(task.fcntl(0, Fcntl.F_DUPFD, n - 1)).isEqualTo(n);
		assertErrno(Errno.EMFILE, () -> task.dup(0));
		assertThat(fdSize(task)).isEqualTo(2 * n);
	}

	@Test
	@DisplayName("B10 (04a2c4b4511d): a table beyond INT_MAX bytes of pointers is refused, not tried")
	void b10_hugeNumber_isEmfileOrEbadfAndTakesNoMemory() {
		Sysctl sysctl = this.kernel.sysctl(1_073_741_816);
		Task task = this.kernel.task(sysctl, 1_073_741_816);
		long memory = sysctl.memory();
		assertErrno(Errno.EBADF, () -> task.dup2(0, 134_217_728));
		assertErrno(Errno.EBADF, () -> task.dup2(0, 1_073_741_815));
		assertErrno(Errno.EMFILE, () -> task.fcntl(0, Fcntl.F_DUPFD, 134_217_728));
		assertThat(sysctl.memory()).isEqualTo(memory);
		assertThat(fdSize(task)).isEqualTo(64);
	}

	@ParameterizedTest(name = "B11 (1d3b4bec3ce5): descriptor {0}, nr_open {1}: {2}")
	@CsvSource({ "63, 64, 64", "127, 128, 128", "128, 256, 256", "959, 1000, 960", "512, 1000, 960", "511, 1000, 512" })
	void b11_lastNumberThatFits_growsTheTableToIt(int fd, int nrOpen, int width) {
		Task task = this.kernel.task(this.kernel.sysctl(nrOpen), nrOpen);
		assertThat(task.fcntl(0, Fcntl.F_DUPFD, fd)).isEqualTo(fd);
		assertThat(fdSize(task)).isEqualTo(width);
	}

	@Test
	@DisplayName("B17 (08f05c49749e): dup2 and dup3 to a number at the limit are EBADF, not EMFILE")
	void b17_newNumberAtLimit_isEbadf() {
		Task task = this.kernel.task(100);
		assertErrno(Errno.EBADF, () -> task.dup2(0, 100));
		assertErrno(Errno.EBADF, () -> task.dup3(0, 100, 0));
		Sysctl narrow = this.kernel.sysctl(1024);
		Task other = this.kernel.task(narrow, 1000);
		narrow.setNrOpen(64);
		assertErrno(Errno.EBADF, () -> other.dup2(0, 64));
	}

	@Test
	@DisplayName("B20 (2714b0d1f369): F_DUPFD_QUERY with either descriptor closed is EBADF")
	void b20_queryOfClosedDescriptor_isEbadfInBothOrders() {
		Task task = this.kernel.task();
		assertErrno(Errno.EBADF, () -> task.fcntl(0, Fcntl.F_DUPFD_QUERY, 999));
		assertErrno(Errno.EBADF, () -> task.fcntl(999, Fcntl.F_DUPFD_QUERY, 0));
	}

	@Test
	@DisplayName("B22 (fast path of June 2024): the limit counts inside the first word")
	void b22_limitInsideFirstWord_isEmfile() {
		Task task = this.kernel.task(10);
		openUpTo(task, 9);
		assertErrno(Errno.EMFILE, () -> task.dup(0));
		assertThat(task.files().bitmaps().openFds()).containsExactly(0x3ff);
	}

	@Test
	@DisplayName("B22 (fast path of June 2024): a minimum beyond the first word is kept despite holes in it")
	void b22_minimumBeyondFirstWord_isKept() {
		Task task = this.kernel.task();
		openUpTo(task, 70);
		task.closeRange(10, 20, 0);
		assertThat(task.fcntl(0, Fcntl.F_DUPFD, 100)).isEqualTo(100);
		assertThat(task.fcntl(0, Fcntl.F_DUPFD, 64)).isEqualTo(71);
		assertThat(task.fcntl(0, Fcntl.F_DUPFD, 15)).isEqualTo(15);
		assertThat(task.dup(0)).isEqualTo(10);
	}

	@Test
	@DisplayName("B24 (afbec7fff492): a number reserved in the parent is free in the child")
	void b24_forkDuringOpen_childCanUseTheNumber() {
		Task parent = this.kernel.task();
		int fd = parent.reserve(0, false);
		Task child = parent.fork(false);
		assertThat(child.dup(0)).isEqualTo(fd);
		parent.install(fd, 0, "/fifo", FileKind.PIPE, 0, null);
		assertThat(parent.fcntl(fd, Fcntl.F_GETFD, 0)).isZero();
	}

	@Test
	@DisplayName("B26: dup2 onto a number that an open has reserved is EBUSY, and the open gets it")
	void b26_dup2DuringOpen_isEbusyAndTheOpenInstalls() {
		Task task = this.kernel.task();
		int fd = task.reserve(0, false);
		assertErrno(Errno.EBUSY, () -> task.dup2(0, fd));
		assertErrno(Errno.EBUSY, () -> task.dup3(0, fd, OpenFlags.O_CLOEXEC));
		task.install(fd, 0, "/fifo", FileKind.PIPE, 0, null);
		assertThat(task.files().entry(fd).file().kind()).isEqualTo(FileKind.PIPE);
		assertThat(task.fcntl(fd, Fcntl.F_GETFD, 0)).isZero();
	}

}
