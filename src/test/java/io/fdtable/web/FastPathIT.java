package io.fdtable.web;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

import io.fdtable.kernel.Errno;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that the fast path cannot be told from the usual one: the same request gets the
 * same answer on both, and is counted the same.
 *
 * <p>
 * A query, which no operation here has and Spring MVC ignores, keeps a request off the
 * fast path. An answer to open or dup2 has a length on the fast path, and comes in chunks
 * on the usual one.
 */
@ServerTest
class FastPathIT {

	private static final String USUAL = "?usual";

	@Autowired
	private Api api;

	@Autowired
	private MeterRegistry registry;

	/** Two sessions of the same history. */
	private String fast;

	private String usual;

	@BeforeEach
	void createSessions() {
		String limits = "{\"limits\":{\"nofile\":{\"soft\":5,\"hard\":5}}}";
		this.fast = this.api.session(limits);
		this.usual = this.api.session(limits);
	}

	private Reply both(HttpMethod method, String path, String body, String... headers) {
		Reply first = this.api.send(method, this.fast + path, body, headers);
		Reply second = this.api.send(method, this.usual + path + USUAL, body, headers);
		assertThat(first.status()).isEqualTo(second.status());
		assertThat(neutral(first.text(), this.fast)).isEqualTo(neutral(second.text(), this.usual));
		assertThat(neutral(first.headers(), this.fast)).isEqualTo(neutral(second.headers(), this.usual));
		return first;
	}

	private static String neutral(String text, String session) {
		return text.replace(session, "SESSION");
	}

	/** What a client reads in the headers, without how the body is framed. */
	private static List<String> neutral(HttpHeaders headers, String session) {
		return headers.headerSet()
			.stream()
			.filter((header) -> !List.of("date", "content-length", "transfer-encoding", "keep-alive")
				.contains(header.getKey().toLowerCase(Locale.ROOT)))
			.map((header) -> header.getKey().toLowerCase(Locale.ROOT) + ": "
					+ neutral(String.join(",", header.getValue()), session))
			.sorted()
			.toList();
	}

	private static void tookTheFastPath(Reply reply) {
		assertThat(reply.header(HttpHeaders.CONTENT_LENGTH)).isNotNull();
	}

	@Test
	void opensDuplicatesAndClosesAsEver() {
		tookTheFastPath(both(HttpMethod.POST, "/fds", null).is(201));
		tookTheFastPath(both(HttpMethod.POST, "/fds/3/dup2", "{\"newFd\":4}").is(200));
		tookTheFastPath(both(HttpMethod.POST, "/fds/0/dup2", "{\"newFd\":4}").is(200));
		both(HttpMethod.DELETE, "/fds/3", null).is(204);
		tookTheFastPath(both(HttpMethod.POST, "/fds", null).is(201));
		both(HttpMethod.GET, "/fds", null).is(200);
		both(HttpMethod.GET, "/statistics", null).is(200);
		assertThat(
				this.api.post(this.usual + "/fds/0/dup2" + USUAL, "{\"newFd\":4}").header(HttpHeaders.CONTENT_LENGTH))
			.isNull();
	}

