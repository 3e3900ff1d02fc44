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
 * Guards what fork, CLONE_FILES, unshare, exec and exit do to tables.
 */
class ForkTest {

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	@ParameterizedTest(name = "parent once had {0}, now has {1}: child has {2} slots")
	@CsvSource({ "2, 2, 64", "1024, 2, 64", "1024, 63, 64", "1024, 64, 128", "1024, 70, 128", "1024, 127, 128",
			"1024, 128, 256", "1024, 1023, 1024", "1024, 1024, 2048", "0, -1, 64", "500, -1, 64" })
	void fork_wideParent_childIsAsWideAsItsHighestDescriptor(int once, int highest, int width) {
		Task parent = this.kernel.task();
		parent.dup2(0, once);
		parent.dup2(0, Math.max(highest, 0));
		parent.closeRange(highest + 1, -1, 0);
		Task child = parent.fork(false);
		assertThat(fdSize(child)).isEqualTo(width);
		assertThat(child.files().entries(0, 5000)).isEqualTo(parent.files().entries(0, 5000));
		assertThat(child.files().statistics().highest()).isEqualTo(parent.files().statistics().highest());
	}

	@Test
	void fork_reservedSlots_areFreeInTheChildButCountForItsWidth() {
		Task parent = this.kernel.task();
		assertThat(parent.reserve(0, false)).isEqualTo(3);
		assertThat(parent.reserve(70, false)).isEqualTo(70);
		Task child = parent.fork(false);
		assertThat(fdSize(child)).isEqualTo(128);
		assertThat(child.files().bitmaps().openFds()).containsExactly(7, 0);
		assertErrno(Errno.EBADF, () -> child.fcntl(3, Fcntl.F_GETFD, 0));
		assertThat(child.dup(0)).isEqualTo(3);
		assertThat(parent.files().bitmaps().reserved()).containsExactly(3, 70);
	}

	@Test
	void fork_reservedSlotInFullWord_clearsTheSummaryBitInTheChild() {
		Task parent = this.kernel.task();
		SyscallAssertions.openUpTo(parent, 63);
		parent.close(40);
		assertThat(parent.reserve(0, false)).isEqualTo(40);
		assertThat(parent.files().bitmaps().fullFdsBits()).containsExactly(1);
		Task child = parent.fork(false);
		assertThat(child.files().bitmaps().fullFdsBits()).containsExactly(0);
		assertThat(child.dup(0)).isEqualTo(40);
		assertThat(child.dup(0)).isEqualTo(64);
	}

	@Test
	void fork_copy_startsWithHintZeroAndInheritsStaleMarks() {
		Task parent = this.kernel.task();
		parent.fcntl(0, Fcntl.F_DUPFD_CLOEXEC, 5);
		parent.fcntl(0, Fcntl.F_DUPFD_CLOEXEC, 6);
		parent.close(6);
		FdBitmaps child = parent.fork(false).files().bitmaps();
		assertThat(child.nextFd()).isZero();
		assertThat(child.closeOnExec()).containsExactly(3L << 5);
	}

	@Test
	void fork_copy_referencesEachFileOnceASlotAndDropsThemOnExit() {
		Task parent = this.kernel.task();
		parent.dup2(0, 9);
		OpenFile file = parent.files().entry(0).file();
		Task child = parent.fork(false);
		assertThat(file.count()).isEqualTo(4);
		this.kernel.watch(child.files());
		child.exit();
		assertThat(file.count()).isEqualTo(2);
		assertThat(child.hasExited()).isTrue();
	}

	@Test
	void fork_copy_isIndependent() {
		Task parent = this.kernel.task();
		Task child = parent.fork(false);
		child.close(0);
		child.fcntl(1, Fcntl.F_SETFD, 1);
		assertThat(isOpen(parent, 0)).isTrue();
		assertThat(parent.fcntl(1, Fcntl.F_GETFD, 0)).isZero();
		assertThat(child.nofile()).isEqualTo(parent.nofile());
	}

