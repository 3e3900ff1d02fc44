package io.fdtable.kernel;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.roaringbitmap.RoaringBitmap;

/**
 * {@code mvn -Pjmh test-compile exec:exec -Djmh.args="PeerBenchmark"}
 *
 * <p>
 * The same table made of what Java offers: one operation closes a random descriptor and
 * opens the lowest free one, in a table of a million numbers of which {@code holes} are
 * free. Every peer is a whole table, as safe for threads as ours: one lock, the files by
 * number, and its own way to find the lowest free number.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgs = "-Xmx3g")
public class PeerBenchmark {

	private static final int SIZE = 1_000_000;

	/** What is compared. */
	public enum Peer {

		WORD_FIRST, SUMMARY_TREE, BIT_SET, TREE_SET_OF_FREE, TREE_MAP_SCAN, ROARING_BITMAP

	}

	/** A table that can do no more than the benchmark asks for. */
	interface Table {

		/** Opens the lowest free number. */
		int open(OpenFile file);

		/** Closes a number, which may be free. */
		boolean close(int fd);

	}

	@Param
	Peer peer;

	@Param({ "0", "100000" })
	int holes;

	private Table table;

	private OpenFile file;

	/** The numbers that are open, in no order. */
	private final int[] open = new int[SIZE];

	private int opened;

	@Setup
	public void fill() {
		BenchmarkTables tables = new BenchmarkTables();
		this.file = tables.newFile();
		this.table = switch (this.peer) {
			case WORD_FIRST -> new Ours(tables.empty(AllocatorOptions.DEFAULT));
			case SUMMARY_TREE -> new Ours(tables.empty(new AllocatorOptions(Allocator.SUMMARY_TREE, true)));
			case BIT_SET -> new BitSetTable();
			case TREE_SET_OF_FREE -> new TreeSetTable();
			case TREE_MAP_SCAN -> new TreeMapTable();
			case ROARING_BITMAP -> new RoaringTable();
		};
		for (int i = 0; i < SIZE; i++) {
			this.open[i] = this.table.open(this.file);
		}
		this.opened = SIZE;
		for (int i = 0; i < this.holes; i++) {
			int index = ThreadLocalRandom.current().nextInt(this.opened);
			this.table.close(this.open[index]);
			this.open[index] = this.open[--this.opened];
		}
	}

	@Benchmark
	public int closeAndOpen() {
		int index = ThreadLocalRandom.current().nextInt(this.opened);
		if (!this.table.close(this.open[index])) {
			throw new IllegalStateException("not open");
		}
		this.open[index] = this.table.open(this.file);
		return this.open[index];
	}

	private record Ours(FilesStruct files) implements Table {

		@Override
		public int open(OpenFile file) {
			file.acquire();
			int fd = this.files.allocFd(0, BenchmarkTables.NR_OPEN, false);
			this.files.fdInstall(fd, file);
			return fd;
		}

		@Override
		public boolean close(int fd) {
			this.files.close(fd);
			return true;
		}

	}

	/** The files in an array and the search in a subclass. */
	private abstract static class LockedTable implements Table {

		private final OpenFile[] files = new OpenFile[1 << 20];

		@Override
		public final int open(OpenFile file) {
			file.acquire();
			synchronized (this) {
				int fd = takeLowest();
				this.files[fd] = file;
				return fd;
			}
		}

		@Override
		public final boolean close(int fd) {
			OpenFile file;
			synchronized (this) {
				file = this.files[fd];
				if (file == null) {
					return false;
				}
				this.files[fd] = null;
				giveBack(fd);
			}
			file.release();
			return true;
		}

		abstract int takeLowest();

		abstract void giveBack(int fd);

	}

	private static final class BitSetTable extends LockedTable {

		private final BitSet taken = new BitSet();

		@Override
		int takeLowest() {
			int fd = this.taken.nextClearBit(0);
			this.taken.set(fd);
			return fd;
		}

		@Override
		void giveBack(int fd) {
			this.taken.clear(fd);
		}

	}

	/** Chicory's way: a sorted set of what was closed, and a counter for the rest. */
	private static final class TreeSetTable extends LockedTable {

		private final TreeSet<Integer> free = new TreeSet<>();

		private int next;

		@Override
		int takeLowest() {
			Integer fd = this.free.pollFirst();
			return (fd != null) ? fd : this.next++;
		}

		@Override
		void giveBack(int fd) {
			this.free.add(fd);
		}

	}

	private static final class RoaringTable extends LockedTable {

		private final RoaringBitmap taken = new RoaringBitmap();

		@Override
		int takeLowest() {
			int fd = (int) this.taken.nextAbsentValue(0);
			this.taken.add(fd);
			return fd;
		}

		@Override
		void giveBack(int fd) {
			this.taken.remove(fd);
		}

	}

	/** GraalPy's way: a sorted map, walked until a number is missing. */
	private static final class TreeMapTable implements Table {

		private final TreeMap<Integer, OpenFile> files = new TreeMap<>();

		@Override
		public int open(OpenFile file) {
			file.acquire();
			synchronized (this) {
				int fd = lowest();
				this.files.put(fd, file);
				return fd;
			}
		}

		private int lowest() {
			Map.Entry<Integer, OpenFile> last = this.files.lastEntry();
			// Filling a million numbers by the walk would take an hour.
			if (last == null || last.getKey() == this.files.size() - 1) {
				return this.files.size();
			}
			int fd = 0;
			for (int taken : this.files.keySet()) {
				if (taken != fd) {
					return fd;
				}
				fd++;
			}
			return fd;
		}

		@Override
		public boolean close(int fd) {
			OpenFile file;
			synchronized (this) {
				file = this.files.remove(fd);
			}
			if (file == null) {
				return false;
			}
			file.release();
			return true;
		}

	}

}
