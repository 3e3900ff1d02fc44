package io.fdtable.conformance;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/** Compares the model with another system, script by script. */
final class Oracle {

	private final ModelSystem model;

	private final DescriptorSystem other;

	Oracle(ModelSystem model, DescriptorSystem other) {
		this.model = model;
		this.other = other;
	}

	/**
	 * Runs a script on both systems.
	 * @return null if every answer is the same, otherwise the shortest script that shows
	 * a difference, as a row for a table of expected values
	 */
	@Nullable String difference(Script script) {
		if (!differs(script)) {
			return null;
		}
		return describe(this.model.possible(Shrinker.shrink(script, this::differs)));
	}

	private boolean differs(Script script) {
		Script possible = this.model.possible(script);
		return !this.model.run(possible).equals(this.other.run(possible));
	}

	private String describe(Script script) {
		List<Answer> expected = this.other.run(script);
		List<Answer> actual = this.model.run(script);
		return "limit " + script.soft() + " " + script.hard() + "\n"
				+ IntStream.range(0, script.calls().size())
					.mapToObj((i) -> line(script.calls().get(i), expected.get(i), actual.get(i)))
					.collect(Collectors.joining("\n"));
	}

	private static String line(Call call, Answer expected, Answer actual) {
		String line = call + " = " + expected.text() + "   # FDSize " + expected.fdSize();
		return expected.equals(actual) ? line
				: line + ", but the model answers " + actual.text() + ", FDSize " + actual.fdSize();
	}

}
