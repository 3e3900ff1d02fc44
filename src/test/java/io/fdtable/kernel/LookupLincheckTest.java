package io.fdtable.kernel;

import java.util.List;
import java.util.stream.Stream;

import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards the second looks of a lookup and of an install. Lincheck's model checker stops
 * the thread that takes no lock between any two of its reads, lets the other one do all
 * it has to do, and compares the answers with those of any order of the steps. The second
 * look at the slot in {@code fget} has no test: the others make up for it.
 *
 * <p>
 * Its tag gives it a JVM of its own.
 */
@Tag("lincheck")
public class LookupLincheckTest {

	private static final int LIMIT = 8192;

	/** Schedules to try; there are fewer than a hundred places to stop a thread at. */
	private static final int SCHEDULES = 500;

	/** Runs steps in each of two threads, and then the last ones. */
	private static void check(Class<?> tables, String one, String other, String last) {
		new ModelCheckingOptions().iterations(0)
			.invocationsPerIteration(SCHEDULES)
			.loopBound(10_000)
			.minimizeFailedScenario(false)
			// What only the holder of the lock does, in long loops.
			.addGuarantee(ManagedStrategyGuaranteeKt
				.forClasses("io.fdtable.kernel.SlotChunk", "io.fdtable.kernel.FdBitmap",
						"io.fdtable.kernel.TwoLevelBitmap", "io.fdtable.kernel.WordFirstBitmap")
				.allMethods()
				.ignore())
			.addCustomScenario(new ExecutionScenario(List.of(), List.of(steps(tables, one), steps(tables, other)),
					steps(tables, last), null))
			.check(tables);
	}

	private static List<Actor> steps(Class<?> tables, String names) {
		return Stream.of(names.split(", ", -1)).map((name) -> step(tables, name)).toList();
	}

	private static Actor step(Class<?> tables, String name) {
		try {
			return new Actor(tables.getMethod(name), List.of());
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	@Test
	@DisplayName("B13: a number that is always open is found in a table that growth has replaced")
	void fget_tableReplacedAndTheOldChunkClosed_findsTheFile() {
		check(Family.class, "growThenCloseInChild", "fget", "fget");
	}

	@Test
	@DisplayName("B13: a lookup does not take what another table has at the number")
	void fget_tableReplacedAndTheOldChunkReused_findsItsOwnFile() {
		check(Family.class, "growThenReplaceInChild", "fget", "fget");
	}

	@Test
	@DisplayName("B13: the mark of a number that is always open is found in a table that growth has replaced")
	void closeOnExec_tableReplacedAndTheOldChunkClosed_findsTheMark() {
		check(Family.class, "growThenCloseInChild", "closeOnExec", "closeOnExec");
	}

	@Test
	@DisplayName("B13: a number that is always open is found in a chunk that has been replaced")
	void fget_chunkReplacedAndTheOldOneClosed_findsTheFile() {
		check(Family.class, "unshareThenCloseInChild", "fget", "fget");
	}

	/**
	 * Two second looks guard this, at the chunk and at the slot, and either is enough.
	 */
	@Test
	@DisplayName("B13: a lookup does not take what another table has in a chunk that was once shared")
	void fget_chunkReplacedAndTheOldOneReused_findsItsOwnFile() {
		check(Family.class, "unshareThenReplaceInChild", "fget", "fget");
	}

	@Test
	@DisplayName("B13 (5ba97d2832f8): a number that is always open is never EBADF during dup2")
	void b13_fgetDuringDup2_findsTheOldFileOrTheNew() {
		check(Single.class, "replace", "fget", "fget");
	}

	@Test
	@DisplayName("B14 (CVE-2021-4083): a lookup during close and open gets no closed file")
	void b14_fgetDuringCloseAndReopen_findsALiveFileOrNone() {
		check(Single.class, "close, reopen", "fget", "filesLeft");
	}

	@Test
	@DisplayName("B12 (8a81252b774b): no install is lost in growth")
	void b12_installDuringGrowth_isFoundAfterwards() {
		check(Single.class, "grow", "install", "fgetInstalled");
	}

	/** A table and its copy, which share the chunk of the number that is always open. */
	public static class Family {

		private final Sysctl sysctl = Sysctl.unbounded();

		private final FilesStruct parent = new FilesStruct(this.sysctl, Allocator.WORD_FIRST);

		private final FilesStruct child;

		public Family() {
			open(this.parent, this.sysctl, 3);
			this.parent.dup2(0, 1500, LIMIT);
			this.child = this.parent.dupFd(null);
			if (!this.parent.sharesSlot(1)) {
				throw new IllegalStateException("the chunk is not shared");
			}
		}

		@Operation
		public void growThenCloseInChild() {
			this.parent.dup2(0, 3000, LIMIT);
			unshareThenCloseInChild();
		}

		@Operation
		public void growThenReplaceInChild() {
			this.parent.dup2(0, 3000, LIMIT);
			unshareThenReplaceInChild();
		}

		@Operation
		public void unshareThenCloseInChild() {
			this.parent.dup2(0, 2, LIMIT);
			this.child.close(1);
		}

		@Operation
		public void unshareThenReplaceInChild() {
			this.parent.dup2(0, 2, LIMIT);
			this.child.dup2(2, 1, LIMIT);
		}

		@Operation
		public long fget() {
			return idAt(this.parent, 1);
		}

		@Operation
		public boolean closeOnExec() {
			return this.parent.closeOnExec(1);
		}

	}

	/** A table of 64 slots, in which number 2 is reserved. */
	public static class Single {

		private final Sysctl sysctl = Sysctl.unbounded();

		private final FilesStruct files = new FilesStruct(this.sysctl, Allocator.WORD_FIRST);

		private final int reserved;

		public Single() {
			open(this.files, this.sysctl, 2);
			this.reserved = this.files.allocFd(0, LIMIT, false);
		}

		@Operation
		public void replace() {
			this.files.dup2(0, 1, LIMIT);
		}

		@Operation
		public void close() {
			this.files.close(1);
		}

		@Operation
		public void reopen() {
			this.files.fdInstall(this.files.allocFd(0, LIMIT, false), file(this.sysctl, 10));
		}

		@Operation
		public void grow() {
			this.files.dup2(0, 64, LIMIT);
		}

		@Operation
		public void install() {
			this.files.fdInstall(this.reserved, file(this.sysctl, 20));
		}

		@Operation
		public String fget() {
			try {
				return Long.toString(idAt(this.files, 1));
			}
			catch (SyscallException ex) {
				return ex.errno().name();
			}
		}

		@Operation
		public long fgetInstalled() {
			return idAt(this.files, this.reserved);
		}

		/** Counts one less if a file has been closed twice. */
		@Operation
		public long filesLeft() {
			return this.sysctl.files();
		}

	}

	private static void open(FilesStruct files, Sysctl sysctl, int count) {
		for (int id = 0; id < count; id++) {
			files.fdInstall(files.allocFd(0, LIMIT, false), file(sysctl, id));
		}
	}

	private static OpenFile file(Sysctl sysctl, int id) {
		sysctl.addFile();
		return new OpenFile(sysctl, id, new Inode(FileKind.OPAQUE, sysctl), null, null, 0, false);
	}

	private static long idAt(FilesStruct files, int fd) {
		OpenFile file = files.fget(fd);
		file.release();
		return file.id();
	}

}
