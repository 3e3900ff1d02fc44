package io.fdtable.kernel;

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
 * {@code mvn -Pjmh test-compile exec:exec -Djmh.args="PositionLock"}
 *
 * <p>
 * One thread reads a file of 1 MiB over and over, {@code bytes} at a time, as
 * will-it-scale's read1 does. Linux leaves the lock of the position out when nobody else
 * can use the file; from July to August 2023 it always took it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PositionLockBenchmark {

	/** Who uses the file. */
	public enum Users {

		/** One descriptor of a private table: the lock is left out. */
		ONE,

		/** Two descriptors: the lock is taken. */
		TWO

	}

	private static final int FILE_BYTES = 1 << 20;

	@Param
	Users users;

	/** 1 shows the lock, 4096 is what read1 asks for. */
	@Param({ "1", "4096" })
	int bytes;

	private Task task;

	private int fd;

	private int left;

	@Setup
	public void write() {
		this.task = new ProcessTree(Sysctl.unbounded()).init(1024, 1024, true, Allocator.WORD_FIRST);
		this.fd = this.task.open("/data", FileKind.REGULAR, OpenFlags.O_RDWR | OpenFlags.O_CREAT, null);
		this.task.io().write(this.fd, new byte[FILE_BYTES]);
		if (this.users == Users.TWO) {
			this.task.dup(this.fd);
		}
	}

	@Benchmark
	public byte[] read() {
		if (this.left < this.bytes) {
			this.task.io().lseek(this.fd, 0, Seek.SEEK_SET);
			this.left = FILE_BYTES;
		}
		this.left -= this.bytes;
		return this.task.io().read(this.fd, this.bytes);
	}

}
