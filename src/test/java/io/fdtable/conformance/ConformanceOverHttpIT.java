package io.fdtable.conformance;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.fdtable.kernel.Sysctl;
import io.fdtable.session.SessionRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards against a service that answers differently from the model inside it: every row
 * of {@code src/test/resources/conformance} that can be sent, by HTTP.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class ConformanceOverHttpIT {

	@Autowired
	private Environment environment;

	@Autowired
	private SessionRegistry registry;

	@AfterEach
	void restoreNrOpen() {
		this.registry.sysctl().setNrOpen(Sysctl.DEFAULT_NR_OPEN);
	}

	@Test
	void rows_overHttp_haveTheExpectedAnswers() throws IOException {
		HttpSystem http = new HttpSystem(
				URI.create("http://localhost:" + this.environment.getRequiredProperty("local.server.port")));
		List<String> mismatches = new ArrayList<>();
		Map<String, Integer> passed = new TreeMap<>();
		Map<String, Map<String, Integer>> leftOut = new TreeMap<>();
		for (Row row : Row.readAll()) {
			String obstacle = HttpSystem.obstacle(row.script());
			if (obstacle != null) {
				leftOut.computeIfAbsent(row.table(), (table) -> new TreeMap<>()).merge(obstacle, 1, Integer::sum);
				continue;
			}
			String mismatch = row.mismatch(answers(http, row));
			if (mismatch != null) {
				mismatches.add(row + ": " + mismatch);
			}
			else {
				passed.merge(row.table(), 1, Integer::sum);
			}
		}
		System.out.println("Rows that the service passes over HTTP: " + passed + ", together "
				+ passed.values().stream().mapToInt(Integer::intValue).sum() + "; left out: " + leftOut);
		assertThat(mismatches).isEmpty();
		assertThat(this.registry.sysctl().threads()).as("sessions that are left").isZero();
		assertThat(this.registry.sysctl().files()).as("open files that are left").isZero();
	}

	private List<Answer> answers(HttpSystem http, Row row) {
		this.registry.sysctl().setNrOpen(row.needsOwnNrOpen() ? row.nrOpen() : Sysctl.DEFAULT_NR_OPEN);
		try (HttpSystem.Run run = http.start(row.script().soft(), row.script().hard())) {
			List<Answer> answers = new ArrayList<>();
			for (int i = 0; i < row.steps().size(); i++) {
				if (row.steps().get(i).nrOpen() != 0) {
					this.registry.sysctl().setNrOpen(row.steps().get(i).nrOpen());
				}
				answers.add(run.call(row.script().calls().get(i)));
			}
			return answers;
		}
	}

}
