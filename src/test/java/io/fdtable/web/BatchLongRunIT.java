package io.fdtable.web;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that one stream of calls takes no more memory the longer it is. Client and
 * server share a heap, so bound it: {@code mvn verify -Dit.test=BatchLongRunIT
 * -Dbatch.lines=10000000 -DargLine=-Xmx256m}
 */
@ServerTest
@EnabledIfSystemProperty(named = "batch.lines", matches = "[0-9]+")
class BatchLongRunIT {

	private static final String PAIR = "{\"call\":\"open\"}\n{\"call\":\"close\",\"fd\":3}\n";

	private static final int PAIRS_PER_CHUNK = 1000;

	@Autowired
	private Api api;

	@Test
	void everyLineIsAnsweredInBoundedMemory(TestReporter reporter) throws Exception {
		long chunks = Long.getLong("batch.lines") / (2 * PAIRS_PER_CHUNK);
		long lines = chunks * 2 * PAIRS_PER_CHUNK;
		String session = this.api.session();
		long start = System.nanoTime();
		try (StreamingClient client = new StreamingClient(this.api.port(), session + "/batch",
				"application/x-ndjson")) {
			CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> send(client, chunks));
			assertThat(client.countLines()).isEqualTo(lines);
			sent.join();
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		assertThat(this.api.get(session + "/statistics").json().path("calls"))
			.hasToString("{\"close\":{\"ok\":" + lines / 2 + "},\"openat\":{\"ok\":" + lines / 2 + "}}");
		reporter.publishEntry(String.format(Locale.ROOT,
				"%d lines, %.1f s, %.0f lines/s, peak heap %d MiB of at most %d, %s", lines, seconds, lines / seconds,
				peakHeap() >> 20, Runtime.getRuntime().maxMemory() >> 20, peakResident()));
	}

	private static void send(StreamingClient client, long chunks) {
		byte[] chunk = PAIR.repeat(PAIRS_PER_CHUNK).getBytes(StandardCharsets.UTF_8);
		try {
			for (long i = 0; i < chunks; i++) {
				client.send(chunk, chunk.length);
			}
			client.endRequest();
		}
		catch (IOException ex) {
			throw new java.io.UncheckedIOException(ex);
		}
	}

	private static long peakHeap() {
		return ManagementFactory.getMemoryPoolMXBeans()
			.stream()
			.filter((pool) -> pool.getType() == MemoryType.HEAP)
			.map(MemoryPoolMXBean::getPeakUsage)
			.mapToLong(java.lang.management.MemoryUsage::getUsed)
			.sum();
	}

	private static String peakResident() throws IOException {
		Path status = Path.of("/proc/self/status");
		return !Files.exists(status) ? ""
				: Files.readAllLines(status).stream().filter((line) -> line.startsWith("VmHWM")).findFirst().orElse("");
	}

}
