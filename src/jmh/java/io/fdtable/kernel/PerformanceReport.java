package io.fdtable.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.StreamSupport;

import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code mvn -Pjmh test-compile exec:exec@report}
 *
 * <p>
 * Draws the charts of {@code docs/performance} and fills the tables of
 * {@code docs/performance.md}, between their markers, from JMH's results. Every figure is
 * a median.
 */
final class PerformanceReport {

	private static final Path PAGE = Path.of("docs", "performance.md");

	private static final Path DOCS = Path.of("docs", "performance");

	private static final int[] SIZES = { 1000, 20_000, 100_000, 1_000_000, 10_000_000 };

	private static final int[] THREADS = { 1, 16, 48 };

	private static final int[] FORKS = { 1000, 100_000, 1_000_000 };

	private final JsonNode results;

	private final JsonNode machine;

	private PerformanceReport(JsonNode results, JsonNode machine) {
		this.results = results;
		this.machine = machine;
	}

	public static void main(String[] args) throws IOException {
		JsonMapper mapper = new JsonMapper();
		new PerformanceReport(mapper.readTree(DOCS.resolve("results.json")),
				mapper.readTree(DOCS.resolve("machine.json")))
			.write();
	}

	private void write() throws IOException {
		fill("machine", machineTable());
		fill("ratios", ratios());
		fill("published", published());
		fill("loop", withChart("loop", loopTable()));
		fill("opensock", withChart("opensock", opensockTable()));
		fill("shapes", shapesTable());
		fill("fork", withChart("fork", forkTable()));
		fill("peers", peersTable());
		fill("memory", memoryTable());
		fill("strace", straceTable());
		for (String name : List.of("http", "servers")) {
			fill(name, HttpReport.of(new JsonMapper().readTree(DOCS.resolve(name + ".json"))));
		}
		loopChart();
		opensockChart();
		forkChart();
	}

	private static void fill(String name, String text) throws IOException {
		String page = Files.readString(PAGE);
		String start = "<!-- " + name + " -->\n";
		int from = page.indexOf(start) + start.length();
		int to = page.indexOf("<!-- end -->", from);
		if (from < start.length() || to < 0) {
			throw new IOException(PAGE + " has no marker " + name);
		}
		Files.writeString(PAGE, page.substring(0, from) + text + page.substring(to));
	}

	private static String withChart(String name, String tables) {
		return tables.isBlank() ? "" : String.format("![%s](performance/%s.svg)%n%n%s", name, name, tables);
	}

	// Figures

	/** Finds the median of all rounds, if that shape has been measured. */
	private OptionalDouble median(String benchmark, int threads, String... params) {
		return figure(benchmark, threads, "primaryMetric", params);
	}

	private OptionalDouble figure(String benchmark, int threads, String metric, String... params) {
		double[] values = StreamSupport.stream(this.results.spliterator(), false)
			.filter((result) -> result.path("benchmark").asString().endsWith("." + benchmark))
			.filter((result) -> threads == 0 || result.path("threads").asInt() == threads)
			.filter((result) -> hasParams(result.path("params"), params))
			.map((result) -> metric.equals("primaryMetric") ? result.path(metric)
					: result.path("secondaryMetrics").path(metric))
			.flatMapToDouble(PerformanceReport::values)
			.filter(Double::isFinite)
			.sorted()
			.toArray();
		return (values.length != 0) ? OptionalDouble.of(values[values.length / 2]) : OptionalDouble.empty();
	}

	private static boolean hasParams(JsonNode actual, String... params) {
		for (int i = 0; i < params.length; i += 2) {
			if (!actual.path(params[i]).asString("").equals(params[i + 1])) {
				return false;
			}
		}
		return true;
	}

	private static DoubleStream values(JsonNode metric) {
		return StreamSupport.stream(metric.path("rawData").spliterator(), false)
			.flatMap((fork) -> StreamSupport.stream(fork.spliterator(), false))
			.mapToDouble(JsonNode::asDouble);
	}

	private OptionalDouble loop(Allocator allocator, int size) {
		return map(median("LinusLoopBenchmark.loop", 1, "allocator", allocator.name(), "size", size + ""),
				(millis) -> millis * 1e6 / size);
	}

	private OptionalDouble words(Allocator allocator, int size) {
		return map(figure("LinusLoopBenchmark.loop", 1, "words", "allocator", allocator.name(), "size", size + ""),
				(words) -> words / size);
	}

