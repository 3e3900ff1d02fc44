package io.fdtable.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that nobody can tell that forked tables share slots: who uses a file, when it is
 * closed for good, what a reserved number is in the child, and what each side sees of the
 * other's changes.
 */
class SharedSlotsTest {

	private static final int SIZE = 3000;

	private final Sysctl sysctl = Sysctl.unbounded();

	private final ProcessTree tree = new ProcessTree(this.sysctl);

	private final Task parent = this.tree.init(8000, 8000, false, Allocator.WORD_FIRST);

	@BeforeEach
	void open() {
		for (int fd = 0; fd < SIZE; fd++) {
			this.parent.open(null, FileKind.SOCKET, OpenFlags.O_RDWR, null);
		}
	}

	private static OpenFile file(Task task, int fd) {
		FdEntry entry = task.files().entry(fd);
		return (entry != null) ? entry.file() : null;
	}

	@Test
	void fork_wideTable_everyFileHasTwoUsersAndOneReference() {
		OpenFile file = file(this.parent, 1500);
		assertThat(this.parent.files().sharesSlot(1500)).isFalse();
		Task child = this.parent.fork(false);
		assertThat(file(child, 1500)).isSameAs(file);
		assertThat(this.parent.files().sharesSlot(1500)).isTrue();
		assertThat(child.files().sharesSlot(1500)).isTrue();
		assertThat(file.count()).isEqualTo(1);
		assertThat(this.tree.references(file)).isEqualTo(2);
		check(child);
	}

	@Test
	void close_sharedSlot_leavesTheOthersAlone() {
		Task child = this.parent.fork(false);
		OpenFile file = file(this.parent, 1500);
		child.close(1500);
		assertThat(file(child, 1500)).isNull();
		assertThat(file(this.parent, 1500)).isSameAs(file);
		assertThat(this.tree.references(file)).isEqualTo(1);
		assertThat(this.parent.files().sharesSlot(1500)).as("the neighbours' chunk").isFalse();
		assertThat(this.parent.files().sharesSlot(100)).isTrue();
		// The neighbour's two references are now real ones.
		assertThat(file(this.parent, 1501).count()).isEqualTo(2);
		assertThat(this.tree.references(file(this.parent, 1501))).isEqualTo(2);
		assertThat(this.sysctl.files()).isEqualTo(SIZE);
		this.parent.close(1500);
		assertThat(file.count()).isZero();
		assertThat(this.sysctl.files()).isEqualTo(SIZE - 1);
		check(child);
	}

	@Test
	void exit_ofEither_closesNothingThatTheOtherUses() {
		Task child = this.parent.fork(false);
		Task grandchild = child.fork(false);
		assertThat(this.tree.references(file(child, 2000))).isEqualTo(3);
		this.parent.exit();
		child.close(2000);
		child.exit();
		assertThat(this.sysctl.files()).isEqualTo(SIZE);
		assertThat(this.tree.references(file(grandchild, 2000))).isEqualTo(1);
		grandchild.exit();
		assertThat(this.sysctl.files()).isZero();
	}

	@Test
	void closeRange_wholeSharedChunk_freesItsNumbers() {
		Task child = this.parent.fork(false);
		assertThat(child.closeRange(1000, -1, 0)).isEqualTo(SIZE - 1000);
		assertThat(child.files().entries(0, SIZE)).hasSize(1000);
		assertThat(child.dup(0)).isEqualTo(1000);
		assertThat(this.parent.files().entries(0, SIZE)).hasSize(SIZE);
		assertThat(this.parent.dup(0)).isEqualTo(SIZE);
		check(child);
	}

	@Test
	void detach_numberOpenedBelowMeanwhile_doesNothing() {
		FdTable table = new FdTable(Allocator.WORD_FIRST.newBitmap(4096, new SearchCounters()));
		for (int fd : new int[] { 1024, 1030 }) {
			table.openFds.set(fd);
			table.setGeneration(fd, fd);
			table.install(fd, file(this.parent, fd));
		}
		FdTable copy = table.copy(4096, 4096, new SearchCounters());
		assertThat(table.sharesSlot(1024)).isTrue();
		// Whoever walks a range has found 1030 the first and let others in before.
		assertThat(table.detach(1030, 0, 4096)).isNull();
		assertThat(table.fileAt(1024)).isSameAs(file(this.parent, 1024));
		assertThat(table.detach(1024, 0, 4096)).isNotNull();
		assertThat(table.fileAt(1024)).isNull();
		assertThat(copy.fileAt(1024)).isSameAs(file(this.parent, 1024));
	}

	@Test
	void fork_reservedNumber_isFreeInTheChildAndInstallsInTheParentOnly() {
		this.parent.close(1500);
		assertThat(this.parent.reserve(0, false)).isEqualTo(1500);
		Task child = this.parent.fork(false);
		assertThat(this.parent.files().sharesSlot(1500)).isFalse();
		assertThat(this.parent.files().sharesSlot(100)).isTrue();
		this.parent.install(1500, 0, null, FileKind.EVENTFD, OpenFlags.O_RDWR, null);
		assertThat(file(this.parent, 1500).kind()).isEqualTo(FileKind.EVENTFD);
		assertThat(child.files().entry(1500)).isNull();
		assertThat(child.dup(0)).isEqualTo(1500);
		check(child);
	}

