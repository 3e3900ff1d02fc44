package io.fdtable.conformance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * One row of a table of expected values; the form is described in
 * {@code src/test/resources/conformance/README.md}.
 *
 * @param table the name of the table
 * @param origin the file of the source that the row re-expresses
 * @param name what the row is about
 * @param contradiction what the source expects where Linux answers something else
 * @param nrOpen nr_open before the first call, 0 for the default
 * @param script the calls
 * @param steps what each call must answer, and how nr_open changes before it
 */
record Row(String table, String origin, String name, @Nullable String contradiction, int nrOpen, Script script,
		List<Step> steps) {

	static final Path DIRECTORY = Path.of("src/test/resources/conformance");

	/**
	 * What a call must answer.
	 *
	 * @param nrOpen nr_open from this call on, 0 for no change
	 * @param text the answer, or null for any success
	 * @param fdSize the width of the table after it, or -1 for any
	 */
	record Step(int nrOpen, @Nullable String text, long fdSize) {

		boolean accepts(Answer answer) {
			boolean textIsRight = (this.text != null) ? this.text.equals(answer.text())
					: !answer.text().matches("E[A-Z]+");
			return textIsRight && (this.fdSize < 0 || this.fdSize == answer.fdSize());
		}

	}

	/** Tells whether a system can run the row whose nr_open nobody may change. */
	boolean needsOwnNrOpen() {
		return this.nrOpen != 0;
	}

	static List<Row> readAll() throws IOException {
		List<Row> rows = new ArrayList<>();
		try (Stream<Path> files = Files.list(DIRECTORY)) {
			for (Path file : files.filter((path) -> path.toString().endsWith(".txt")).sorted().toList()) {
				rows.addAll(read(file));
			}
		}
		return rows;
	}

	static List<Row> read(Path file) throws IOException {
		String table = file.getFileName().toString().replace(".txt", "");
		List<Row> rows = new ArrayList<>();
		String origin = table;
		for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
			if (line.startsWith("@ ")) {
				origin = line.substring(2);
			}
			else if (!line.startsWith("# ") && !line.isBlank()) {
				rows.add(parse(table, origin, line));
			}
		}
		return rows;
	}

	private static Row parse(String table, String origin, String line) {
		int bar = line.indexOf(" | ");
		String[] title = line.substring(0, bar).split(" !! ", 2);
		int soft = 1024;
		int hard = 4096;
		int first = 0;
		int next = 0;
		List<Call> calls = new ArrayList<>();
		List<Step> steps = new ArrayList<>();
		for (String part : line.substring(bar + 3).split(";", -1)) {
			String[] words = part.trim().split("\\s+", -1);
			switch (words[0]) {
				case "limit" -> {
					soft = Integer.parseInt(words[1]);
					hard = Integer.parseInt(words[2]);
				}
				case "nr_open" -> next = Integer.parseInt(words[1]);
				default -> {
					first = calls.isEmpty() ? next : first;
					String[] sides = part.split(" = ", 2);
					calls.add(Call.parse(sides[0]));
					steps.add(step(next, (sides.length > 1) ? sides[1].trim() : null));
					next = 0;
				}
			}
		}
		return new Row(table, origin, title[0], (title.length > 1) ? title[1] : null, first,
				new Script(soft, hard, calls), steps);
	}

	private static Step step(int nrOpen, @Nullable String answer) {
		if (answer == null) {
			return new Step(nrOpen, null, -1);
		}
		String[] sides = answer.split(" ?@", 2);
		String text = sides[0];
		if (text.startsWith("O_")) {
			text = Long.toString(Symbols.number(text));
		}
		return new Step(nrOpen, text, (sides.length > 1) ? Long.parseLong(sides[1]) : -1);
	}

	/** Returns the first answer that is not accepted, in words, or null. */
	@Nullable String mismatch(List<Answer> answers) {
		for (int i = 0; i < this.steps.size(); i++) {
			if (!this.steps.get(i).accepts(answers.get(i))) {
				return this.script.calls().get(i) + " answers " + answers.get(i) + ", not " + this.steps.get(i);
			}
		}
		return null;
	}

	@Override
	public String toString() {
		return this.table + ": " + this.origin + ": " + this.name;
	}

}
