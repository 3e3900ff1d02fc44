package io.fdtable.kernel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.fdtable.kernel.SyscallAssertions.assertErrno;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards fcntl: the order of its checks, each command, and which status flags F_SETFL can
 * change on which kind of file.
 */
class FcntlTest {

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	@ParameterizedTest(name = "fcntl({0}, {1})")
	@CsvSource({ "999, 999", "3, 999", "999, 0", "999, 1030", "999, 1", "999, 2", "999, 3", "999, 4", "999, 1027",
			"999, 1028", "999, 5", "-1, 1", "3, 0", "3, 1", "3, 2", "3, 3", "3, 4", "3, 1027", "3, 1028" })
	void fcntl_notInstalled_isEbadfWhateverTheCommand(int fd, int cmd) {
		Task task = this.kernel.task();
		assertThat(task.reserve(0, false)).isEqualTo(3);
		assertErrno(Errno.EBADF, () -> task.fcntl(fd, cmd, -1));
	}

	@ParameterizedTest(name = "command {0}")
	@CsvSource({ "999, EINVAL", "-1, EINVAL", "12, EINVAL", "1029, EINVAL", "1041, EINVAL", "5, ENOSYS", "8, ENOSYS",
			"1024, ENOSYS", "1031, ENOSYS" })
	void fcntl_unknownCommand_isEinvalAndOneOutsideTheModelIsEnosys(int cmd, Errno errno) {
		Task task = this.kernel.task();
		assertErrno(errno, () -> task.fcntl(0, cmd, 0));
	}

	@ParameterizedTest(name = "command {0} on an O_PATH file")
	@ValueSource(ints = { Fcntl.F_SETFL, 5, 999, 1024 })
	void fcntl_pathFile_takesNoOtherCommand(int cmd) {
		Task task = this.kernel.task();
		int fd = task.open("/data", FileKind.REGULAR, OpenFlags.O_PATH, null);
		assertErrno(Errno.EBADF, () -> task.fcntl(fd, cmd, 0));
	}

	@Test
	void fcntl_pathFile_takesTheCommandsOfTheDescriptor() {
		Task task = this.kernel.task();
		int fd = task.open("/data", FileKind.REGULAR, OpenFlags.O_PATH, null);
		assertThat(task.fcntl(fd, Fcntl.F_DUPFD, 10)).isEqualTo(10);
		assertThat(task.fcntl(fd, Fcntl.F_DUPFD_CLOEXEC, 10)).isEqualTo(11);
		assertThat(task.fcntl(fd, Fcntl.F_DUPFD_QUERY, 10)).isEqualTo(1);
		assertThat(task.fcntl(fd, Fcntl.F_CREATED_QUERY, 0)).isZero();
		assertThat(task.fcntl(fd, Fcntl.F_SETFD, 1)).isZero();
		assertThat(task.fcntl(fd, Fcntl.F_GETFD, 0)).isEqualTo(1);
		assertThat(task.fcntl(fd, Fcntl.F_GETFL, 0)).isEqualTo(0_10000000);
	}

	@ParameterizedTest(name = "F_DUPFD {0}: {1}")
	@CsvSource({ "0, 3", "3, 3", "10, 10", "99, 99", "0x100000003, 3", "0x100000063, 99", "-4294967286, 10" })
	void dupFd_minimum_returnsLowestFreeFromIts32Bits(String minimum, int fd) {
		Task task = this.kernel.task(100);
		assertThat(task.fcntl(0, Fcntl.F_DUPFD, Long.decode(minimum))).isEqualTo(fd);
		assertThat(task.fcntl(fd, Fcntl.F_GETFD, 0)).isZero();
		assertThat(task.fcntl(0, Fcntl.F_DUPFD_CLOEXEC, 50)).isEqualTo(50);
		assertThat(task.fcntl(50, Fcntl.F_GETFD, 0)).isEqualTo(1);
	}

	@ParameterizedTest(name = "F_DUPFD({0}, {1}): {2}")
	@CsvSource({ "0, 100, EINVAL", "0, -1, EINVAL", "0, 2147483647, EINVAL", "0, 4294967295, EINVAL", "999, 100, EBADF",
			"999, -1, EBADF", "999, 0, EBADF", "0, 99, EMFILE" })
	void dupFd_badArguments_failInTheOrderOfTheKernel(int fd, long minimum, Errno errno) {
		Task task = this.kernel.task(100);
		task.dup2(0, 99);
		assertErrno(errno, () -> task.fcntl(fd, Fcntl.F_DUPFD, minimum));
		assertErrno(errno, () -> task.fcntl(fd, Fcntl.F_DUPFD_CLOEXEC, minimum));
		assertThat(task.files().entry(0).file().count()).isEqualTo(2);
	}

	@ParameterizedTest(name = "F_SETFD {0}: {1}")
	@CsvSource({ "1, 1", "0, 0", "0xffff, 1", "0xfffe, 0", "-1, 1", "0x100000000, 0", "0x100000001, 1" })
	void setFd_argument_onlyBitZeroCounts(String arg, int mark) {
		Task task = this.kernel.task();
		task.fcntl(0, Fcntl.F_SETFD, 1 - mark);
		assertThat(task.fcntl(0, Fcntl.F_SETFD, Long.decode(arg))).isZero();
		assertThat(task.fcntl(0, Fcntl.F_GETFD, 0)).isEqualTo(mark);
	}

	@Test
	void setFd_oneOfTwoDescriptors_leavesTheOther() {
		Task task = this.kernel.task();
		task.dup2(0, 5);
		task.fcntl(5, Fcntl.F_SETFD, 1);
		assertThat(task.fcntl(0, Fcntl.F_GETFD, 0)).isZero();
	}

