package io.fdtable.kernel;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * {@code mvn -Pjmh test-compile exec:exec -Djmh.args="CopyBenchmark"}
 *
 * <p>
 * Fork of a table with {@code size} descriptors, each a file of its own, and close_range
 * over a table as wide with a hundred descriptors in it.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgs = "-Xmx3g")
public class CopyBenchmark {

	/** The parent of all copies. */
	@State(Scope.Thread)
	public static class Parent {

		@Param({ "1000", "100000", "1000000" })
		int size;

		FilesStruct table;

		@Setup
		public void fill() {
			this.table = new BenchmarkTables().filled(AllocatorOptions.DEFAULT, this.size);
		}

	}

	/** The copy of one operation, whose end is not part of it. */
	@State(Scope.Thread)
	public static class Child {

		FilesStruct table;

		@TearDown(Level.Invocation)
		public void exit() {
			this.table.put();
		}

	}

	@Benchmark
	public FilesStruct fork(Parent parent, Child child) {
		child.table = parent.table.dupFd(null);
		return child.table;
	}

	/** One operation is a fork and the exit of the child, which closes everything. */
	@Benchmark
	public int forkAndExit(Parent parent) {
		FilesStruct table = parent.table.dupFd(null);
		table.put();
		return table.count();
	}

	/** One operation is a fork after which the child closes every 1024th descriptor. */
	@Benchmark
	public int forkAndTouch(Parent parent, Child child) {
		child.table = parent.table.dupFd(null);
		for (int fd = 0; fd < parent.size; fd += 1024) {
			child.table.close(fd);
		}
		return child.table.count();
	}

	/** A hundred descriptors spread over a table of {@code width}. */
	@State(Scope.Thread)
	public static class Sparse {

		@Param("1000000")
		int width;

		FilesStruct table;

		@Setup(Level.Trial)
		public void widen() {
			this.table = new BenchmarkTables().filled(AllocatorOptions.DEFAULT, 1);
		}

		@Setup(Level.Invocation)
		public void scatter() {
			for (int i = 1; i <= 100; i++) {
				this.table.dup2(0, i * (this.width / 101), BenchmarkTables.NR_OPEN);
			}
		}

	}

	@Benchmark
	public int closeRange(Sparse sparse) {
		return sparse.table.closeRange(new FdRange(1, -1));
	}

}
