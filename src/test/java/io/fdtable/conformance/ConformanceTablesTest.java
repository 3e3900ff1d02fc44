package io.fdtable.conformance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.Sysctl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards against contradicting the tests that others wrote for their descriptor tables:
 * every row of {@code src/test/resources/conformance} on the model, and on the kernel of
 * this machine, which shows that the rows themselves are right.
 */
class ConformanceTablesTest {

	static Stream<Row> rows() throws IOException {
		return Row.readAll().stream();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("rows")
	void row_onTheModel_hasTheExpectedAnswers(Row row) {
		for (Allocator allocator : ModelSystem.LOWEST_FIRST) {
			ModelSystem model = new ModelSystem(allocator,
					row.needsOwnNrOpen() ? row.nrOpen() : Sysctl.DEFAULT_NR_OPEN);
			ModelSystem.Run run = model.start(row.script().soft(), row.script().hard());
			List<Answer> answers = new ArrayList<>();
			for (int i = 0; i < row.steps().size(); i++) {
				if (row.steps().get(i).nrOpen() != 0) {
					run.setNrOpen(row.steps().get(i).nrOpen());
				}
				answers.add(run.call(row.script().calls().get(i)));
			}
			assertThat(row.mismatch(answers)).as("%s with %s", row, allocator).isNull();
		}
	}

	@Test
	void rows_onThisKernel_haveTheExpectedAnswers() throws Exception {
		try (LinuxSystem linux = LinuxSystem.startOrSkip("tables")) {
			List<String> mismatches = new ArrayList<>();
			Map<String, Integer> passed = new TreeMap<>();
			for (Row row : Row.readAll()) {
				if (!row.needsOwnNrOpen()) {
					String mismatch = row.mismatch(linux.run(row.script()));
					if (mismatch != null) {
						mismatches.add(row + ": " + mismatch);
					}
					else {
						passed.merge(row.table(), 1, Integer::sum);
					}
				}
			}
			System.out.println("Rows that " + linux.kernel() + " passes: "
					+ passed.entrySet()
						.stream()
						.map((entry) -> entry.getKey() + " " + entry.getValue())
						.collect(Collectors.joining(", ")));
			assertThat(mismatches).isEmpty();
		}
	}

}