	@ParameterizedTest(name = "B20: F_DUPFD_QUERY({0}, {1})")
	@CsvSource({ "5, 999", "999, 5", "5, 3", "3, 5", "3, 3", "999, 999", "5, -1" })
	void dupFdQuery_eitherNotInstalled_isEbadf(int fd, int other) {
		Task task = this.kernel.task();
		task.dup2(0, 5);
		task.reserve(0, false);
		assertErrno(Errno.EBADF, () -> task.fcntl(fd, Fcntl.F_DUPFD_QUERY, other));
	}

	@Test
	void dupFdQuery_twoDescriptors_comparesOpenFilesAndNotPaths() {
		Task task = this.kernel.task();
		int first = task.open("/data", FileKind.REGULAR, 0, null);
		int second = task.open("/data", FileKind.REGULAR, 0, null);
		assertThat(task.fcntl(first, Fcntl.F_DUPFD_QUERY, first)).isEqualTo(1);
		assertThat(task.fcntl(first, Fcntl.F_DUPFD_QUERY, second)).isZero();
		assertThat(task.fcntl(first, Fcntl.F_DUPFD_QUERY, 0x100000000L + task.dup(first))).isEqualTo(1);
	}

	@Test
	void createdQuery_openThatCreated_isOneOnItsDuplicatesOnly() {
		Task task = this.kernel.task();
		int created = task.open("/new", FileKind.REGULAR, OpenFlags.O_CREAT, null);
		int again = task.open("/new", FileKind.REGULAR, OpenFlags.O_CREAT, null);
		assertThat(task.fcntl(created, Fcntl.F_CREATED_QUERY, 0)).isEqualTo(1);
		assertThat(task.fcntl(task.dup(created), Fcntl.F_CREATED_QUERY, 0)).isEqualTo(1);
		assertThat(task.fcntl(again, Fcntl.F_CREATED_QUERY, 0)).isZero();
	}

	@ParameterizedTest(name = "{0} opened with {1}: F_GETFL {2}, after F_SETFL {3}: {4}")
	@CsvSource(textBlock = """
			# kind    | open      | F_GETFL   | F_SETFL        | F_GETFL
			# O_ASYNC: where the file has a hook for it
			SOCKET    | 0         | 02        | 020000         | 020002
			PIPE      | 02        | 0100002   | 020000         | 0120002
			REGULAR   | 02        | 0100002   | 020000         | 0100002
			DIRECTORY | 0         | 0100000   | 020000         | 0100000
			EVENTFD   | 0         | 02        | 020000         | 02
			DEVICE    | 02        | 0100002   | 020000         | 0100002
			# everything but O_DIRECT: access mode and creation flags stay
			SOCKET    | 0         | 02        | 037777737777   | 01026002
			PIPE      | 02        | 0100002   | 037777737777   | 01126002
			REGULAR   | 02        | 0100002   | 037777737777   | 01106002
			DIRECTORY | 0         | 0100000   | 037777737777   | 01106000
			EVENTFD   | 0         | 02        | 037777737777   | 01006002
			DEVICE    | 02        | 0100002   | 037777737777   | 01106002
			# O_DIRECT: packet mode on a pipe
			REGULAR   | 02        | 0100002   | 040000         | 0140002
			PIPE      | 02        | 0100002   | 040000         | 0140002
			# what is changeable and absent is cleared
			REGULAR   | 0102002   | 0102002   | 0              | 0100002
			SOCKET    | 04000     | 04002     | 0              | 02
			# O_ASYNC given to open is in no hook's list, and so is never cleared
			REGULAR   | 020002    | 0120002   | 0              | 0120002
			PIPE      | 020002    | 0120002   | 0              | 0120002
			REGULAR   | 020002    | 0120002   | 037777737777   | 01126002
			REGULAR   | 04030000  | 04130000  | 0              | 04130000
			# only the lower 32 bits
			REGULAR   | 02        | 0100002   | 040000002000   | 0102002
			""", delimiter = '|')
	void setFl_kindOfFile_changesWhatLinuxChanges(FileKind kind, String open, String before, String arg, String after) {
		Task task = this.kernel.task();
		String path = kind.opensByPath() ? "/data" : null;
		int fd = task.open(path, kind, Integer.parseInt(open, 8), null);
		assertThat(task.fcntl(fd, Fcntl.F_GETFL, 0)).isEqualTo(Long.parseLong(before, 8));
		assertThat(task.fcntl(fd, Fcntl.F_SETFL, Long.parseLong(arg, 8))).isZero();
		assertThat(task.fcntl(fd, Fcntl.F_GETFL, 0)).isEqualTo(Long.parseLong(after, 8));
	}

	@ParameterizedTest
	@CsvSource({ "SOCKET", "DIRECTORY", "EVENTFD", "DEVICE" })
	void setFl_directWhereUnsupported_isEinvalAndChangesNothing(FileKind kind) {
		Task task = this.kernel.task();
		int fd = task.open(kind.opensByPath() ? "/data" : null, kind, 0, null);
		long before = task.fcntl(fd, Fcntl.F_GETFL, 0);
		assertErrno(Errno.EINVAL, () -> task.fcntl(fd, Fcntl.F_SETFL, OpenFlags.O_DIRECT | OpenFlags.O_APPEND));
		assertThat(task.fcntl(fd, Fcntl.F_GETFL, 0)).isEqualTo(before);
	}

	@Test
	void setFl_oneDescriptor_changesItsDuplicatesAndChildrenToo() {
		Task task = this.kernel.task();
		Task child = task.fork(false);
		int fd = child.dup(0);
		child.fcntl(fd, Fcntl.F_SETFL, OpenFlags.O_NONBLOCK);
		assertThat(task.fcntl(0, Fcntl.F_GETFL, 0)).isEqualTo(0_104000);
	}

}
