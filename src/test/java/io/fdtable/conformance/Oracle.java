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

	/** A script to which two systems answer differently. */
	private record Difference(Script script, List<Answer> expected, List<Answer> actual) {

		@Override
		public String toString() {
			return "limit " + this.script.soft() + " " + this.script.hard() + "\n"
					+ IntStream.range(0, this.script.calls().size())
						.mapToObj(this::line)
						.collect(Collectors.joining("\n"));
		}

		private String line(int index) {
			Answer wanted = this.expected.get(index);
			Answer found = this.actual.get(index);
			String line = this.script.calls().get(index) + " = " + wanted.text() + " @" + wanted.fdSize();
			return wanted.equals(found) ? line
					: line + "   # the model answers " + found.text() + " @" + found.fdSize();
		}

	}

	/**
	 * Runs a script on both systems.
	 * @return null if every answer is the same, otherwise the shortest script that shows
	 * a difference, in the form of a row for a table of expected values
	 */
	@Nullable String difference(Script script) {
		Difference[] found = { compare(script) };
		if (found[0] == null) {
			return null;
		}
		Shrinker.shrink(found[0].script(), (shorter) -> {
			Difference difference = compare(shorter);
			if (difference != null) {
				found[0] = difference;
			}
			return difference != null;
		});
		return found[0].toString();
	}

	private @Nullable Difference compare(Script script) {
		Script possible = this.model.possible(script);
		List<Answer> expected = this.other.run(possible);
		List<Answer> actual = this.model.run(possible);
		return expected.equals(actual) ? null : new Difference(possible, expected, actual);
	}

}
