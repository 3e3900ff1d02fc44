package io.fdtable.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * {@code mvn -Pjmh test-compile exec:exec -Djmh.args="KernelLoop"}
 *
 * <p>
 * The loop of {@link LinusLoopBenchmark} as real system calls, by a C program that
 * {@code gcc} compiles first. {@code nanosPerLoop} is what counts: the program's own
 * measure of one whole loop. {@code size} must be below the hard RLIMIT_NOFILE.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@Warmup(iterations = 1)
@Measurement(iterations = 5)
@Fork(1)
public class KernelLoopBenchmark {

	@Param("19000")
	int size;

	private Path program;

	/** What the program has measured. */
	@State(Scope.Thread)
	@AuxCounters(AuxCounters.Type.EVENTS)
	public static class Nanos {

		/** The median of ten loops in the program. */
		public long nanosPerLoop;

	}

	@Setup
	public void compile() throws IOException, InterruptedException {
		this.program = Files.createTempFile("linus-loop", null);
		run("gcc", "-O2", "-o", this.program.toString(), "src/jmh/c/linus_loop.c");
	}

	@TearDown
	public void delete() throws IOException {
		Files.delete(this.program);
	}

	@Benchmark
	public long loop(Nanos nanos) throws IOException, InterruptedException {
		nanos.nanosPerLoop = Long.parseLong(run(this.program.toString(), Integer.toString(this.size)).strip());
		return nanos.nanosPerLoop;
	}

	private static String run(String... command) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (process.waitFor() != 0) {
			throw new IOException(String.join(" ", command) + ": " + output);
		}
		return output;
	}

}
