package io.fdtable.kernel;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.fdtable.kernel.SyscallAssertions.assertErrno;
import static io.fdtable.kernel.SyscallAssertions.isOpen;
import static io.fdtable.kernel.SyscallAssertions.openUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Guards RLIMIT_NOFILE, nr_open, file-max and threads-max, and which error each of them
 * and the memory budget make of which call.
 */
class RlimitTest {

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	private Sysctl sysctl;

	@BeforeEach
	void makeSettings() {
		this.sysctl = this.kernel.sysctl(Sysctl.DEFAULT_NR_OPEN);
	}

	@Test
	void setNofile_belowOpenDescriptors_closesNothingAndBoundsNewNumbers() {
		Task task = this.kernel.task(200);
		openUpTo(task, 149);
		task.setNofile(100, 200);
		assertThat(task.fcntl(140, Fcntl.F_GETFD, 0)).isZero();
		assertErrno(Errno.EMFILE, () -> task.dup(0));
		assertErrno(Errno.EBADF, () -> task.dup2(0, 140));
		assertThat(task.dup2(140, 140)).isFalse();
		assertErrno(Errno.EMFILE, () -> task.fcntl(0, Fcntl.F_DUPFD, 99));
		assertErrno(Errno.EINVAL, () -> task.fcntl(0, Fcntl.F_DUPFD, 100));
		assertErrno(Errno.EMFILE, () -> task.fcntl(140, Fcntl.F_DUPFD, 3));
		task.close(50);
		assertThat(task.dup(140)).isEqualTo(50);
		task.close(120);
		assertErrno(Errno.EMFILE, () -> task.dup(0));
		task.close(149);
	}

	@Test
	void setNofile_zero_leavesExistingDescriptorsUsable() {
		Task task = this.kernel.task(200);
		task.setNofile(0, 200);
		assertErrno(Errno.EMFILE, () -> task.dup(0));
		assertErrno(Errno.EBADF, () -> task.dup2(0, 3));
		assertErrno(Errno.EINVAL, () -> task.fcntl(0, Fcntl.F_DUPFD, 0));
		assertErrno(Errno.EMFILE, () -> task.open("/new", FileKind.OPAQUE, 0, null));
		assertThat(task.dup2(0, 0)).isFalse();
		assertThat(task.fcntl(0, Fcntl.F_GETFD, 0)).isZero();
		assertThat(task.dup2(0, 0)).isFalse();
	}

	@ParameterizedTest(name = "soft {0}, hard {1}: {2}")
	@CsvSource({ "201, 200, EINVAL", "300, 2000000, EPERM", "100, 201, EPERM", "-1, 200, EINVAL", "0, -1, EPERM",
			"-1, -1, EPERM", "3000000, 2000000, EINVAL", "1, 4294967296, EPERM", "4294967297, 4294967296, EINVAL",
			"-9223372036854775808, 200, EINVAL" })
	void setNofile_badPair_failsAndChangesNothing(long soft, long hard, Errno errno) {
		Task task = this.kernel.task(200);
		assertErrno(errno, () -> task.setNofile(soft, hard));
		assertThat(task.nofile()).isEqualTo(new Rlimit(200, 200));
	}

	@ParameterizedTest(name = "soft {0}, hard {1}")
	@CsvSource({ "0, 0", "0, 200", "200, 200", "199, 199" })
	void setNofile_goodPair_isTakenAndTheHardLimitOnlyFalls(int soft, int hard) {
		Task task = this.kernel.task(200);
		task.setNofile(soft, hard);
		assertThat(task.nofile()).isEqualTo(new Rlimit(soft, hard));
		assertErrno(Errno.EPERM, () -> task.setNofile(soft, hard + 1L));
	}

	@ParameterizedTest(name = "soft {0}, hard {1}: {2}")
	@CsvSource({ "2, 1, EINVAL", "1, 1048577, EPERM", "-1, -1, EPERM" })
	void init_badPair_startsNothing(long soft, long hard, Errno errno) {
		ProcessTree tree = this.kernel.tree(this.sysctl);
		assertErrno(errno, () -> tree.init(soft, hard, true, Allocator.WORD_FIRST));
		assertThat(tree.tasks()).isEmpty();
	}

	@Test
	void defaults_areThoseOfLinuxAtBoot() {
		assertThat(Rlimit.DEFAULT).isEqualTo(new Rlimit(1024, 4096));
		assertThat(Sysctl.unbounded().nrOpen()).isEqualTo(1_048_576);
	}

	@ParameterizedTest
	@ValueSource(ints = { 64, 65, 1000, 2_147_483_584 })
	void setNrOpen_inRange_isTaken(int nrOpen) {
		this.sysctl.setNrOpen(nrOpen);
		assertThat(this.sysctl.nrOpen()).isEqualTo(nrOpen);
	}

