package io.fdtable.trace;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import io.fdtable.kernel.Sysctl;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Lines per second of a real log, on one core: parsed only, and read and replayed.
 *
 * <pre>
 * mvn -Pjmh test-compile exec:exec -Djmh.args="StraceParserBenchmark"
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class StraceParserBenchmark {

	/** Lines of the five recorded logs together. */
	private static final int LINES = 3013;

	private byte[] log = new byte[0];

	@Setup
	public void load() throws IOException {
		StringBuilder text = new StringBuilder();
		for (String name : new String[] { "bash-pipeline", "git-commit", "leaky", "python-sockets", "redis-server" }) {
			try (InputStream in = StraceParserBenchmark.class.getResourceAsStream("/traces/" + name + ".strace")) {
				text.append(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1));
			}
		}
		this.log = text.toString().getBytes(StandardCharsets.ISO_8859_1);
	}

	@Benchmark
	@OperationsPerInvocation(LINES)
	public long parse() throws IOException {
		StraceParser parser = new StraceParser(new ByteArrayInputStream(this.log));
		while (parser.next() != null) {
			parser.startedAt(1);
		}
		if (parser.lines() != LINES) {
			throw new IllegalStateException("the logs have " + parser.lines() + " lines");
		}
		return parser.calls();
	}

	@Benchmark
	@OperationsPerInvocation(LINES)
	public long readAndReplay() throws IOException {
		try (Trace trace = Trace.read(new ByteArrayInputStream(this.log), new TraceDisk(1L << 30), Sysctl.unbounded(),
				TraceProgress.NONE)) {
			return trace.report().calls();
		}
	}

}
