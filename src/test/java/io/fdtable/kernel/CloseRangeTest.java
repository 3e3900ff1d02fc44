package io.fdtable.kernel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.fdtable.kernel.SyscallAssertions.assertErrno;
import static io.fdtable.kernel.SyscallAssertions.fdSize;
import static io.fdtable.kernel.SyscallAssertions.isOpen;
import static io.fdtable.kernel.SyscallAssertions.openUpTo;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards close and close_range: what is closed, what is only marked, what survives, and
 * how wide the private copy of CLOSE_RANGE_UNSHARE is.
 */
class CloseRangeTest {

	private static final int UNSHARE = CloseRange.CLOSE_RANGE_UNSHARE;

	private static final int CLOEXEC = CloseRange.CLOSE_RANGE_CLOEXEC;

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	@ParameterizedTest(name = "close({0})")
	@ValueSource(ints = { 3, 4, 63, 64, 999, -1, Integer.MAX_VALUE, Integer.MIN_VALUE })
	void close_notInstalled_isEbadf(int fd) {
		Task task = this.kernel.task();
		task.reserve(0, false);
		assertErrno(Errno.EBADF, () -> task.close(fd));
		assertThat(task.files().entry(3)).as("a reserved slot stays reserved").matches(FdEntry::isReserved);
	}

	@Test
	void close_installed_freesTheNumberAndClosesTheFileWithItsLastReference() {
		Task task = this.kernel.task();
		OpenFile file = task.files().entry(1).file();
		task.dup2(1, 7);
		task.close(1);
		assertThat(file.count()).isEqualTo(1);
		task.close(7);
		assertThat(file.count()).isZero();
		assertThat(task.dup(0)).isEqualTo(1);
	}

	@Test
	void close_marked_leavesTheStaleMarkInTheMap() {
		Task task = this.kernel.task();
		task.fcntl(1, Fcntl.F_SETFD, 1);
		task.close(1);
		assertThat(task.files().bitmaps().closeOnExec()).containsExactly(2);
		assertThat(task.dup(0)).isEqualTo(1);
		assertThat(task.files().bitmaps().closeOnExec()).containsExactly(0);
	}

	@ParameterizedTest(name = "close_range({0}, {1}, {2})")
	@CsvSource({ "5, 4, 0", "5, 4, 255", "3, 4, 1", "3, 4, 8", "3, 4, 7", "3, 4, -2147483648", "-1, 0, 0",
			"-1, 2147483647, 0", "5, 4, 2" })
	void closeRange_badFlagsOrOrder_isEinval(int first, int last, int flags) {
		Task task = this.kernel.task();
		assertErrno(Errno.EINVAL, () -> task.closeRange(first, last, flags));
	}

	@ParameterizedTest(name = "close_range({0}, {1}) closes {2}")
	@CsvSource({ "60, 70, 11", "0, 0, 1", "0, -1, 130", "3, -1, 127", "129, 129, 1", "130, 255, 0", "256, 256, 0",
			"5000, 6000, 0", "-1, -1, 0", "2147483647, -2147483648, 0", "63, 64, 2", "128, 2147483647, 2" })
	void closeRange_openUpTo129_closesWhatIsInstalledInTheRange(int first, int last, int closed) {
		Task task = this.kernel.task();
		openUpTo(task, 129);
		assertThat(task.closeRange(first, last, 0)).isEqualTo(closed);
		for (int fd = 0; fd < 130; fd++) {
			assertThat(isOpen(task, fd)).as("descriptor %d", fd).isNotEqualTo(new FdRange(first, last).contains(fd));
		}
		assertThat(fdSize(task)).isEqualTo(256);
	}

	@Test
	void closeRange_softLimitZero_isNotConsulted() {
		Task task = this.kernel.task(100);
		task.setNofile(0, 100);
		assertThat(task.closeRange(0, -1, 0)).isEqualTo(3);
	}

	@Test
	void closeRange_cloexec_marksFreeAndReservedSlotsToo() {
		Task task = this.kernel.task();
		openUpTo(task, 64);
		task.close(62);
		assertThat(task.reserve(62, false)).isEqualTo(62);
		assertThat(task.closeRange(62, -1, CLOEXEC)).isZero();
		assertThat(task.files().bitmaps().closeOnExec()).containsExactly(3L << 62, -1L);
		assertThat(task.fcntl(61, Fcntl.F_GETFD, 0)).isZero();
		assertThat(task.fcntl(64, Fcntl.F_GETFD, 0)).isEqualTo(1);
		// Free: allocation writes the mark anew. Reserved: it sticks.
		assertThat(task.fcntl(task.dup(0), Fcntl.F_GETFD, 0)).isZero();
		task.install(62, 0, null, FileKind.OPAQUE, 0, null);
		assertThat(task.fcntl(62, Fcntl.F_GETFD, 0)).isEqualTo(1);
		assertThat(task.exec().closed()).containsExactly(62, 63, 64);
	}

	@ParameterizedTest(name = "close_range({0}, {1}, CLOEXEC)")
	@CsvSource({ "0, 0", "63, 63", "0, 63", "1, 62", "64, 64", "63, 64", "10, 200", "127, 128", "255, -1", "256, -1",
			"0, -1" })
	void closeRange_cloexec_marksExactlyTheRange(int first, int last) {
		Task task = this.kernel.task();
		openUpTo(task, 255);
		task.closeRange(first, last, CLOEXEC);
		for (int fd = 0; fd < 256; fd++) {
			assertThat(task.fcntl(fd, Fcntl.F_GETFD, 0)).as("descriptor %d", fd)
				.isEqualTo(new FdRange(first, last).contains(fd) ? 1 : 0);
		}
	}

