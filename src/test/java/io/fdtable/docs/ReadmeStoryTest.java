package io.fdtable.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Runs every console block of the README literally and guards that it prints what the
 * README says. Only the parts that are random, the ids of sessions, are not compared.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class ReadmeStoryTest {

	private static final Pattern BLOCK = Pattern.compile("```console\n(.*?)```", Pattern.DOTALL);

	private static final String SEPARATOR = "--8<--";

	@LocalServerPort
	private int port;

	private record Step(String command, String output) {
	}

	@TestFactory
	List<DynamicTest> everyConsoleBlockPrintsWhatTheReadmeSays() throws IOException {
		Matcher matcher = BLOCK.matcher(Files.readString(Path.of("README.md")));
		List<DynamicTest> tests = new ArrayList<>();
		while (matcher.find()) {
			List<Step> steps = steps(matcher.group(1));
			tests.add(DynamicTest.dynamicTest(steps.getFirst().command(), () -> check(steps)));
		}
		assertThat(tests).isNotEmpty();
		return tests;
	}

	private static List<Step> steps(String block) {
		List<Step> steps = new ArrayList<>();
		for (String part : block.split("(?m)^\\$ ", -1)) {
			if (!part.isBlank()) {
				int end = endOfCommand(part);
				steps.add(new Step(part.substring(0, end), part.substring(end).strip()));
			}
		}
		return steps;
	}

	/** A line that ends in a backslash goes on. */
	private static int endOfCommand(String part) {
		int end = part.indexOf('\n');
		while (end > 0 && part.charAt(end - 1) == '\\') {
			end = part.indexOf('\n', end + 1);
		}
		return end;
	}

	private void check(List<Step> steps) throws IOException, InterruptedException {
		assumeTrue(Files.isExecutable(Path.of("/bin/bash")) && Files.isExecutable(Path.of("/usr/bin/curl")),
				"bash and curl run the README's commands, and this machine lacks one");
		StringBuilder script = new StringBuilder();
		steps.forEach((step) -> script.append(step.command().replace("localhost:8080", "localhost:" + this.port))
			.append("\necho; echo '")
			.append(SEPARATOR)
			.append("'\n"));
		Process bash = new ProcessBuilder("/bin/bash", "-c", script.toString()).redirectErrorStream(true).start();
		String[] outputs = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split(SEPARATOR,
				-1);
		assertThat(bash.waitFor()).isZero();
		for (int i = 0; i < steps.size(); i++) {
			assertThat(normalise(outputs[i])).as(steps.get(i).command()).isEqualTo(normalise(steps.get(i).output()));
		}
	}

	private static String normalise(String output) {
		return output.strip().replaceAll("[a-z2-7]{26}", "<tree>");
	}

}