	private OptionalDouble opensock(Allocator allocator, int threads) {
		return median("OpensockBenchmark.closeAndOpen", threads, "allocator", allocator.name());
	}

	private static OptionalDouble map(OptionalDouble value, DoubleUnaryOperator function) {
		return value.isPresent() ? OptionalDouble.of(function.applyAsDouble(value.getAsDouble())) : value;
	}

	private static OptionalDouble ratio(OptionalDouble above, OptionalDouble below) {
		return (above.isPresent() && below.isPresent()) ? OptionalDouble.of(above.getAsDouble() / below.getAsDouble())
				: OptionalDouble.empty();
	}

	// Tables

	private String machineTable() {
		double load = this.machine.path("load").asDouble();
		int processors = this.machine.path("processors").asInt();
		String text = String.format(Locale.ROOT, "%s, %d processors, load average %.1f; %s; %s; %s.%n",
				this.machine.path("processor").asString(), processors, load, this.machine.path("kernel").asString(),
				this.machine.path("jdk").asString(), this.machine.path("date").asString());
		return (load < processors) ? text : text
				+ "\n**The machine was busy with other work: times and their ratios are rough, words read are not.**\n";
	}

	private String ratios() {
		Table table = new Table("what", "wanted", "measured");
		table.ratio("loop to 1M, time: ONE_LEVEL / WORD_FIRST", "10×",
				ratio(loop(Allocator.ONE_LEVEL, 1_000_000), loop(Allocator.WORD_FIRST, 1_000_000)));
		table.ratio("loop to 1M, words read: ONE_LEVEL / WORD_FIRST", "60×",
				ratio(words(Allocator.ONE_LEVEL, 1_000_000), words(Allocator.WORD_FIRST, 1_000_000)));
		table.ratio("opensock, 16 threads, 10M: TWO_LEVEL / ONE_LEVEL", "6×",
				ratio(opensock(Allocator.TWO_LEVEL, 16), opensock(Allocator.ONE_LEVEL, 16)));
		table.ratio("loop per step, SUMMARY_TREE: 10M / 20k", "at most 2×",
				ratio(loop(Allocator.SUMMARY_TREE, 10_000_000), loop(Allocator.SUMMARY_TREE, 20_000)));
		OptionalDouble kernel = map(figure("KernelLoopBenchmark.loop", 1, "nanosPerLoop", "size", "19000"),
				(nanos) -> nanos / 19_000);
		table.ratio("loop to 19,000: this machine's kernel / WORD_FIRST", "5×",
				ratio(kernel, loop(Allocator.WORD_FIRST, 19_000)));
		for (PeerBenchmark.Peer peer : PeerBenchmark.Peer.values()) {
			for (String holes : List.of("0", "100000")) {
				if (peer.compareTo(PeerBenchmark.Peer.SUMMARY_TREE) > 0) {
					table.ratio("random close + open at 1M, " + holes + " holes: " + peer + " / WORD_FIRST", "1×",
							ratio(peer(peer, holes), peer(PeerBenchmark.Peer.WORD_FIRST, holes)));
				}
			}
		}
		double perDescriptor = this.machine.path("bytesPerDescriptorOfAMillion").asDouble()
				- this.machine.path("ofWhichGenerations").asDouble();
		table.line(List.of("bytes of slots and bitmaps per descriptor, of a million", "at most 4.5",
				String.format(Locale.ROOT, "%.2f", perDescriptor)));
		table.ratio("read of one byte, time: position lock taken / left out", "above 1×",
				ratio(read("TWO", "1"), read("ONE", "1")));
		return table.toString();
	}

	private String published() {
		Table table = new Table("what the threads report", "theirs", "ours");
		table.ratio("opensock, 16 threads: two levels / one", "6.04×",
				ratio(opensock(Allocator.TWO_LEVEL, 16), opensock(Allocator.ONE_LEVEL, 16)));
		table.ratio("opensock, 48 threads: two levels / one", "9.26×",
				ratio(opensock(Allocator.TWO_LEVEL, 48), opensock(Allocator.ONE_LEVEL, 48)));
		table.ratio("opensock, 16 threads: O_FD_FASTALLOC / two levels", "0.91×",
				ratio(opensock(Allocator.FAST_ALLOC, 16), opensock(Allocator.TWO_LEVEL, 16)));
		table.ratio("opensock, 48 threads: O_FD_FASTALLOC / two levels", "1.06×",
				ratio(opensock(Allocator.FAST_ALLOC, 48), opensock(Allocator.TWO_LEVEL, 48)));
		table.ratio("loop to 1M: one level / two (10 s → 0.2 s)", "50×",
				ratio(loop(Allocator.ONE_LEVEL, 1_000_000), loop(Allocator.TWO_LEVEL, 1_000_000)));
		table.ratio("read of 4 KiB, rate: position lock always taken / left out (5,500,871 / 5,778,843)", "0.95×",
				ratio(read("ONE", "4096"), read("TWO", "4096")));
		table.ratio("the same for one byte", "", ratio(read("ONE", "1"), read("TWO", "1")));
		return table.toString();
	}

