package io.fdtable.trace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that logs sent at once cannot take the heap: each replay is bounded, and so is
 * how many there are at a time.
 */
class ReplayMemoryTest {

	@Test
	void twenty_four_replays_at_once_fit_into_a_heap_of_four() throws IOException, InterruptedException {
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		Process java = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx128m", "-cp", classPath, ReplaysAtOnce.class.getName())
			.redirectErrorStream(true)
			.start();
		String output = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(java.waitFor()).as(output).isZero();
		assertThat(output).isEqualTo("tenures=24\n");
	}

}
