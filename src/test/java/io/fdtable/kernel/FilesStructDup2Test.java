package io.fdtable.kernel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.fdtable.kernel.SyscallAssertions.assertErrno;
import static io.fdtable.kernel.SyscallAssertions.fdSize;
import static io.fdtable.kernel.SyscallAssertions.isOpen;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards dup, dup2 and dup3: the order of their checks, replacement in one step, and what
 * they leave alone.
 */
class FilesStructDup2Test {

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	/** A process with 0, 1, 2 installed, 3 reserved, and a limit of 100. */
	private Task task() {
		Task task = this.kernel.task(100);
		assertThat(task.reserve(0, false)).isEqualTo(3);
		return task;
	}

	@ParameterizedTest(name = "dup3({0}, {1}, {2}): {3}")
	@CsvSource({
			// Flags come first, whatever the numbers.
			"0, 5, 04000, EINVAL", "0, 5, 02004000, EINVAL", "999, 5, 1, EINVAL", "0, 100, 1, EINVAL",
			"0, 0, 1, EINVAL",
			// Then equal numbers, open or not.
			"0, 0, 0, EINVAL", "999, 999, 0, EINVAL", "-1, -1, 0, EINVAL", "0, 0, 02000000, EINVAL",
			// Then the limit, before the old number is looked at.
			"0, 100, 0, EBADF", "999, 100, 0, EBADF", "0, -1, 0, EBADF",
			// Then the old number: free, reserved, beyond the table.
			"5, 6, 0, EBADF", "3, 6, 0, EBADF", "999, 6, 0, EBADF", "-1, 6, 0, EBADF", "5, 3, 0, EBADF",
			// Then a reserved new one.
			"0, 3, 0, EBUSY", "0, 3, 02000000, EBUSY" })
	void dup3_badArguments_failInTheOrderOfTheKernel(int oldFd, int newFd, String flags, Errno errno) {
		Task task = task();
		assertErrno(errno, () -> task.dup3(oldFd, newFd, Integer.parseInt(flags, 8)));
	}

	@ParameterizedTest(name = "dup2({0}, {1}): {2}")
	@CsvSource({ "999, 999, EBADF", "3, 3, EBADF", "-1, -1, EBADF", "0, 100, EBADF", "0, -1, EBADF",
			"0, 2147483647, EBADF", "0, -2147483648, EBADF", "5, 6, EBADF", "3, 9, EBADF", "0, 3, EBUSY" })
	void dup2_badArguments_failInTheOrderOfTheKernel(int oldFd, int newFd, Errno errno) {
		Task task = task();
		assertErrno(errno, () -> task.dup2(oldFd, newFd));
	}

	@ParameterizedTest(name = "dup({0}): {1}")
	@CsvSource({ "3, EBADF", "4, EBADF", "999, EBADF", "-1, EBADF" })
	void dup_notInstalled_isEbadf(int fd, Errno errno) {
		Task task = task();
		assertErrno(errno, () -> task.dup(fd));
	}

	@Test
	void dup_badNumberInFullTable_isEbadfBeforeEmfile() {
		Task task = this.kernel.task(3);
		assertErrno(Errno.EBADF, () -> task.dup(5));
		assertErrno(Errno.EMFILE, () -> task.dup(0));
	}

	@Test
	void dup_pathDescriptor_works() {
		Task task = this.kernel.task();
		int fd = task.open("/data", FileKind.REGULAR, OpenFlags.O_PATH, null);
		assertThat(task.fcntl(task.dup(fd), Fcntl.F_DUPFD_QUERY, fd)).isEqualTo(1);
	}

	@Test
	void dup2_sameNumber_keepsTheMarkAndIgnoresTheLimit() {
		Task task = this.kernel.task(100);
		task.fcntl(0, Fcntl.F_SETFD, 1);
		task.setNofile(0, 100);
		assertThat(task.dup2(0, 0)).isFalse();
		assertThat(task.fcntl(0, Fcntl.F_GETFD, 0)).isEqualTo(1);
	}

	@Test
	void dup2_ontoOpenNumber_replacesItAndClearsTheMark() {
		Task task = this.kernel.task();
		OpenFile replaced = task.files().entry(1).file();
		task.fcntl(1, Fcntl.F_SETFD, 1);
		assertThat(task.dup2(0, 1)).isTrue();
		assertThat(task.fcntl(1, Fcntl.F_GETFD, 0)).isZero();
		assertThat(task.fcntl(1, Fcntl.F_DUPFD_QUERY, 0)).isEqualTo(1);
		assertThat(replaced.count()).isZero();
		assertThat(task.files().entry(0).file().count()).isEqualTo(2);
	}

	@Test
	void dup2_ontoNumberOfTheSameFile_keepsItsReferenceCount() {
		Task task = this.kernel.task();
		task.dup2(0, 5);
		assertThat(task.dup2(0, 5)).isTrue();
		assertThat(task.files().entry(0).file().count()).isEqualTo(2);
	}

	@Test
	void dup3_closeOnExec_marksOnlyTheNewNumber() {
		Task task = this.kernel.task();
		assertThat(task.dup3(0, 5, OpenFlags.O_CLOEXEC)).isFalse();
		assertThat(task.fcntl(5, Fcntl.F_GETFD, 0)).isEqualTo(1);
		assertThat(task.fcntl(0, Fcntl.F_GETFD, 0)).isZero();
	}

	@Test
	void dup2_newNumber_leavesTheHintAlone() {
		Task task = this.kernel.task();
		assertThat(task.files().bitmaps().nextFd()).isEqualTo(3);
		task.dup2(0, 3);
		assertThat(task.files().bitmaps().nextFd()).isEqualTo(3);
		assertThat(task.dup(0)).isEqualTo(4);
	}

	@Test
	void dup2_fillingAWord_setsItsSummaryBit() {
		Task task = this.kernel.task();
		SyscallAssertions.openUpTo(task, 62);
		assertThat(task.files().bitmaps().fullFdsBits()).containsExactly(0);
		task.dup2(0, 63);
		assertThat(task.files().bitmaps().fullFdsBits()).containsExactly(1);
	}

	@Test
	void dup2_badOldNumber_growsTheTableAllTheSame() {
		Task task = this.kernel.task();
		task.dup2(0, 255);
		assertErrno(Errno.EBADF, () -> task.dup2(999, 3000));
		assertThat(fdSize(task)).isEqualTo(4096);
		assertThat(isOpen(task, 3000)).isFalse();
	}

	@Test
	void dup2_growth_followsThePowersOfTwo() {
		Task task = this.kernel.task(1_048_576);
		int[][] rows = { { 63, 64 }, { 64, 128 }, { 127, 128 }, { 128, 256 }, { 255, 256 }, { 256, 512 }, { 257, 512 },
				{ 1023, 1024 }, { 1024, 2048 }, { 65536, 131072 } };
		for (int[] row : rows) {
			task.dup2(0, row[0]);
			assertThat(fdSize(task)).as("dup2(0, %d)", row[0]).isEqualTo(row[1]);
		}
		assertThat(task.closeRange(3, -1, 0)).isEqualTo(rows.length);
		assertThat(fdSize(task)).as("a table never shrinks").isEqualTo(131072);
	}

	@Test
	void dup2_numberInsideTableAboveLoweredNrOpen_works() {
		Sysctl sysctl = this.kernel.sysctl(1024);
		Task task = this.kernel.task(sysctl, 1000);
		task.dup2(0, 500);
		sysctl.setNrOpen(64);
		assertThat(task.dup2(0, 511)).isFalse();
		assertErrno(Errno.EBADF, () -> task.dup2(0, 512));
	}

}
