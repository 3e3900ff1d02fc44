package io.fdtable.kernel;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * {@code mvn -Pjmh test-compile exec:exec -Djmh.args="LookupBenchmark"}
 *
 * <p>
 * Looking a descriptor up, alone and while another thread allocates in the same table.
 * Lookup takes no lock, so the two should differ only by what they share in the caches.
 */
@State(Scope.Group)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class LookupBenchmark {

	private FilesStruct table;

	private OpenFile file;

	@Setup
	public void fill() {
		BenchmarkTables tables = new BenchmarkTables();
		this.table = tables.filled(AllocatorOptions.DEFAULT, 1000);
		this.file = tables.newFile();
	}

	@Benchmark
	@Group("alone")
	public OpenFile lookUpAlone() {
		return lookUp();
	}

	@Benchmark
	@Group("contended")
	@GroupThreads(1)
	public OpenFile lookUp() {
		OpenFile found = this.table.fget(500);
		found.release();
		return found;
	}

	@Benchmark
	@Group("contended")
	@GroupThreads(1)
	public int openAndClose() {
		this.file.acquire();
		int fd = this.table.allocFd(0, 1024, false);
		this.table.fdInstall(fd, this.file);
		this.table.close(fd);
		return fd;
	}

}
