package io.fdtable.conformance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Scripts and the answers that a kernel has given to them.
 *
 * @param kernel the kernel, as it names itself
 * @param scripts the scripts
 * @param answers the answers to each script
 */
record Recording(String kernel, List<Script> scripts, List<List<Answer>> answers) {

	static final Path FILE = Path.of("src/test/resources/oracle/recorded.txt");

	private static final String HEAD = """
			# Random scripts and what the kernel named below answered; replayed on the model everywhere.
			# Record again on Linux: mvn test -Dtest=RecordedOracleTest -Doracle.record=true
			""";

	static Recording read() throws IOException {
		String kernel = "";
		List<Script> scripts = new ArrayList<>();
		List<List<Answer>> answers = new ArrayList<>();
		List<Call> calls = new ArrayList<>();
		List<Answer> current = new ArrayList<>();
		int[] limits = new int[2];
		List<String> lines = new ArrayList<>(Files.readAllLines(FILE, StandardCharsets.US_ASCII));
		lines.add("limit 0 0");
		for (String line : lines) {
			if (line.startsWith("kernel ")) {
				kernel = line.substring("kernel ".length());
			}
			else if (line.startsWith("limit ")) {
				if (!calls.isEmpty()) {
					scripts.add(new Script(limits[0], limits[1], calls));
					answers.add(List.copyOf(current));
				}
				calls.clear();
				current.clear();
				String[] words = line.split(" ", -1);
				limits = new int[] { Integer.parseInt(words[1]), Integer.parseInt(words[2]) };
			}
			else if (!line.startsWith("#")) {
				int equals = line.indexOf(" = ");
				int at = line.lastIndexOf(" @");
				calls.add(Call.parse(line.substring(0, equals)));
				current.add(new Answer(line.substring(equals + 3, at), Long.parseLong(line.substring(at + 2))));
			}
		}
		return new Recording(kernel, scripts, answers);
	}

	void write() throws IOException {
		StringBuilder text = new StringBuilder(HEAD).append("kernel ").append(this.kernel).append('\n');
		for (int i = 0; i < this.scripts.size(); i++) {
			Script script = this.scripts.get(i);
			text.append("limit ").append(script.soft()).append(' ').append(script.hard()).append('\n');
			for (int j = 0; j < script.calls().size(); j++) {
				Answer answer = this.answers.get(i).get(j);
				text.append(script.calls().get(j)).append(" = ").append(answer.text());
				text.append(" @").append(answer.fdSize()).append('\n');
			}
		}
		Files.createDirectories(FILE.getParent());
		Files.writeString(FILE, text, StandardCharsets.US_ASCII);
	}

	int calls() {
		return this.scripts.stream().mapToInt((script) -> script.calls().size()).sum();
	}

}
