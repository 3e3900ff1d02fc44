package io.fdtable.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writes the conformance page from what the tests run, and guards against a page that
 * says something else. {@code -Dconformance.write=true} brings the page up to date,
 * {@code -Dmutation.write=true} first the figures of the mutation tests, from PIT's last
 * report.
 */
class ConformancePageTest {

	private static final Path PAGE = Path.of("docs/conformance.md");

	private static final Pattern TEST = Pattern.compile("(\\w+Test)\\.(\\w+)");

	@Test
	void page_saysWhatTheTestsRun() throws Exception {
		if (Boolean.getBoolean("mutation.write")) {
			MutationScore.update();
		}
		String page = page();
		if (Boolean.getBoolean("conformance.write")) {
			Files.createDirectories(PAGE.getParent());
			Files.writeString(PAGE, page);
		}
		assertThat(PAGE).hasContent(page);
	}

	@Test
	void bugs_areAllThereAndTheirTestsExist() throws IOException {
		String bugs = Files.readString(Row.DIRECTORY.resolve("bugs.md"));
		assertThat(bugs.lines().map((line) -> line.replaceAll("\\| (B\\d+) .*", "$1")).toList())
			.isEqualTo(IntStream.rangeClosed(1, 27).mapToObj((number) -> "B" + number).toList());
		for (Matcher matcher = TEST.matcher(bugs); matcher.find();) {
			assertThat(source(matcher.group(1))).as(matcher.group()).contains(" " + matcher.group(2) + "(");
		}
	}

	private static String source(String test) throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
			Path file = files.filter((path) -> path.endsWith(test + ".java")).findFirst().orElseThrow();
			return Files.readString(file);
		}
	}

	private static String page() throws IOException {
		return read("page.md").replace("{{recorded}}", recorded())
			.replace("{{mutation}}", read("mutation.md").strip())
			.replace("{{score}}", MutationScore.table())
			.replace("{{tables}}", tables())
			.replace("{{unsent}}", unsent())
			.replace("{{contradictions}}", contradictions())
			.replace("{{card}}", read("other-systems.md").strip())
			.replace("{{bugs}}", read("bugs.md").strip());
	}

	private static String read(String name) throws IOException {
		return Files.readString(Row.DIRECTORY.resolve(name));
	}

	private static String recorded() throws IOException {
		Recording recording = Recording.read();
		return String.format("%,d calls in %d scripts, with the answers of %s.", recording.calls(),
				recording.scripts().size(), recording.kernel());
	}

	/**
	 * Counts rows; that they pass is what {@link ConformanceTablesTest} and
	 * {@link ConformanceOverHttpIT} assert.
	 */
	private static String tables() throws IOException {
		StringBuilder text = new StringBuilder(
				"| source | rows passed | of them on the kernel too | over HTTP too |\n| --- | ---: | ---: | ---: |\n");
		Map<String, List<Row>> tables = Row.readAll()
			.stream()
			.collect(Collectors.groupingBy(Row::table, LinkedHashMap::new, Collectors.toList()));
		for (Map.Entry<String, List<Row>> table : tables.entrySet()) {
			appendRow(text, title(table.getKey()), table.getValue());
		}
		appendRow(text, "together", Row.readAll());
		return text.toString().strip();
	}

	private static void appendRow(StringBuilder text, String title, List<Row> rows) {
		long live = rows.stream().filter((row) -> !row.needsOwnNrOpen()).count();
		long sent = rows.stream().filter((row) -> HttpSystem.obstacle(row.script()) == null).count();
		text.append("| %s | %d | %d | %d |\n".formatted(title, rows.size(), live, sent));
	}

	/** Returns the first line of a table, which says what the source is. */
	private static String title(String table) throws IOException {
		return Files.readAllLines(Row.DIRECTORY.resolve(table + ".txt")).get(0).substring(2);
	}

	private static String unsent() throws IOException {
		return Row.readAll()
			.stream()
			.filter((row) -> HttpSystem.obstacle(row.script()) != null)
			.map((row) -> "- " + row.table() + ", " + row.origin() + ", " + row.name() + ": "
					+ HttpSystem.obstacle(row.script()))
			.collect(Collectors.joining("\n"));
	}

	private static String contradictions() throws IOException {
		return Row.readAll()
			.stream()
			.filter((row) -> row.contradiction() != null)
			.map((row) -> "- " + row.table() + ", " + row.origin() + ", " + row.name() + ": " + row.contradiction())
			.collect(Collectors.joining("\n"));
	}

}