	@ParameterizedTest
	@ValueSource(ints = { 63, 0, -1, 2_147_483_585, Integer.MAX_VALUE })
	void setNrOpen_outOfRange_isRefused(int nrOpen) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.sysctl.setNrOpen(nrOpen));
		assertThat(this.sysctl.nrOpen()).isEqualTo(1_048_576);
	}

	@Test
	void setNrOpen_lowered_leavesTablesAndLimitsAndStopsGrowthAndCopies() {
		Task task = this.kernel.task(this.sysctl, 1000);
		task.dup2(0, 200);
		Task sharer = task.fork(true);
		this.sysctl.setNrOpen(100);
		assertThat(task.nofile()).isEqualTo(new Rlimit(1000, 1000));
		assertThat(task.fcntl(0, Fcntl.F_DUPFD, 255)).isEqualTo(255);
		assertErrno(Errno.EMFILE, () -> task.fcntl(0, Fcntl.F_DUPFD, 255));
		assertErrno(Errno.EBADF, () -> task.dup2(0, 256));
		assertErrno(Errno.EMFILE, () -> task.fork(false));
		assertErrno(Errno.EMFILE, task::unshare);
		assertErrno(Errno.EMFILE, () -> task.closeRange(3, 100, CloseRange.CLOSE_RANGE_UNSHARE));
		assertErrno(Errno.EMFILE, task::exec);
		assertThat(task.hasExited()).as("past the point of no return").isTrue();
		assertThat(isOpen(sharer, 255)).isTrue();
	}

	@Test
	void nrOpen_notAMultipleOf64_leavesItsLastNumbersUnreachable() {
		this.sysctl.setNrOpen(1000);
		Task task = this.kernel.task(this.sysctl, 1000);
		assertThat(task.fcntl(0, Fcntl.F_DUPFD, 959)).isEqualTo(959);
		assertThat(SyscallAssertions.fdSize(task)).isEqualTo(960);
		assertErrno(Errno.EMFILE, () -> task.fcntl(0, Fcntl.F_DUPFD, 960));
		assertErrno(Errno.EMFILE, () -> task.fcntl(0, Fcntl.F_DUPFD, 959));
		assertErrno(Errno.EBADF, () -> task.dup2(0, 999));
	}

	/** Room for one table of 128 slots and one file, but not for a second such table. */
	@Test
	void memoryBudget_spent_isEnomemForEveryCallThatNeedsATable() {
		Sysctl small = this.kernel.sysctl(1024, 100, 100, 2500);
		Task task = this.kernel.emptyTask(small, 1000);
		task.open(null, FileKind.OPAQUE, 0, null);
		task.dup2(0, 127);
		Task sharer = task.fork(true);
		long memory = small.memory();
		assertErrno(Errno.ENOMEM, () -> task.fcntl(0, Fcntl.F_DUPFD, 128));
		assertErrno(Errno.ENOMEM, () -> task.reserve(128, false));
		assertErrno(Errno.ENOMEM, () -> task.dup2(0, 128));
		assertErrno(Errno.ENOMEM, () -> task.dup3(0, 128, 0));
		assertErrno(Errno.EBADF, () -> task.dup2(5, 128));
		assertErrno(Errno.ENOMEM, () -> task.fork(false));
		assertErrno(Errno.ENOMEM, task::unshare);
		assertErrno(Errno.ENOMEM, () -> task.closeRange(0, 100, CloseRange.CLOSE_RANGE_UNSHARE));
		assertErrno(Errno.ENOMEM, task::exec);
		assertThat(small.memory()).as("a failed call takes nothing").isEqualTo(memory);
		assertThat(small.threads()).isEqualTo(1);
		assertThat(sharer.files().statistics().open()).isEqualTo(2);
	}

	@Test
	void threadsMax_reached_isEnfileUntilAProcessEnds() {
		Sysctl two = this.kernel.sysctl(1024, 100, 2, Long.MAX_VALUE);
		Task task = this.kernel.task(two, 10);
		Task child = task.fork(false);
		assertErrno(Errno.ENFILE, () -> task.fork(false));
		assertErrno(Errno.ENFILE, () -> task.fork(true));
		assertErrno(Errno.ENFILE, () -> this.kernel.task(two, 10));
		child.exit();
		assertThat(task.fork(true).pid()).isEqualTo(3);
	}

	@Test
	void fileMax_reachedByStdio_startsNothingAndLeavesNothing() {
		Sysctl two = this.kernel.sysctl(1024, 2, 10, Long.MAX_VALUE);
		assertErrno(Errno.ENFILE, () -> this.kernel.task(two, 10));
		assertThat(two.files()).isZero();
		assertThat(two.threads()).isZero();
	}

	@Test
	void fileMax_reached_isNoBoundForDuplicatesAndForks() {
		Sysctl three = this.kernel.sysctl(1024, 3, 10, Long.MAX_VALUE);
		Task task = this.kernel.task(three, 10);
		assertErrno(Errno.ENFILE, () -> task.open("/new", FileKind.OPAQUE, 0, null));
		assertThat(task.dup(0)).isEqualTo(3);
		assertThat(task.fork(false).dup(0)).isEqualTo(4);
		task.closeRange(0, 3, 0);
		assertErrno(Errno.ENFILE, () -> task.open("/new", FileKind.OPAQUE, 0, null));
	}

}