	private OptionalDouble read(String users, String bytes) {
		return median("PositionLockBenchmark.read", 1, "users", users, "bytes", bytes);
	}

	private String loopTable() {
		Table time = new Table("ns per step", "1k", "20k", "100k", "1M", "10M");
		Table words = new Table("words read per step", "1k", "20k", "100k", "1M", "10M");
		for (Allocator allocator : Allocator.values()) {
			time.row(allocator.name(), Arrays.stream(SIZES).mapToObj((size) -> loop(allocator, size)).toList());
			words.row(allocator.name(), Arrays.stream(SIZES).mapToObj((size) -> words(allocator, size)).toList());
		}
		return time + "\n" + words;
	}

	private String opensockTable() {
		Table rate = new Table("close and open per second", "1 thread", "16", "48");
		Table words = new Table("words read per search", "1 thread", "16", "48");
		for (Allocator allocator : Allocator.values()) {
			rate.row(allocator.name(),
					Arrays.stream(THREADS).mapToObj((threads) -> opensock(allocator, threads)).toList());
			words.row(allocator.name(), Arrays.stream(THREADS)
				.mapToObj((threads) -> ratio(
						figure("OpensockBenchmark.closeAndOpen", threads, "words", "allocator", allocator.name()),
						figure("OpensockBenchmark.closeAndOpen", threads, "searches", "allocator", allocator.name())))
				.toList());
		}
		return rate + "\n" + words;
	}

	private String shapesTable() {
		Table table = new Table("", "fill to 1M, ms", "without next_fd, ms", "80 descriptors, ns", "F_DUPFD, ns");
		for (Allocator allocator : Allocator.values()) {
			String name = allocator.name();
			table.row(name,
					List.of(median("AllocationBenchmark.sequentialFill", 1, "allocator", name, "nextFdHint", "true"),
							median("AllocationBenchmark.sequentialFill", 1, "allocator", name, "nextFdHint", "false"),
							median("AllocationBenchmark.smallTable", 1, "allocator", name),
							median("AllocationBenchmark.dupFrom", 1, "allocator", name)));
		}
		return table.toString();
	}

	private String forkTable() {
		Table table = new Table("µs", "1k", "100k", "1M");
		for (String name : List.of("fork", "forkAndExit", "forkAndTouch")) {
			table.row(name,
					Arrays.stream(FORKS)
						.mapToObj((size) -> median("CopyBenchmark." + name, 1, "size", size + ""))
						.toList());
		}
		if (median("LookupBenchmark.alone", 1).isEmpty()) {
			return table.toString();
		}
		return table + "\nclose_range over a million slots with a hundred descriptors: "
				+ Table.number(median("CopyBenchmark.closeRange", 1)) + " µs. Lookup: "
				+ Table.number(median("LookupBenchmark.alone", 1)) + " ns alone, "
				+ Table.number(figure("LookupBenchmark.contended", 0, "lookUp"))
				+ " ns while another thread opens and closes.\n";
	}

	private String peersTable() {
		Table table = new Table("ns for a random close and an open, of 1M", "no hole", "100k holes");
		for (PeerBenchmark.Peer peer : PeerBenchmark.Peer.values()) {
			table.row(peer.name(), List.of(peer(peer, "0"), peer(peer, "100000")));
		}
		return table.toString();
	}

	private OptionalDouble peer(PeerBenchmark.Peer peer, String holes) {
		return median("PeerBenchmark.closeAndOpen", 1, "peer", peer.name(), "holes", holes);
	}

