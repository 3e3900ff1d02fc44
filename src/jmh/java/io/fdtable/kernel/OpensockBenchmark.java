package io.fdtable.kernel;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.openjdk.jmh.annotations.AuxCounters;
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
import org.openjdk.jmh.infra.ThreadParams;

/**
 * {@code mvn -Pjmh test-compile exec:exec -Djmh.args="Opensock -t 16"}
 *
 * <p>
 * What is known of Eric Dumazet's {@code opensock} of 2015: ten million descriptors are
 * open, and each thread closes a random one of its own and opens another. {@code words}
 * over {@code searches} is how many words a search read, over all threads.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 3, time = 2)
@Fork(value = 1, jvmArgs = { "-Xms4g", "-Xmx4g" })
public class OpensockBenchmark {

	@Param
	Allocator allocator;

	@Param("10000000")
	int size;

	private final BenchmarkTables tables = new BenchmarkTables();

	private FilesStruct table;

	@Setup
	public void fill() {
		this.table = this.tables.filled(new AllocatorOptions(this.allocator, true), this.size);
	}

	/** The descriptors of one thread. */
	@State(Scope.Thread)
	public static class Owned {

		private int[] fds;

		@Setup
		public void share(OpensockBenchmark benchmark, ThreadParams threads) {
			this.fds = new int[benchmark.size / threads.getThreadCount()];
			for (int i = 0; i < this.fds.length; i++) {
				this.fds[i] = threads.getThreadIndex() + i * threads.getThreadCount();
			}
		}

	}

	/** What the searches of one iteration read; one thread reports it for all. */
	@State(Scope.Thread)
	@AuxCounters(AuxCounters.Type.EVENTS)
	public static class Words {

		private static final AtomicInteger REPORTERS = new AtomicInteger();

		public long words;

		public long searches;

		private long wordsBefore;

		private long searchesBefore;

		@Setup(Level.Iteration)
		public void remember(OpensockBenchmark benchmark) {
			TableStatistics statistics = benchmark.table.statistics();
			this.wordsBefore = statistics.wordsRead();
			this.searchesBefore = statistics.searches();
			REPORTERS.set(0);
		}

		@TearDown(Level.Iteration)
		public void report(OpensockBenchmark benchmark) {
			if (REPORTERS.getAndIncrement() == 0) {
				TableStatistics statistics = benchmark.table.statistics();
				this.words = statistics.wordsRead() - this.wordsBefore;
				this.searches = statistics.searches() - this.searchesBefore;
			}
		}

	}

	@Benchmark
	public int closeAndOpen(Owned owned, Words words) {
		int index = ThreadLocalRandom.current().nextInt(owned.fds.length);
		this.table.close(owned.fds[index]);
		int fd = this.table.allocFd(0, BenchmarkTables.NR_OPEN, false);
		this.table.fdInstall(fd, this.tables.newFile());
		owned.fds[index] = fd;
		return fd;
	}

}
