package io.fdtable.kernel;

import java.util.Arrays;
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

/**
 * {@code mvn -Pjmh test-compile exec:exec -Djmh.args="AllocationBenchmark"}
 *
 * <p>
 * Three shapes of one thread's calls: opening in a row, a table of fewer than a hundred
 * descriptors as blogbench has it, and F_DUPFD where the only hole in the word of its
 * minimum lies below the minimum.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgs = "-Xmx3g")
public class AllocationBenchmark {

	/** Every strategy, with next_fd and without. */
	@State(Scope.Thread)
	public static class Filling {

		@Param
		Allocator allocator;

		@Param({ "true", "false" })
		boolean nextFdHint;

		@Param("1000000")
		int size;

	}

	/** One operation opens {@code size} descriptors in a new table. */
	@Benchmark
	@OutputTimeUnit(TimeUnit.MILLISECONDS)
	public int sequentialFill(Filling filling) {
		BenchmarkTables tables = new BenchmarkTables();
		FilesStruct table = tables.empty(new AllocatorOptions(filling.allocator, filling.nextFdHint));
		OpenFile file = tables.newFile();
		int fd = 0;
		for (int i = 0; i < filling.size; i++) {
			fd = table.allocFd(0, BenchmarkTables.NR_OPEN, false);
			table.fdInstall(fd, file);
		}
		return fd;
	}

	/** A table of eighty descriptors in a width of 128. */
	@State(Scope.Thread)
	public static class Small {

		@Param
		Allocator allocator;

		private FilesStruct table;

		private OpenFile file;

		private final int[] open = new int[80];

		@Setup
		public void fill() {
			BenchmarkTables tables = new BenchmarkTables();
			this.table = tables.filled(new AllocatorOptions(this.allocator, true), this.open.length);
			this.file = tables.newFile();
			Arrays.setAll(this.open, (fd) -> fd);
		}

	}

	/** One operation opens a descriptor and closes another, at random. */
	@Benchmark
	public int smallTable(Small small) {
		small.file.acquire();
		int fd = small.table.allocFd(0, 1024, false);
		small.table.fdInstall(fd, small.file);
		int victim = ThreadLocalRandom.current().nextInt(small.open.length);
		small.table.close(small.open[victim]);
		small.open[victim] = fd;
		return fd;
	}

	/** A million descriptors, and 5 is free. */
	@State(Scope.Thread)
	public static class HoleBelow {

		@Param
		Allocator allocator;

		private FilesStruct table;

		@Setup
		public void fill() {
			this.table = new BenchmarkTables().filled(new AllocatorOptions(this.allocator, true), 1_000_000);
			this.table.close(5);
		}

	}

	/** One operation is F_DUPFD with the minimum 6, and a close. */
	@Benchmark
	public int dupFrom(HoleBelow hole) {
		int fd = hole.table.dup(0, 6, BenchmarkTables.NR_OPEN, false);
		hole.table.close(fd);
		return fd;
	}

}
