package io.fdtable.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Guards against further bugs that Linux once had in this code: those of copies that race
 * with growth, of numbers beyond a table, and of exec. The commits that fixed them are
 * named.
 */
class MoreHistoricBugsTest {

	private static final int LIMIT = 4096;

	private final Sysctl sysctl = Sysctl.unbounded();

	private Task task() {
		return new ProcessTree(this.sysctl).init(LIMIT, LIMIT, true, Allocator.WORD_FIRST);
	}

	private static void runTogether(List<Callable<Void>> threads) throws Exception {
		try (ExecutorService executor = Executors.newFixedThreadPool(threads.size())) {
			for (Future<Void> thread : executor.invokeAll(threads)) {
				thread.get();
			}
		}
	}

	private static void assertErrno(Runnable call, Errno errno) {
		assertThatExceptionOfType(SyscallException.class).isThrownBy(call::run)
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(errno));
	}

	/**
	 * 678379e1d4f7: whether the range reached the end of the table was decided before the
	 * lock was taken, so a table that grew in between lost what lay beyond.
	 */
	@Test
	void b5_unshareDuringGrowth_copiesEverythingOutsideTheRange() throws Exception {
		for (int round = 0; round < 200; round++) {
			Task parent = task();
			parent.dup2(0, 100);
			Task sharer = parent.fork(true);
			int outside = 200 + round;
			runTogether(List.of(() -> {
				parent.dup2(0, outside);
				return null;
			}, () -> {
				sharer.closeRange(64, 127, CloseRange.CLOSE_RANGE_UNSHARE);
				return null;
			}));
			FilesStruct copy = sharer.files();
			copy.checkInvariants();
			assertThat(copy.entry(100)).isNull();
			assertThat(copy.entry(2)).isNotNull();
			// Either the copy was taken before the growth, or it has what is there since.
			boolean isWide = copy.bitmaps().capacity() > 64;
			assertThat(copy.entry(outside) != null).isEqualTo(isWide);
			sharer.exit();
			parent.exit();
		}
	}

	/** 9b5b872215fe: marks were written up to the end of the old, wider table. */
	@Test
	void b7_unshareAndMarkAHundredTimes_staysInsideTheCopy() {
		Task parent = task();
		int fd = parent.dup(0);
		parent.dup2(fd, 1000);
		for (int round = 0; round < 100; round++) {
			Task sharer = parent.fork(true);
			sharer.closeRange(3, -1, CloseRange.CLOSE_RANGE_UNSHARE | CloseRange.CLOSE_RANGE_CLOEXEC);
			assertThat(sharer.files().closeOnExec(1000)).isTrue();
			sharer.files().checkInvariants();
			sharer.dup2(fd, 42);
			assertThat(sharer.files().closeOnExec(42)).isFalse();
			sharer.exit();
		}
		assertThat(parent.files().closeOnExec(fd)).isFalse();
		assertThat(parent.files().closeOnExec(1000)).isFalse();
	}

	/**
	 * A copy that marks may be narrower than the table, and the range may end between.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 64, 127, 128, 1000, Integer.MAX_VALUE, -1 })
	void b7_unshareAndMarkANarrowCopy_staysInsideTheCopy(int last) {
		Task parent = task();
		parent.dup2(0, 1000);
		parent.close(1000);
		Task sharer = parent.fork(true);
		sharer.closeRange(2, last, CloseRange.CLOSE_RANGE_UNSHARE | CloseRange.CLOSE_RANGE_CLOEXEC);
		assertThat(sharer.files().bitmaps().capacity()).isEqualTo(64);
		assertThat(sharer.files().closeOnExec(2)).isTrue();
		sharer.files().checkInvariants();
	}

	/** 609d54441493: a lookup could read past the table while it speculated. */
	@ParameterizedTest
	@ValueSource(ints = { 64, 65, 127, 128, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE, -64, -1 })
	void b16_lookupBeyondTheTable_isEbadf(int fd) {
		Task task = task();
		assertErrno(() -> task.files().fget(fd), Errno.EBADF);
		assertErrno(() -> task.files().closeOnExec(fd), Errno.EBADF);
		assertErrno(() -> task.dup2(fd, 5), Errno.EBADF);
		assertThat(task.files().entry(fd)).isNull();
	}

	/** 0c9bd6bc4bb2: a process that was going had no table, and that read as EBADF. */
	@Test
	void b18_getfdFromExitedProcess_isEsrch() {
		Task parent = task();
		Task child = parent.fork(false);
		child.exit();
		assertErrno(() -> parent.transfer().pidfdGetfd(child.pid(), 0), Errno.ESRCH);
		assertErrno(() -> parent.transfer().pidfdGetfd(child.pid(), 99), Errno.ESRCH);
	}

	/** Review of dup_fd, August 2024: the failure of its allocation was not tested. */
	@Test
	void b21_unshareBeyondNrOpen_isEmfileAndLeavesTheTable() {
		Task parent = task();
		parent.dup2(0, 2111);
		Task sharer = parent.fork(true);
		this.sysctl.setNrOpen(1024);
		assertErrno(sharer::unshare, Errno.EMFILE);
		assertErrno(() -> sharer.closeRange(3, 10, CloseRange.CLOSE_RANGE_UNSHARE), Errno.EMFILE);
		assertErrno(() -> parent.fork(false), Errno.EMFILE);
		assertThat(sharer.files()).isSameAs(parent.files());
		assertThat(parent.files().count()).isEqualTo(2);
		assertThat(parent.files().entry(2111)).isNotNull();
		parent.files().checkInvariants();
		assertThat(this.sysctl.threads()).isEqualTo(2);
	}

	/** 613cc2b6f272: exec closed descriptors after the process had changed its rights. */
	@Test
	void b23_execOfSharedTable_copiesBeforeItCloses() {
		Task parent = task();
		int marked = parent.open(null, FileKind.OPAQUE, OpenFlags.O_CLOEXEC, null);
		Task sharer = parent.fork(true);
		Task.Exec exec = sharer.exec();
		assertThat(exec.unshared()).isTrue();
		assertThat(exec.closed()).containsExactly(marked);
		assertThat(sharer.files().entry(marked)).isNull();
		assertThat(parent.files().closeOnExec(marked)).isTrue();
	}

	/** dc530c44cd64: a driver installed into a slot that held a file. */
	@Test
	void b25_secondInstall_isRefused() {
		Task task = task();
		int fd = task.reserve(0, false);
		assertThat(task.files().entry(fd)).matches(FdEntry::isReserved);
		task.install(fd, 0, null, FileKind.OPAQUE, 0, null);
		FdEntry entry = task.files().entry(fd);
		Inode inode = new Inode(FileKind.OPAQUE, this.sysctl);
		OpenFile second = new OpenFile(this.sysctl, 99, inode, null, null, 0, false);
		assertThatIllegalStateException().isThrownBy(() -> task.files().fdInstall(fd, second))
			.withMessageContaining("I7");
		assertThat(task.files().entry(fd)).isEqualTo(entry);
		assertErrno(() -> task.install(fd, 0, null, FileKind.OPAQUE, 0, null), Errno.EBUSY);
	}

	/** 5704a0681068: the first process's table could not be waited for. */
	@Test
	void b27_firstProcess_growsFromSeveralThreads() throws Exception {
		for (int round = 0; round < 20; round++) {
			Task first = task();
			List<Callable<Void>> threads = new ArrayList<>();
			for (int thread = 0; thread < 4; thread++) {
				int start = thread;
				threads.add(() -> {
					for (int fd = 64 + start; fd < LIMIT; fd += 61 + 4 * start) {
						first.files().dup2(0, fd, LIMIT);
					}
					return null;
				});
			}
			runTogether(threads);
			FilesStruct files = first.files();
			files.checkInvariants();
			assertThat(files.bitmaps().capacity()).isEqualTo(LIMIT);
			for (int start = 0; start < 4; start++) {
				for (int fd = 64 + start; fd < LIMIT; fd += 61 + 4 * start) {
					assertThat(files.entry(fd)).as("descriptor %d", fd).isNotNull();
				}
			}
			first.exit();
		}
		assertThat(this.sysctl.files()).isZero();
		assertThat(this.sysctl.memory()).isZero();
	}

}
