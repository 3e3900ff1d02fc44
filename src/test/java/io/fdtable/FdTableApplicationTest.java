package io.fdtable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.web.servlet.client.RestTestClient;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
class FdTableApplicationTest {

	@Autowired
	private RestTestClient client;

	@ParameterizedTest
	@ValueSource(strings = { "/livez", "/readyz", "/actuator/health", "/actuator/prometheus", "/v3/api-docs",
			"/swagger-ui/index.html" })
	void answersOnThePathsThatOperatorsAndReadersKnow(String path) {
		this.client.get().uri(path).exchange().expectStatus().isOk();
	}

	@Test
	void exposesNoOtherActuatorEndpoint() {
		this.client.get().uri("/actuator/env").exchange().expectStatus().isNotFound();
	}

}