	@Test
	void answersTheErrnosOfTheModelAsEver() {
		both(HttpMethod.DELETE, "/fds/3", null).isErrno(404, Errno.EBADF, "close");
		both(HttpMethod.DELETE, "/fds/-1", null).isErrno(404, Errno.EBADF, "close");
		both(HttpMethod.POST, "/fds/3/dup2", "{\"newFd\":4}").isErrno(404, Errno.EBADF, "dup2");
		both(HttpMethod.POST, "/fds/0/dup2", "{\"newFd\":5}").isErrno(404, Errno.EBADF, "dup2");
		both(HttpMethod.POST, "/fds", null).is(201);
		both(HttpMethod.POST, "/fds", null).is(201);
		both(HttpMethod.POST, "/fds", null).isErrno(409, Errno.EMFILE, "openat");
		this.api.delete(this.fast).is(204);
		this.api.delete(this.usual).is(204);
		both(HttpMethod.POST, "/fds", null).isErrno(404, Errno.ESRCH);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"newFd\":4}", " {\r\n\t\"newFd\" : 4 } ", "{\"newFd\":4.0}", "{\"newFd\":-1}",
			"{\"newFd\":4294967295}", "{\"newFd\":4294967296}", "{\"newFd\":04}", "{\"newFd\":\"4\"}",
			"{\"newFd\":null}", "{\"newFd\":4,\"newFd\":4}", "{\"newFd\":4}x", "{\"newFd\":4", "{\"new\\u0046d\":4}",
			"{\"newfd\":4}", "{}", "[]", "4", "{\"newFd\":4,\"flags\":[]}", "{\"newFd\":99999999999999999999}",
			"{\"newFd\":\u00a04}", "{\"newFd\":4                                                               }" })
	void readsTheBodyOfDup2AsEver(String body) {
		both(HttpMethod.POST, "/fds/0/dup2", body);
		both(HttpMethod.GET, "/fds", null).is(200);
	}

	@ParameterizedTest
	@CsvSource({ "If-Match,*", "If-Match,\"1.0\"", "If-Match,1", "Idempotency-Key,a key", "Accept,text/plain",
			"Accept,application/json", "Accept,application/*", "Accept,nonsense", "Content-Type,text/plain",
			"Content-Type,application/json;charset=UTF-8" })
	void heedsHeadersAsEver(String name, String value) {
		both(HttpMethod.POST, "/fds", null, name, value);
		both(HttpMethod.POST, "/fds/0/dup2", "{\"newFd\":4}", name, value);
		both(HttpMethod.DELETE, "/fds/1", null, name, value);
		both(HttpMethod.GET, "/fds", null).is(200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/fds/", "/fds/00", "/fds/+0", "/fds/x", "/fds/4294967296", "/fds/0/", "/fds/0;a=b",
			"/fds/%30", "/fds/0/dup2", "/fds/0//dup2", "/fdsx", "/fdsx0", "/fdsx0/dup2", "/fds/dup2" })
	void takesPathsAsEver(String path) {
		both(HttpMethod.DELETE, path, null);
		both(HttpMethod.POST, path, "{\"newFd\":4}");
		both(HttpMethod.GET, "/fds", null).is(200);
	}

	@Test
	void replaysAnAnswer() {
		Reply first = this.api.post(this.fast + "/fds/0/dup2", "{\"newFd\":4}", "Idempotency-Key", "k").is(200);
		Reply second = this.api.post(this.fast + "/fds/0/dup2", "{\"newFd\":4}", "Idempotency-Key", "k").is(200);
		tookTheFastPath(second);
		assertThat(second.text()).isEqualTo(first.text());
		assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
		this.api.post(this.fast + "/fds/0/dup2", "{\"newFd\":3}", "Idempotency-Key", "k")
			.isProblem(422, "idempotency-key-reused");
	}

	@Test
	void readsABodyThatComesInPieces() throws IOException, InterruptedException {
		String head = "POST " + this.fast + "/fds/0/dup2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
				+ "Content-Type: application/json\r\nContent-Length: 11\r\n\r\n";
		for (int split = 0; split <= 11; split++) {
			try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.api.port())) {
				socket.setTcpNoDelay(true);
				OutputStream out = socket.getOutputStream();
				out.write((head + "{\"newFd\":4}".substring(0, split)).getBytes(StandardCharsets.US_ASCII));
				Thread.sleep(10);
				out.write("{\"newFd\":4}".substring(split).getBytes(StandardCharsets.US_ASCII));
				String reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
				assertThat(reply).startsWith("HTTP/1.1 200").contains("Content-Length: ", "\"fd\":4");
			}
		}
	}

	@Test
	void countsRequestsAsEver() {
		long opens = count("/v1/sessions/{id}/fds", "201", "SUCCESS");
		long failures = count("/v1/sessions/{id}/fds/{fd}/dup2", "404", "CLIENT_ERROR");
		both(HttpMethod.POST, "/fds", null).is(201);
		both(HttpMethod.POST, "/fds/4/dup2", "{\"newFd\":4}").isErrno(404, Errno.EBADF, "dup2");
		assertThat(count("/v1/sessions/{id}/fds", "201", "SUCCESS")).isEqualTo(opens + 2);
		assertThat(count("/v1/sessions/{id}/fds/{fd}/dup2", "404", "CLIENT_ERROR")).isEqualTo(failures + 2);
	}

	private long count(String path, String status, String outcome) {
		Timer timer = this.registry.find("http.server.requests")
			.tags("uri", path, "method", "POST", "status", status, "outcome", outcome, "exception", "none", "error",
					"none")
			.timer();
		return (timer != null) ? timer.count() : 0;
	}

}
