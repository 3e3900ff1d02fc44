package io.fdtable.kernel;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * {@code mvn -Pjmh test-compile exec:exec -Djmh.args="LinusLoop -p size=20000"}
 *
 * <p>
 * The loop by which Linus Torvalds showed the problem in 2015: {@code close(3); dup2(0,
 * 3); dup(0)} until the table holds {@code size} descriptors. One operation is the whole
 * loop, on a new table. {@code words} is the exact number of words that its searches
 * read.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgs = "-Xmx3g")
public class LinusLoopBenchmark {

	@Param
	Allocator allocator;

	@Param({ "1000", "19000", "20000", "100000", "1000000", "10000000" })
	int size;

	/** What one operation read. */
	@State(Scope.Thread)
	@AuxCounters(AuxCounters.Type.EVENTS)
	public static class Words {

		/** The same in every operation. */
		public long words;

	}

	@Benchmark
	public int loop(Words words) {
		BenchmarkTables tables = new BenchmarkTables();
		FilesStruct table = tables.filled(new AllocatorOptions(this.allocator, true), 1);
		int fd = BenchmarkTables.linusLoop(table, this.size);
		words.words = table.statistics().wordsRead();
		return fd;
	}

}