	@ParameterizedTest(name = "0..{0} and {1} open, close_range({2}, {3}, {4}): {6} slots, next {7}")
	@CsvSource(textBlock = """
			# open 0.. | and | first | last | flags | shared width | width of the copy | next dup
			127        | -1  | 64    | -1   | 2     | 256          | 64                | 64
			127        | -1  | 64    | 127  | 2     | 256          | 64                | 64
			127        | -1  | 64    | 126  | 2     | 256          | 128               | 64
			127        | -1  | 63    | -1   | 2     | 256          | 64                | 63
			127        | -1  | 100   | -1   | 2     | 256          | 128               | 100
			127        | -1  | 64    | -1   | 6     | 256          | 128               | 128
			40         | 900 | 64    | -1   | 2     | 1024         | 64                | 41
			40         | 900 | 64    | 800  | 2     | 1024         | 1024              | 41
			40         | 900 | 900   | 900  | 2     | 1024         | 64                | 41
			40         | 900 | 4     | 6    | 2     | 1024         | 1024              | 4
			40         | 900 | 64    | -1   | 0     | 1024         | 1024              | 41
			40         | -1  | 0     | -1   | 2     | 1024         | 64                | -1
			40         | 900 | 900   | 901  | 4     | 1024         | 1024              | 41
			""", delimiter = '|')
	void closeRange_sharedTable_copiesOnlyWhatIsKept(int upTo, int and, int first, int last, int flags, int shared,
			int width, int next) {
		Task parent = this.kernel.task();
		openUpTo(parent, upTo);
		parent.dup2(0, shared - 1);
		parent.close(shared - 1);
		if (and >= 0) {
			parent.dup2(0, and);
		}
		Task child = parent.fork(true);
		assertThat(fdSize(child)).isEqualTo(shared);
		var before = parent.files().entries(0, Integer.MAX_VALUE);
		child.closeRange(first, last, flags);
		assertThat(fdSize(child)).isEqualTo(width);
		assertThat(child.files()).matches((files) -> (files != parent.files()) == ((flags & UNSHARE) != 0));
		if ((flags & UNSHARE) != 0) {
			assertThat(parent.files().entries(0, Integer.MAX_VALUE)).isEqualTo(before);
			assertThat(parent.files().count()).isEqualTo(1);
		}
		this.kernel.checkInvariants();
		if (next >= 0) {
			assertThat(child.dup(0)).isEqualTo(next);
		}
		else {
			assertErrno(Errno.EBADF, () -> child.dup(0));
		}
	}

	@Test
	void closeRange_unshareOfPrivateTable_copiesNothing() {
		Task task = this.kernel.task();
		FilesStruct files = task.files();
		assertThat(task.closeRange(1, 2, UNSHARE)).isEqualTo(2);
		assertThat(task.files()).isSameAs(files);
	}

	@Test
	void closeRange_unshareThatFails_closesNothing() {
		Sysctl sysctl = this.kernel.sysctl(1024);
		Task task = this.kernel.task(sysctl, 1024);
		task.dup2(0, 500);
		Task sharer = task.fork(true);
		sysctl.setNrOpen(64);
		assertErrno(Errno.EMFILE, () -> task.closeRange(1, 2, UNSHARE));
		assertThat(task.files()).isSameAs(sharer.files());
		assertThat(task.files().statistics().open()).isEqualTo(4);
		// What is cut off needs no room.
		assertThat(task.closeRange(3, -1, UNSHARE)).isZero();
		assertThat(fdSize(task)).isEqualTo(64);
	}

	@Test
	void closeRange_reservedSlots_areSkipped() {
		Task task = this.kernel.task();
		assertThat(task.reserve(0, false)).isEqualTo(3);
		openUpTo(task, 2);
		task.dup2(0, 5);
		assertThat(task.closeRange(3, 3, 0)).isZero();
		assertThat(task.closeRange(1, -1, 0)).isEqualTo(3);
		assertThat(task.files().bitmaps().reserved()).containsExactly(3);
	}

	/** The old code walked the empty table that such a table leaves behind for ever. */
	@Test
	@Timeout(60)
	void closeRange_lastUserGoesWhileItRuns_ends() {
		Sysctl sysctl = this.kernel.sysctl(1024);
		FilesStruct files = this.kernel.files(sysctl);
		Inode inode = new Inode(FileKind.OPAQUE, new FileOperations() {

			@Override
			public void released(OpenFile file) {
				files.put();
			}

			@Override
			public byte[] read(OpenFile file, int count) {
				return new byte[0];
			}

			@Override
			public int write(OpenFile file, byte[] data) {
				return 0;
			}

			@Override
			public long llseek(OpenFile file, long offset, int whence) {
				return 0;
			}

		});
		sysctl.addFile();
		files.fdInstall(files.allocFd(0, 1024, false), new OpenFile(sysctl, 1, inode, null, null, 0, false));
		files.fdInstall(files.allocFd(200, 1024, false), KernelFixture.file(sysctl));
		assertThat(files.closeRange(new FdRange(0, -1))).isEqualTo(1);
		assertThat(sysctl.files()).isZero();
	}

}
