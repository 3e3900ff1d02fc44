package io.fdtable.kernel;

import java.util.Locale;

import tools.jackson.databind.JsonNode;

/**
 * Tells what {@code src/load/http.sh} and {@code src/load/servers.sh} have measured.
 */
final class HttpReport {

	private HttpReport() {
	}

	/** Writes ratios, and what each case has come to, as tables in Markdown. */
	static String of(JsonNode results) {
		return machine(results.path("machine")) + ratios(results.path("ratios")) + cases(results.path("cases"));
	}

	private static String machine(JsonNode machine) {
		return String.format(Locale.ROOT, "%s, %d processors; %s; %s; wrk %s, Redis %s; %s.%n%n",
				machine.path("processor").asString(), machine.path("processors").asInt(),
				machine.path("kernel").asString(), machine.path("jdk").asString(), machine.path("wrk").asString(),
				machine.path("redis").asString(), machine.path("date").asString());
	}

	private static String ratios(JsonNode ratios) {
		if (ratios.isEmpty()) {
			return "";
		}
		StringBuilder text = new StringBuilder("| requests per second | wanted | measured |\n| --- | --- | --- |\n");
		for (JsonNode ratio : ratios) {
			String wanted = ratio.path("wanted").asString();
			text.append(String.format(Locale.ROOT, "| %s | %s | %.2f× |%n", ratio.path("name").asString(),
					wanted.isEmpty() ? "" : wanted + "×", ratio.path("measured").asDouble()));
		}
		return text.append('\n').toString();
	}

	private static String cases(JsonNode cases) {
		StringBuilder text = new StringBuilder(
				"| | per second | server's CPU per call, µs | median latency, µs | 99 % |\n| --- | --- | --- | --- | --- |\n");
		cases.properties()
			.forEach((entry) -> text.append(String.format(Locale.ROOT, "| %s | %s | %s | %s | %s |%n", entry.getKey(),
					median(entry.getValue(), "perSecond", "%,.0f"), median(entry.getValue(), "cpuMicros", "%.2f"),
					median(entry.getValue(), "p50Micros", "%,.0f"), median(entry.getValue(), "p99Micros", "%,.0f"))));
		return text.toString();
	}

	private static String median(JsonNode figures, String name, String format) {
		JsonNode median = figures.path(name).path("median");
		return median.isMissingNode() ? "–" : String.format(Locale.ROOT, format, median.asDouble());
	}

}
