package io.fdtable.web;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards what a client is told whose body does not arrive in time. */
@ServerTest
@TestPropertySource(properties = "server.tomcat.connection-timeout=300ms")
class SlowRequestIT {

	@Autowired
	private Api api;

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 100\r\n\r\n{", "Content-Length: 100\r\n\r\n",
			"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n" })
	void aBodyThatDoesNotArriveInTimeIsARequestTimeout(String rest) {
		String session = this.api.session();
		String fds = session + "/fds";
		Reply reply = this.api
			.raw("POST " + fds + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + rest)
			.isProblem(408, "request-timeout");
		assertThat(reply.json().path("title").asString()).isEqualTo("Request timeout");
		assertThat(reply.json().path("instance").asString()).isEqualTo(fds);
		assertThat(reply.json().has("errors")).isFalse();
		assertThat(this.api.open(session)).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 100\r\n\r\nx\n", "Content-Length: 100\r\n\r\n",
			"Transfer-Encoding: chunked\r\n\r\n2\r\nx\n\r\n" })
	void aLogThatDoesNotArriveInTimeIsARequestTimeout(String rest) {
		this.api.raw("POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n" + rest)
			.isProblem(408, "request-timeout");
		assertThat(this.api.get("/v1/traces").json().path("traces").isEmpty()).isTrue();
	}

}
