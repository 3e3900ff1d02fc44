package io.fdtable.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * How PIT has judged the mutants of one package.
 *
 * @param timedOut killed too: a loop that no longer ends
 * @param survived what no test that runs the code has noticed
 * @param uncovered what no test runs
 */
record MutationScore(String room, int killed, int timedOut, int survived, int uncovered) {

	private static final Path FILE = Row.DIRECTORY.resolve("mutation.csv");

	private static final Path REPORT = Path.of("target/pit-reports/mutations.xml");

	/** Reads what the last run has left in the data file. */
	static List<MutationScore> read() throws IOException {
		return Files.readAllLines(FILE)
			.stream()
			.filter((line) -> !line.startsWith("#"))
			.map(MutationScore::parse)
			.toList();
	}

	private static MutationScore parse(String line) {
		String[] cells = line.split(",", -1);
		return new MutationScore(cells[0], Integer.parseInt(cells[1]), Integer.parseInt(cells[2]),
				Integer.parseInt(cells[3]), Integer.parseInt(cells[4]));
	}

	/** Puts what PIT has just reported in the place of the data. */
	static void update() throws IOException, ParserConfigurationException, SAXException {
		NodeList mutants = DocumentBuilderFactory.newDefaultInstance()
			.newDocumentBuilder()
			.parse(REPORT.toFile())
			.getElementsByTagName("mutation");
		Map<String, MutationScore> scores = new TreeMap<>();
		for (int i = 0; i < mutants.getLength(); i++) {
			Element mutant = (Element) mutants.item(i);
			String type = mutant.getElementsByTagName("mutatedClass").item(0).getTextContent();
			scores.merge(type.substring(0, type.lastIndexOf('.')), of(mutant.getAttribute("status")),
					MutationScore::plus);
		}
		String head = Files.readAllLines(FILE)
			.stream()
			.filter((line) -> line.startsWith("#"))
			.collect(Collectors.joining("\n"));
		Files.writeString(FILE,
				head + "\n"
						+ scores.entrySet()
							.stream()
							.map((score) -> score.getKey() + score.getValue().cells() + "\n")
							.collect(Collectors.joining()));
	}

	private static MutationScore of(String status) {
		return switch (status) {
			case "KILLED", "RUN_ERROR", "MEMORY_ERROR" -> new MutationScore("", 1, 0, 0, 0);
			case "TIMED_OUT" -> new MutationScore("", 0, 1, 0, 0);
			case "SURVIVED" -> new MutationScore("", 0, 0, 1, 0);
			case "NO_COVERAGE" -> new MutationScore("", 0, 0, 0, 1);
			default -> throw new IllegalArgumentException(status);
		};
	}

	private String cells() {
		return ",%d,%d,%d,%d".formatted(this.killed, this.timedOut, this.survived, this.uncovered);
	}

	private MutationScore plus(MutationScore other) {
		return new MutationScore("together", this.killed + other.killed, this.timedOut + other.timedOut,
				this.survived + other.survived, this.uncovered + other.uncovered);
	}

	/** Returns the rows of the page, the sum last. */
	static String table() throws IOException {
		List<MutationScore> scores = read();
		String rows = scores.stream().map(MutationScore::row).collect(Collectors.joining("\n"));
		return rows + "\n" + scores.stream().reduce(MutationScore::plus).orElseThrow().row();
	}

	private String row() {
		int caught = this.killed + this.timedOut;
		int all = caught + this.survived + this.uncovered;
		return "| `%s` | %d | %d | %d | %d | %d | %.1f %% |".formatted(this.room, all, this.killed, this.timedOut,
				this.survived, this.uncovered, Math.floor(1000.0 * caught / all) / 10);
	}

}