	@Test
	void dup2_ontoSharedSlot_replacesInOneTableOnly() {
		Task child = this.parent.fork(false);
		OpenFile file = file(this.parent, 1500);
		long generation = this.parent.files().entry(1500).generation();
		assertThat(child.dup2(0, 1500)).isTrue();
		assertThat(file(child, 1500)).isSameAs(file(this.parent, 0));
		assertThat(file(this.parent, 1500)).isSameAs(file);
		assertThat(this.parent.files().entry(1500).generation()).isEqualTo(generation);
		assertThat(child.files().entry(1500).generation()).isGreaterThan(generation);
		assertThat(this.tree.references(file(this.parent, 0))).isEqualTo(3);
		check(child);
	}

	@Test
	void unshareRange_cutInTheMiddleOfAChunk_copiesNoFurther() {
		Task sharer = this.parent.fork(true);
		assertThat(sharer.closeRange(2500, -1, CloseRange.CLOSE_RANGE_UNSHARE)).isEqualTo(2560 - 2500);
		assertThat(sharer.files().entries(0, SIZE)).hasSize(2500);
		assertThat(this.tree.references(file(this.parent, 2700))).isEqualTo(1);
		assertThat(this.tree.references(file(this.parent, 2400))).isEqualTo(2);
		assertThat(this.tree.references(file(this.parent, 100))).isEqualTo(2);
		check(sharer);
	}

	@Test
	void growth_sharedChunks_goOverToTheWiderTable() {
		Task child = this.parent.fork(false);
		child.dup2(0, 7000);
		assertThat(child.files().sharesSlot(1500)).isTrue();
		child.close(1500);
		assertThat(file(this.parent, 1500)).isNotNull();
		check(child);
	}

	/** Both sides go through their tables at once, each making copies as it goes. */
	@Test
	void close_bothSidesAtOnce_everyFileIsClosedOnce() throws Exception {
		List<OpenFile> files = new ArrayList<>();
		for (int fd = 0; fd < SIZE; fd++) {
			files.add(file(this.parent, fd));
		}
		List<Task> tasks = List.of(this.parent, this.parent.fork(false), this.parent.fork(false));
		CyclicBarrier start = new CyclicBarrier(tasks.size());
		try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
			List<Future<?>> ends = new ArrayList<>();
			for (Task task : tasks) {
				ends.add(threads.submit(() -> {
					start.await();
					for (int fd = 0; fd < SIZE; fd++) {
						task.close(fd);
					}
					return null;
				}));
			}
			for (Future<?> end : ends) {
				end.get();
			}
		}
		assertThat(files).allSatisfy((file) -> assertThat(file.count()).isZero());
		assertThat(this.sysctl.files()).isZero();
	}

	/** The parent's number is open all the time, whatever becomes of the chunk. */
	@Test
	void lookup_whileTheChunkIsReplaced_neverMissesAnOpenNumber() throws Exception {
		FilesStruct files = this.parent.files();
		OpenFile expected = file(this.parent, 1500);
		try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
			Future<?> forks = threads.submit(() -> {
				for (int i = 0; i < 300; i++) {
					Task child = this.parent.fork(false);
					this.parent.dup2(0, 1501);
					child.close(1500);
					child.exit();
				}
			});
			while (!forks.isDone()) {
				OpenFile found = files.fget(1500);
				found.release();
				assertThat(found).isSameAs(expected);
				assertThat(files.closeOnExec(1500)).isFalse();
			}
			forks.get();
		}
		assertThat(this.tree.references(expected)).isEqualTo(1);
		this.parent.exit();
		assertThat(this.sysctl.files()).isZero();
	}

	private void check(Task other) {
		this.parent.files().checkInvariants();
		other.files().checkInvariants();
	}

	@Test
	void closeRange_wholeSharedChunks_dropsWhatTheChildHeldOfThem() {
		Task child = this.parent.fork(false);
		OpenFile file = file(this.parent, 1500);
		assertThat(child.files().closeRange(new FdRange(0, SIZE))).isEqualTo(SIZE);
		assertThat(this.tree.references(file)).isEqualTo(1);
		assertThat(this.parent.files().sharesSlot(1500)).isFalse();
		this.parent.close(1500);
		assertThat(file.count()).isZero();
		assertThat(this.sysctl.files()).isEqualTo(SIZE - 1);
		check(child);
	}

	@Test
	void bytesFor_width_referenceGenerationAndBitsOfEachSlot() {
		assertThat(FdTable.bytesFor(64)).isZero();
		assertThat(FdTable.bytesFor(1024)).isEqualTo(12 * 1024 + 2 * 1024 / 8 + 2);
		assertThat(FdTable.bytesFor(1 << 20)).isEqualTo(12 * (1 << 20) + 2 * (1 << 20) / 8 + (1 << 20) / 64 / 8);
	}

	@Test
	void statistics_fullWords_wordsOfOnes() {
		assertThat(this.parent.files().statistics().fullWords()).isEqualTo(SIZE / 64);
		this.parent.close(70);
		assertThat(this.parent.files().statistics().fullWords()).isEqualTo(SIZE / 64 - 1);
	}

	/** The chunk below ends with 1023, which is open and no business of the range. */
	@Test
	void closeRange_fromTheFirstSlotOfAChunk_keepsTheNumberBelow() {
		Task child = this.parent.fork(false);
		assertThat(child.closeRange(1024, -1, 0)).isEqualTo(SIZE - 1024);
		assertThat(file(child, 1023)).isNotNull().isSameAs(file(this.parent, 1023));
		assertThat(file(child, 1024)).isNull();
		assertThat(child.files().entries(0, SIZE)).hasSize(1024);
		assertThat(child.dup(0)).isEqualTo(1024);
		assertThat(this.parent.files().entries(0, SIZE)).hasSize(SIZE);
		assertThat(this.tree.references(file(this.parent, 1023))).isEqualTo(2);
		assertThat(this.tree.references(file(this.parent, 1024))).isEqualTo(1);
		check(child);
	}

}
