package io.fdtable.trace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that memory does not grow with the log: a million lines in 256 MB. Takes a
 * minute on a busy machine, so only with {@code -Dtrace.long}.
 */
@EnabledIfSystemProperty(named = "trace.long", matches = ".*")
class LongLogTest {

	@Test
	void a_million_lines_fit_into_256_megabytes() throws IOException, InterruptedException {
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		Process java = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx256m", "-cp", classPath, RepeatedLog.class.getName(), "1000000", "bash-pipeline.strace",
				"git-commit.strace", "leaky.strace", "python-sockets.strace", "redis-server.strace")
			.redirectErrorStream(true)
			.start();
		String output = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(java.waitFor()).as(output).isZero();
		assertThat(output).startsWith("lines=1000000 unparsed=0 divergences=0 ").contains("capped=[]");
	}

}
