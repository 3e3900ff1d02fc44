package io.fdtable.kernel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jol.info.GraphLayout;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code mvn -Pjmh test-compile exec:exec@measure}
 *
 * <p>
 * Runs every benchmark of {@code docs/performance.md} in the shapes that the page shows,
 * three times in turns, weighs tables, and writes {@code docs/performance/results.json}
 * and {@code machine.json}. Takes about three quarters of an hour on an idle machine.
 * Arguments choose some of the shapes by name.
 */
final class Measurements {

	private static final Path DOCS = Path.of("docs", "performance");

	/**
	 * How often each benchmark runs. What a ratio compares runs minutes apart, and a
	 * machine that others use too changes its speed within minutes.
	 */
	private static final int ROUNDS = 3;

	private static final String[] LOWEST_FIRST_IN_SUBLINEAR_TIME = { "TWO_LEVEL", "LOW_WORD_FIRST", "WORD_FIRST",
			"CACHE_LINE", "SUMMARY_TREE" };

	private Measurements() {
	}

	public static void main(String[] args) throws IOException, RunnerException {
		Files.createDirectories(DOCS);
		Map<String, ChainedOptionsBuilder> shapes = shapes();
		List<String> chosen = (args.length != 0) ? List.of(args) : List.copyOf(shapes.keySet());
		JsonMapper.builder()
			.enable(SerializationFeature.INDENT_OUTPUT)
			.build()
			.writeValue(DOCS.resolve("machine.json"), machine());
		List<RunResult> results = new ArrayList<>();
		for (int round = 0; round < ROUNDS; round++) {
			for (String name : chosen) {
				results.addAll(new Runner(shapes.get(name).build()).run());
				// After each shape, so that a run that is cut short is not lost.
				Files.writeString(DOCS.resolve("results.json"), json(results));
			}
		}
		PerformanceReport.main(args);
	}

	/** Writes JMH's JSON, without the place where the JVM is installed. */
	private static String json(List<RunResult> results) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		ResultFormatFactory.getInstance(ResultFormatType.JSON, new PrintStream(bytes, true, StandardCharsets.UTF_8))
			.writeOut(results);
		return bytes.toString(StandardCharsets.UTF_8).replaceAll("(\"jvm\" : )\"[^\"]*\"", "$1\"java\"");
	}

	private static Map<String, ChainedOptionsBuilder> shapes() {
		Map<String, ChainedOptionsBuilder> shapes = new LinkedHashMap<>();
		shapes.put("loop", of("LinusLoopBenchmark.loop").param("size", "1000", "19000", "20000", "100000", "1000000"));
		// One level would take an hour here.
		shapes.put("loop10M", of("LinusLoopBenchmark.loop").param("size", "10000000")
			.param("allocator", LOWEST_FIRST_IN_SUBLINEAR_TIME));
		shapes.put("kernel", of("KernelLoopBenchmark"));
		for (int threads : new int[] { 1, 16, 48 }) {
			shapes.put("opensock" + threads, of("OpensockBenchmark").threads(threads)
				.param("allocator", "ONE_LEVEL", "TWO_LEVEL", "WORD_FIRST", "FAST_ALLOC", "SUMMARY_TREE"));
		}
		shapes.put("shapes", of("AllocationBenchmark"));
		shapes.put("copy", of("CopyBenchmark"));
		shapes.put("lookup", of("LookupBenchmark"));
		shapes.put("position", of("PositionLockBenchmark"));
		shapes.put("peers", of("PeerBenchmark"));
		shapes.put("strace", of("StraceParserBenchmark"));
		return shapes;
	}

	private static ChainedOptionsBuilder of(String include) {
		return new OptionsBuilder().include(include)
			.shouldFailOnError(false)
			.warmupTime(TimeValue.milliseconds(500))
			.measurementTime(TimeValue.milliseconds(500));
	}

	private static Map<String, Object> machine() throws IOException {
		Map<String, Object> machine = new LinkedHashMap<>();
		machine.put("processor", cpuModel());
		machine.put("processors", Runtime.getRuntime().availableProcessors());
		machine.put("load", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
		machine.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
		machine.put("jdk", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
		machine.put("date", LocalDate.now(ZoneOffset.UTC).toString());
		weigh(machine);
		return machine;
	}

	private static void weigh(Map<String, Object> machine) {
		int million = 1 << 20;
		BenchmarkTables tables = new BenchmarkTables();
		OpenFile file = tables.newFile();
		FilesStruct empty = tables.empty(AllocatorOptions.DEFAULT);
		// What all tables have together.
		GraphLayout common = GraphLayout.parseInstance(file, empty.sysctl(), empty.options(), SlotChunk.EMPTY);
		FilesStruct wide = filled(tables, file, million);
		double whole = bytes(common, wide);
		machine.put("bytesOfTableWithoutDescriptors", bytes(common, empty));
		machine.put("bytesOfTableWithThreeDescriptors", bytes(common, filled(tables, file, 3)));
		Task task = new ProcessTree(tables.sysctl()).init(1024, 1024, false, AllocatorOptions.DEFAULT);
		long alone = bytes(common, task);
		task.fork(false);
		machine.put("bytesOfTreeWithOneProcess", alone);
		machine.put("bytesOfForkedProcess", bytes(common, task) - alone);
		machine.put("bytesPerDescriptorOfAMillion", whole / million);
		machine.put("ofWhichGenerations", (double) Integer.BYTES);
		machine.put("bytesPerDescriptorOfAForkedMillion", (bytes(common, wide, wide.dupFd(null)) - whole) / million);
	}

	private static FilesStruct filled(BenchmarkTables tables, OpenFile file, int count) {
		FilesStruct table = tables.empty(AllocatorOptions.DEFAULT);
		for (int i = 0; i < count; i++) {
			table.fdInstall(table.allocFd(0, count, false), file);
		}
		return table;
	}

	private static long bytes(GraphLayout common, Object... roots) {
		return GraphLayout.parseInstance(roots).subtract(common).totalSize();
	}

	private static String cpuModel() throws IOException {
		Path info = Path.of("/proc/cpuinfo");
		if (!Files.exists(info)) {
			return System.getProperty("os.arch");
		}
		return Files.readAllLines(info)
			.stream()
			.filter((line) -> line.startsWith("model name"))
			.findFirst()
			.map((line) -> line.substring(line.indexOf(':') + 1).strip())
			.orElse(System.getProperty("os.arch"));
	}

}
