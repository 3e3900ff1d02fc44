package io.fdtable.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Guards what threads that share a table can rely on. Each test does a fixed number of
 * steps; the fixture then finds every file closed.
 */
@Timeout(60)
class FilesStructConcurrencyTest {

	private static final int LIMIT = 4096;

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	private Sysctl sysctl;

	@BeforeEach
	void makeSettings() {
		this.sysctl = this.kernel.sysctl(Sysctl.DEFAULT_NR_OPEN);
	}

	/** Runs all steps at the same time and throws what any of them threw. */
	private static void runTogether(List<Callable<Void>> threads) throws Exception {
		CyclicBarrier start = new CyclicBarrier(threads.size());
		try (ExecutorService executor = Executors.newFixedThreadPool(threads.size())) {
			List<Future<Void>> running = new ArrayList<>();
			for (Callable<Void> thread : threads) {
				running.add(executor.submit(() -> {
					start.await();
					return thread.call();
				}));
			}
			for (Future<Void> one : running) {
				one.get();
			}
		}
	}

	@Test
	@DisplayName("B12 (8a81252b774b): no install is lost while the table grows")
	void b12_installDuringGrowth_isFoundAfterwards() throws Exception {
		for (int round = 0; round < 300; round++) {
			FilesStruct files = this.kernel.files(this.sysctl);
			OpenFile[] installed = new OpenFile[60];
			Callable<Void> installer = () -> {
				for (int i = 0; i < installed.length; i++) {
					int fd = files.allocFd(0, 64, false);
					installed[fd] = KernelFixture.file(this.sysctl);
					files.fdInstall(fd, installed[fd]);
				}
				return null;
			};
			Callable<Void> grower = () -> {
				for (int fd = 64; fd < LIMIT; fd *= 2) {
					files.putUnusedFd(files.allocFd(fd, LIMIT, false));
				}
				return null;
			};
			runTogether(List.of(installer, grower));
			for (int fd = 0; fd < installed.length; fd++) {
				assertThat(files.entry(fd).file()).isSameAs(installed[fd]);
			}
			assertThat(files.bitmaps().capacity()).isEqualTo(LIMIT);
		}
	}

	@Test
	@DisplayName("B12 (8a81252b774b): an install that meets a table which has been replaced goes to the new one")
	void b12_installIntoReplacedTable_isSentToTheNewOne() {
		SearchCounters counters = new SearchCounters();
		FdTable old = new FdTable(Allocator.WORD_FIRST.newBitmap(64, counters));
		OpenFile file = KernelFixture.file(this.sysctl);
		for (int fd = 0; fd < 2; fd++) {
			old.openFds.set(fd);
			old.setGeneration(fd, fd + 1);
		}
		assertThat(old.install(0, file)).isTrue();
		FdTable wider = old.expand(128, counters);
		assertThat(old.install(1, file)).isFalse();
		assertThat(old.fileAt(1)).as("still not open for those who look at the old table").isNull();
		assertThat(wider.install(1, file)).isTrue();
		assertThat(wider.fileAt(0)).isSameAs(file);
		assertThat(wider.fileAt(1)).isSameAs(file);
		file.release();
	}

	@Test
	void install_ofANumberNobodyReserved_isRefusedAndTouchesNoOtherTable() {
		FdTable table = new FdTable(Allocator.WORD_FIRST.newBitmap(64, new SearchCounters()));
		OpenFile file = KernelFixture.file(this.sysctl);
		assertThatIllegalStateException().isThrownBy(() -> table.install(5, file)).withMessageContaining("I7");
		assertThat(new FdTable(Allocator.WORD_FIRST.newBitmap(64, new SearchCounters())).fileAt(5)).isNull();
		file.release();
	}

	@Test
	@DisplayName("B13 (5ba97d2832f8): a number that is always open is never EBADF during dup2")
	void b13_lookupDuringDup2_alwaysFindsAFile() throws Exception {
		Task task = this.kernel.task(this.sysctl, LIMIT);
		FilesStruct files = task.files();
		task.dup2(0, 7);
		AtomicBoolean done = new AtomicBoolean();
		Callable<Void> replacer = () -> {
			try {
				for (int i = 0; i < 50_000; i++) {
					// A file of its own each time, so that the one replaced dies.
					int fd = task.open(null, FileKind.REGULAR, 0, null);
					task.dup2(fd, 7);
					task.close(fd);
				}
			}
			finally {
				done.set(true);
			}
			return null;
		};
		Callable<Void> reader = () -> {
			while (!done.get()) {
				OpenFile file = files.fget(7);
				assertThat(file.count()).isPositive();
				file.release();
			}
			return null;
		};
		runTogether(List.of(replacer, reader));
	}

