package io.fdtable.web.openapi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that {@code openapi.yaml} at the top of the repository is what the service
 * serves.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
class OpenApiDriftTest {

	private static final Path FILE = Path.of("openapi.yaml");

	private static final String REPAIR = "mvn test -Dtest=OpenApiDriftTest -Dopenapi.update";

	@Autowired
	private RestTestClient client;

	@Test
	void theFileAtTheTopIsWhatTheServiceServes() throws IOException {
		byte[] body = this.client.get()
			.uri("/v3/api-docs.yaml")
			.exchange()
			.expectStatus()
			.isOk()
			.returnResult(byte[].class)
			.getResponseBody();
		String served = new String(body, StandardCharsets.UTF_8);
		if (System.getProperty("openapi.update") != null) {
			Files.writeString(FILE, served);
		}
		assertThat(Files.readString(FILE)).as("openapi.yaml is out of date; bring it up to date with: " + REPAIR)
			.isEqualTo(served);
	}

}
