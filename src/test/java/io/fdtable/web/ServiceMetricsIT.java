package io.fdtable.web;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that operators can see each bound of the service and how near it is.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "fdtable.session.max=7", "fdtable.file-max=70", "fdtable.memory=1MB" })
@AutoConfigureRestTestClient
class ServiceMetricsIT {

	@Autowired
	private RestTestClient client;

	@Test
	void showsWhatIsUsedAndTheMostThatMayBe() {
		this.client.post().uri("/v1/sessions").exchange().expectStatus().isCreated();
		String metrics = this.client.get()
			.uri("/actuator/prometheus")
			.exchange()
			.returnResult(String.class)
			.getResponseBody();
		assertThat(metrics).contains("\nfdtable_sessions 1.0\n", "\nfdtable_sessions_max 7.0\n",
				"\nfdtable_files 3.0\n", "\nfdtable_files_max 70.0\n", "\nfdtable_memory_max_bytes 1048576.0\n");
	}

}