	private String memoryTable() {
		Table table = new Table("bytes", "");
		this.machine.properties()
			.stream()
			.filter((entry) -> entry.getKey().startsWith("bytes") || entry.getKey().startsWith("ofWhich"))
			.forEach((entry) -> table.row(words(entry.getKey()),
					List.of(OptionalDouble.of(entry.getValue().asDouble()))));
		return table.toString();
	}

	private String straceTable() {
		Table table = new Table("lines of strace per second, one thread", "wanted", "measured");
		for (String name : List.of("parse", "readAndReplay")) {
			median("StraceParserBenchmark." + name, 1).ifPresent(
					(rate) -> table.line(List.of(words(name), "500,000", String.format(Locale.ROOT, "%,.0f", rate))));
		}
		return table.toString();
	}

	private static String words(String camelCase) {
		return camelCase.replaceAll("(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
	}

	// Charts

	private void loopChart() throws IOException {
		Map<String, double[][]> lines = new LinkedHashMap<>();
		for (Allocator allocator : Allocator.values()) {
			lines.put(allocator.name(), line(SIZES, (size) -> loop(allocator, size)));
		}
		chart("loop", "close(3); dup2(0, 3); dup(0)", "descriptors", "ns per step", lines);
	}

	private void opensockChart() throws IOException {
		Map<String, double[][]> lines = new LinkedHashMap<>();
		for (Allocator allocator : Allocator.values()) {
			lines.put(allocator.name(), line(THREADS, (threads) -> opensock(allocator, threads)));
		}
		chart("opensock", "opensock, 10M descriptors", "threads", "close and open per second", lines);
	}

	private void forkChart() throws IOException {
		Map<String, double[][]> lines = new LinkedHashMap<>();
		for (String name : List.of("fork", "forkAndExit", "forkAndTouch")) {
			lines.put(name, line(FORKS, (size) -> median("CopyBenchmark." + name, 1, "size", size + "")));
		}
		chart("fork", "fork", "open descriptors", "µs", lines);
	}

	private interface Figure {

		OptionalDouble at(int x);

	}

	private static double[][] line(int[] at, Figure figure) {
		int[] measured = Arrays.stream(at).filter((x) -> figure.at(x).isPresent()).toArray();
		return new double[][] { Arrays.stream(measured).asDoubleStream().toArray(),
				Arrays.stream(measured).mapToDouble((x) -> figure.at(x).getAsDouble()).toArray() };
	}

	private static void chart(String file, String title, String x, String y, Map<String, double[][]> lines)
			throws IOException {
		XYChart chart = new XYChartBuilder().width(800).height(500).title(title).xAxisTitle(x).yAxisTitle(y).build();
		chart.getStyler().setXAxisLogarithmic(true).setYAxisLogarithmic(true);
		chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
		lines.forEach((name, line) -> {
			if (line[0].length != 0) {
				chart.addSeries(name, line[0], line[1]);
			}
		});
		if (!chart.getSeriesMap().isEmpty()) {
			VectorGraphicsEncoder.saveVectorGraphic(chart, DOCS.resolve(file).toString(), VectorGraphicsFormat.SVG);
		}
	}

	/** A table in Markdown; what has not been measured is left out. */
	private static final class Table {

		private final StringBuilder text = new StringBuilder();

		private boolean isEmpty;

		Table(String... head) {
			line(List.of(head));
			line(Arrays.stream(head).map((column) -> "---").toList());
			this.isEmpty = true;
		}

		void row(String name, List<OptionalDouble> figures) {
			if (figures.stream().anyMatch(OptionalDouble::isPresent)) {
				List<String> cells = new ArrayList<>(List.of(name));
				figures.forEach((figure) -> cells.add(number(figure)));
				line(cells);
			}
		}

		void ratio(String name, String wanted, OptionalDouble ratio) {
			if (ratio.isPresent()) {
				line(List.of(name, wanted, String.format(Locale.ROOT, "%.2f×", ratio.getAsDouble())));
			}
		}

		private void line(List<String> cells) {
			this.isEmpty = false;
			this.text.append("| ").append(String.join(" | ", cells)).append(" |\n");
		}

		/** Writes a number with three digits that count. */
		static String number(OptionalDouble figure) {
			if (figure.isEmpty()) {
				return "–";
			}
			double value = figure.getAsDouble();
			return String.format(Locale.ROOT, (value >= 100) ? "%,.0f" : (value >= 10) ? "%.1f" : "%.2f", value);
		}

		@Override
		public String toString() {
			return this.isEmpty ? "" : this.text.toString();
		}

	}

}