	@Test
	void fork_shared_seesEverythingAtOnceButKeepsItsOwnLimit() {
		Task parent = this.kernel.task(100);
		Task child = parent.fork(true);
		assertThat(child.files()).isSameAs(parent.files());
		assertThat(child.files().count()).isEqualTo(2);
		child.fcntl(1, Fcntl.F_SETFD, 1);
		assertThat(parent.fcntl(1, Fcntl.F_GETFD, 0)).isEqualTo(1);
		child.setNofile(3, 100);
		assertErrno(Errno.EMFILE, () -> child.dup(0));
		assertThat(parent.dup(0)).isEqualTo(3);
		child.exit();
		assertThat(parent.files().count()).isEqualTo(1);
		assertThat(isOpen(parent, 3)).isTrue();
	}

	@Test
	void unshare_privateTable_doesNothing() {
		Task task = this.kernel.task();
		FilesStruct files = task.files();
		assertThat(task.unshare()).isFalse();
		assertThat(task.files()).isSameAs(files);
	}

	@Test
	void unshare_sharedTable_isASnapshotInTheNarrowestTable() {
		Task parent = this.kernel.task();
		SyscallAssertions.openUpTo(parent, 127);
		parent.dup2(0, 600);
		parent.close(600);
		Task child = parent.fork(true);
		assertThat(fdSize(child)).isEqualTo(1024);
		assertThat(child.unshare()).isTrue();
		assertThat(fdSize(child)).isEqualTo(128);
		child.close(70);
		assertThat(isOpen(parent, 70)).isTrue();
		assertThat(fdSize(parent)).isEqualTo(1024);
		assertThat(parent.files().count()).isEqualTo(1);
	}

	@Test
	void exec_privateTable_closesWhatIsMarkedAscendingAndClearsEveryMark() {
		Task task = this.kernel.task();
		int[] marked = { 200, 5, 63, 64, 10, 11, 12, 13, 14, 15 };
		for (int fd : marked) {
			task.dup3(0, fd, OpenFlags.O_CLOEXEC);
		}
		task.fcntl(0, Fcntl.F_DUPFD_CLOEXEC, 100);
		task.close(100);
		assertThat(task.reserve(90, true)).isEqualTo(90);
		Task.Exec exec = task.exec();
		assertThat(exec.closed()).containsExactly(5, 10, 11, 12, 13, 14, 15, 63, 64, 200);
		assertThat(exec.unshared()).isFalse();
		assertThat(task.files().bitmaps().closeOnExec()).containsExactly(0, 0, 0, 0);
		assertThat(task.files().bitmaps().reserved()).containsExactly(90);
		assertThat(fdSize(task)).isEqualTo(256);
		assertThat(task.dup(0)).isEqualTo(3);
	}

	@Test
	void exec_sharedTable_leavesTheSharersTheirMarkedDescriptors() {
		Task parent = this.kernel.task();
		parent.fcntl(2, Fcntl.F_SETFD, 1);
		Task child = parent.fork(true);
		Task.Exec exec = child.exec();
		assertThat(exec.closed()).containsExactly(2);
		assertThat(exec.unshared()).isTrue();
		assertThat(isOpen(child, 2)).isFalse();
		assertThat(parent.fcntl(2, Fcntl.F_GETFD, 0)).isEqualTo(1);
		assertThat(parent.files().count()).isEqualTo(1);
	}

	@Test
	void exit_lastUser_closesEverythingAndReservedSlotsHoldNothing() {
		Sysctl sysctl = this.kernel.sysctl(1024);
		Task task = this.kernel.task(sysctl, 1000);
		task.reserve(0, false);
		task.dup2(0, 500);
		FilesStruct files = this.kernel.watch(task.files());
		assertThat(sysctl.files()).isEqualTo(3);
		task.exit();
		assertThat(sysctl.files()).isZero();
		assertThat(sysctl.memory()).isZero();
		assertThat(files.count()).isZero();
	}

	@Test
	void pids_countFromOneAndAreNotReused() {
		ProcessTree tree = this.kernel.tree(this.kernel.sysctl(1024));
		Task first = tree.init(10, 10, true, Allocator.WORD_FIRST);
		Task second = first.fork(false);
		second.exit();
		Task third = first.fork(true);
		assertThat(first.pid()).isEqualTo(1);
		assertThat(second.pid()).isEqualTo(2);
		assertThat(third.pid()).isEqualTo(3);
		assertThat(third.parentPid()).isEqualTo(1);
		assertThat(first.parentPid()).isZero();
		assertThat(tree.find(2)).isNull();
		assertThat(tree.find(3)).isSameAs(third);
		assertThat(tree.tasks()).containsExactly(first, third);
	}

}