	@Test
	@DisplayName("B14 (CVE-2021-4083): a lookup during close and open gets the old file, the new one, or EBADF")
	void b14_lookupDuringCloseAndOpen_getsALiveFileOfThatNumber() throws Exception {
		Task task = this.kernel.task(this.sysctl, LIMIT);
		FilesStruct files = task.files();
		AtomicBoolean done = new AtomicBoolean();
		Callable<Void> opener = () -> {
			try {
				for (int i = 0; i < 50_000; i++) {
					// Number 3 always has this label, number 4 always the other.
					assertThat(task.open(null, FileKind.REGULAR, 0, "three")).isEqualTo(3);
					assertThat(task.open(null, FileKind.REGULAR, 0, "four")).isEqualTo(4);
					task.close(4);
					task.close(3);
				}
			}
			finally {
				done.set(true);
			}
			return null;
		};
		Callable<Void> reader = () -> {
			while (!done.get()) {
				try {
					OpenFile file = files.fget(3);
					assertThat(file.label()).isEqualTo("three");
					assertThat(file.count()).isPositive();
					file.release();
				}
				catch (SyscallException ex) {
					assertThat(ex.errno()).isEqualTo(Errno.EBADF);
				}
			}
			return null;
		};
		runTogether(List.of(opener, reader));
	}

	@Test
	void allocFd_eightThreads_handOutNoNumberTwice() throws Exception {
		Task task = this.kernel.task(this.sysctl, LIMIT);
		FilesStruct files = task.files();
		AtomicIntegerArray holders = new AtomicIntegerArray(LIMIT);
		List<Callable<Void>> threads = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			int number = i;
			threads.add(() -> {
				allocateAndClose(files, holders, number);
				return null;
			});
		}
		runTogether(threads);
		assertThat(files.statistics().open()).isEqualTo(3);
		assertThat(files.statistics().reserved()).isZero();
		assertThat(this.sysctl.files()).isEqualTo(3);
		task.exit();
		assertThat(this.sysctl.files()).isZero();
	}

	private void allocateAndClose(FilesStruct files, AtomicIntegerArray holders, int number) {
		int[] held = new int[40];
		for (int round = 0; round < 250; round++) {
			for (int i = 0; i < held.length; i++) {
				// Minimums far apart let the table grow under the others.
				held[i] = files.allocFd((i % 8 == 0) ? number * 100 + round : 0, LIMIT, (i & 1) == 0);
				assertThat(holders.incrementAndGet(held[i])).as("holders of %d", held[i]).isEqualTo(1);
				if (i % 3 != 0) {
					files.fdInstall(held[i], KernelFixture.file(this.sysctl));
				}
			}
			for (int i = 0; i < held.length; i++) {
				assertThat(holders.decrementAndGet(held[i])).isZero();
				if (i % 3 != 0) {
					files.close(held[i]);
				}
				else {
					files.putUnusedFd(held[i]);
				}
			}
		}
	}

	@Test
	void dupFd_duringOpenAndClose_isASnapshotThatHoldsItsFiles() throws Exception {
		Task task = this.kernel.task(this.sysctl, LIMIT);
		AtomicBoolean done = new AtomicBoolean();
		Callable<Void> opener = () -> {
			try {
				for (int i = 0; i < 5_000; i++) {
					for (int n = 0; n < 5; n++) {
						task.open(null, FileKind.REGULAR, 0, null);
					}
					task.closeRange(3, -1, 0);
				}
			}
			finally {
				done.set(true);
			}
			return null;
		};
		Callable<Void> forker = () -> {
			while (!done.get()) {
				Task child = task.fork(false);
				child.files().checkInvariants();
				assertThat(child.files().statistics().open()).isBetween(3, 8);
				child.exit();
			}
			return null;
		};
		runTogether(List.of(opener, forker));
		assertThat(this.sysctl.files()).isEqualTo(3);
	}

}
