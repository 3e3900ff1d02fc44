package io.fdtable.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.fdtable.FdTableApplication;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FileKind;
import io.fdtable.session.Request;
import io.fdtable.session.SessionId;
import io.fdtable.session.SyscallExecutor;
import io.fdtable.syscall.Syscall;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the streams of events over HTTP: both formats, resuming, and every way in which
 * a stream ends or is refused.
 */
@ServerTest
@TestPropertySource(properties = { "fdtable.events.ring-size=8", "fdtable.events.heartbeat=100ms",
		"fdtable.events.max-streams-per-session=2" })
class EventControllerIT {

	private static final JsonMapper JSON = new JsonMapper();

	private static final String NDJSON = "application/x-ndjson";

	private static final String SSE = "text/event-stream";

	@Autowired
	private Api api;

	@Autowired
	private SyscallExecutor executor;

	private final HttpClient client = HttpClient.newHttpClient();

	private String session;

	@BeforeEach
	void createSession() {
		this.session = this.api.session();
	}

	@AfterEach
	void closeClient() {
		this.client.shutdownNow();
	}

	private HttpResponse<InputStream> stream(String query, String... headers) throws Exception {
		return stream(this.api.port(), this.session + "/events" + query, headers);
	}

	private HttpResponse<InputStream> stream(int port, String path, String... headers) throws Exception {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
		for (int i = 0; i < headers.length; i += 2) {
			request.header(headers[i], headers[i + 1]);
		}
		HttpResponse<InputStream> response = this.client.send(request.build(),
				HttpResponse.BodyHandlers.ofInputStream());
		assertThat(response.statusCode()).isEqualTo(200);
		return response;
	}

	private static BufferedReader reader(InputStream body) {
		return new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
	}

	private static String line(BufferedReader reader) throws IOException {
		return Objects.requireNonNull(reader.readLine(), "a line");
	}

	/** Returns the next NDJSON line that is not a heartbeat. */
	private static JsonNode event(BufferedReader reader) throws IOException {
		JsonNode event;
		do {
			event = JSON.readTree(line(reader));
		}
		while (!event.has("call"));
		return event;
	}

	/** Returns an event without its time, which no test can know. */
	private static String timeless(JsonNode event) {
		assertThat(Instant.parse(event.path("time").asString())).isBefore(Instant.now().plusSeconds(1));
		return event.toString().replaceFirst(",\"time\":\"[^\"]*\"", "");
	}

	// Formats

	@Test
	void tellsCallsAndResultsWithTheMembersOfABatch() throws Exception {
		HttpResponse<InputStream> response = stream("", HttpHeaders.ACCEPT, NDJSON);
		assertThat(response.headers().firstValue(HttpHeaders.CONTENT_TYPE)).hasValue(NDJSON);
		assertThat(response.headers().firstValue(HttpHeaders.CACHE_CONTROL)).hasValue("no-store");
		try (BufferedReader reader = reader(response.body())) {
			assertThat(line(reader)).isEqualTo("{\"version\":\"0\"}");
			this.api.post(this.session + "/fds",
					"{\"path\":\"/a\\n\",\"kind\":\"REGULAR\",\"flags\":[\"O_RDWR\",\"O_CREAT\",\"O_CLOEXEC\"],\"label\":\"log\"}");
			this.api.post(this.session + "/fds/3/dup", null);
			this.api.post(this.session + "/fds/3/dup2", "{\"newFd\":7}");
			this.api.post(this.session + "/fds/3/dup3", "{\"newFd\":8,\"flags\":[\"O_CLOEXEC\"]}");
			this.api.post(this.session + "/fds/3/fcntl", "{\"cmd\":\"F_DUPFD\",\"arg\":20}");
			this.api.post(this.session + "/close-range",
					"{\"first\":7,\"last\":-1,\"flags\":[\"CLOSE_RANGE_UNSHARE\",\"CLOSE_RANGE_CLOEXEC\"]}");
			this.api.put(this.session + "/limits", "{\"nofile\":{\"soft\":99,\"hard\":100}}");
			assertThat(IntStream.range(0, 7).mapToObj((i) -> next(reader))).containsExactly(
					"{\"version\":\"1\",\"pid\":1,\"call\":\"open\",\"path\":\"/a\\n\",\"kind\":\"REGULAR\","
							+ "\"flags\":[\"O_RDWR\",\"O_CREAT\",\"O_CLOEXEC\"],\"label\":\"log\",\"ret\":3}",
					"{\"version\":\"2\",\"pid\":1,\"call\":\"dup\",\"oldFd\":3,\"ret\":4}",
					"{\"version\":\"3\",\"pid\":1,\"call\":\"dup2\",\"oldFd\":3,\"newFd\":7,\"ret\":7}",
					"{\"version\":\"4\",\"pid\":1,\"call\":\"dup3\",\"oldFd\":3,\"newFd\":8,\"flags\":[\"O_CLOEXEC\"],\"ret\":8}",
					"{\"version\":\"5\",\"pid\":1,\"call\":\"fcntl\",\"fd\":3,\"cmd\":\"F_DUPFD\",\"arg\":20,\"ret\":20}",
					"{\"version\":\"6\",\"pid\":1,\"call\":\"close_range\",\"first\":7,\"last\":4294967295,"
							+ "\"flags\":[\"CLOSE_RANGE_UNSHARE\",\"CLOSE_RANGE_CLOEXEC\"],\"ret\":0,\"closed\":0}",
					"{\"version\":\"7\",\"pid\":1,\"call\":\"prlimit\",\"soft\":99,\"hard\":100,\"ret\":0}");
			String child = this.api.fork(this.session, true);
			this.api.post(this.session + "/unshare", null);
			this.api.post(this.session + "/exec", null);
			this.api.delete(this.session + "/fds/4");
			assertThat(IntStream.range(0, 4).mapToObj((i) -> next(reader))).containsExactly(
					"{\"version\":\"8\",\"pid\":1,\"call\":\"fork\",\"shareFiles\":true,\"label\":null,\"ret\":2,\"session\":\""
							+ child.substring(child.lastIndexOf('/') + 1) + "\"}",
					"{\"version\":\"9\",\"pid\":1,\"call\":\"unshare\",\"ret\":0}",
					"{\"version\":\"10\",\"pid\":1,\"call\":\"execve\",\"ret\":0,\"closed\":[3,7,8,20]}",
					"{\"version\":\"11\",\"pid\":1,\"call\":\"close\",\"fd\":4,\"ret\":0}");
		}
	}

	private static String next(BufferedReader reader) {
		try {
			return timeless(event(reader));
		}
		catch (IOException ex) {
			throw new java.io.UncheckedIOException(ex);
		}
	}

	@Test
	void tellsHowAPendingAcceptEnds() throws Exception {
		this.api.post(this.session + "/fds", "{\"kind\":\"SOCKET\"}").is(201);
		this.api.post(this.session + "/fds/3/listen", null).is(204);
		String file = this.api.get(this.session + "/fds/3").json().path("file").asString();
		String other = this.api.fork(this.session, false);
		this.api.post(other + "/fds", "{\"kind\":\"SOCKET\"}").is(201);
		try (BufferedReader reader = reader(stream("", HttpHeaders.ACCEPT, NDJSON).body())) {
			this.api.post(this.session + "/fds/3/accept", null);
			this.api.post(other + "/fds/4/connect", "{\"file\":\"" + file + "\"}").is(200);
			this.api.post(this.session + "/fds/3/accept", null);
			this.api.post(other + "/fds/3/shutdown", "{\"how\":\"SHUT_RDWR\"}").is(200);
			assertThat(IntStream.range(0, 4).mapToObj((i) -> next(reader))).containsExactly(
					"{\"version\":\"3\",\"pid\":1,\"call\":\"accept4\",\"fd\":3,\"flags\":[],\"ret\":4,\"pending\":true}",
					"{\"version\":\"4\",\"pid\":1,\"call\":\"accept4\",\"reserved\":4,\"by\":2,\"ret\":4}",
					"{\"version\":\"5\",\"pid\":1,\"call\":\"accept4\",\"fd\":3,\"flags\":[],\"ret\":5,\"pending\":true}",
					"{\"version\":\"6\",\"pid\":1,\"call\":\"accept4\",\"reserved\":5,\"by\":2,\"ret\":-1,\"errno\":\"EINVAL\"}");
		}
	}

	@Test
	void serverSentEventsBeginWithAnIdAndBeatWithComments() throws Exception {
		this.api.open(this.session);
		HttpResponse<InputStream> response = stream("");
		assertThat(response.headers().firstValue(HttpHeaders.CONTENT_TYPE)).hasValue(SSE);
		try (BufferedReader reader = reader(response.body())) {
			assertThat(line(reader)).isEqualTo("id: 1");
			assertThat(line(reader)).isEmpty();
			assertThat(line(reader)).isEqualTo(":");
			assertThat(line(reader)).isEmpty();
			this.api.delete(this.session + "/fds/3");
			String id;
			do {
				id = line(reader);
			}
			while (id.isEmpty() || id.equals(":"));
			assertThat(id).isEqualTo("id: 2");
			String data = line(reader);
			assertThat(data).startsWith("data: ");
			assertThat(timeless(JSON.readTree(data.substring(6))))
				.isEqualTo("{\"version\":\"2\",\"pid\":1,\"call\":\"close\",\"fd\":3,\"ret\":0}");
			assertThat(line(reader)).isEmpty();
		}
	}

	@Test
	void anotherFormatIsNotAcceptable() {
		this.api.get(this.session + "/events", HttpHeaders.ACCEPT, "text/html").isProblem(406, "not-acceptable");
	}

	// Resuming

	@Test
	void resumesAfterTheVersionThatTheClientHasSeen() throws Exception {
		for (int i = 0; i < 3; i++) {
			this.api.open(this.session);
		}
		try (BufferedReader reader = reader(stream("?since=1", HttpHeaders.ACCEPT, NDJSON).body())) {
			assertThat(event(reader).path("version").asString()).isEqualTo("2");
			assertThat(event(reader).path("ret").asInt()).isEqualTo(5);
		}
		// Browsers repeat the query of the first request, so the header must win.
		try (BufferedReader reader = reader(
				stream("?since=0", HttpHeaders.ACCEPT, NDJSON, "Last-Event-ID", "2").body())) {
			assertThat(event(reader).path("version").asString()).isEqualTo("3");
		}
	}

	@Test
	void whatHasBeenOverwrittenIsGone() {
		for (int i = 0; i < 10; i++) {
			this.api.open(this.session);
		}
		this.api.get(this.session + "/events?since=1", HttpHeaders.ACCEPT, SSE).isProblem(410, "events-gone");
		this.api.get(this.session + "/events", HttpHeaders.ACCEPT, NDJSON, "Last-Event-ID", "0")
			.isProblem(410, "events-gone");
	}

	@Test
	void aVersionThatHasNotBeenIsMalformed() {
		this.api.get(this.session + "/events?since=1").isMalformedAt("since");
		this.api.get(this.session + "/events?since=-1").isMalformedAt("since");
		this.api.get(this.session + "/events?since=").isMalformedAt("since");
		this.api.get(this.session + "/events", "Last-Event-ID", "x").isMalformedAt("Last-Event-ID");
	}

	@Test
	void thereIsNothingToWatchWithoutASession() {
		this.api.delete(this.session).is(204);
		this.api.get(this.session + "/events").isErrno(404, Errno.ESRCH);
		this.api.get("/v1/sessions/nobody/events").isErrno(404, Errno.ESRCH);
	}

	// Ends

	@Test
	void endsAfterTheExit() throws Exception {
		try (BufferedReader reader = reader(stream("", HttpHeaders.ACCEPT, NDJSON).body())) {
			this.api.delete(this.session).is(204);
			assertThat(timeless(event(reader))).isEqualTo("{\"version\":\"1\",\"pid\":1,\"call\":\"exit\",\"ret\":0}");
			assertThat(reader.readLine()).isNull();
		}
	}

	/**
	 * What is sent to the reader is more than all buffers between hold, so the server's
	 * write waits, while the calls go on.
	 */
	@Test
	void aSlowReaderIsCutOffAndHoldsUpNoCall() throws Exception {
		SessionId id = Objects.requireNonNull(SessionId.parse(this.session.substring(Api.SESSIONS.length() + 1)));
		Syscall open = new Syscall.Open("/" + "x".repeat(4000), FileKind.REGULAR, 0, null);
		try (Socket socket = new Socket()) {
			socket.setReceiveBufferSize(4096);
			socket.setSoTimeout(20_000);
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.api.port()));
			socket.getOutputStream()
				.write(("GET " + this.session + "/events HTTP/1.1\r\nHost: localhost\r\nAccept: " + NDJSON
						+ "\r\nConnection: close\r\n\r\n")
					.getBytes(StandardCharsets.US_ASCII));
			InputStream in = socket.getInputStream();
			assertThat(new String(in.readNBytes(12), StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
			for (int i = 0; i < 5000; i++) {
				assertThat(this.executor.execute(Request.of(id, open)).result().ret()).isEqualTo(3);
				assertThat(this.executor.execute(Request.of(id, new Syscall.Close(3))).result().ret()).isZero();
			}
			String received = new String(in.readAllBytes(), StandardCharsets.UTF_8);
			// The last chunk: the server has ended the stream and not just the
			// connection.
			assertThat(received).endsWith("\r\n0\r\n\r\n").doesNotContain("\"version\":\"10000\"", "\"exit\"");
			String last = Pattern.compile("\"version\":\"(\\d+)\"")
				.matcher(received)
				.results()
				.reduce("", (before, match) -> match.group(1), (a, b) -> b);
			this.api.get(this.session + "/events?since=" + last).isProblem(410, "events-gone");
		}
	}

	@Test
	void streamsAreBoundedAndADeadClientMakesRoom() throws Exception {
		HttpResponse<InputStream> first = stream("");
		HttpResponse<InputStream> second = stream("");
		Reply refused = this.api.get(this.session + "/events").isProblem(503, "too-many-streams");
		assertThat(refused.header(HttpHeaders.RETRY_AFTER)).isEqualTo("1");
		first.body().close();
		Instant deadline = Instant.now().plusSeconds(20);
		int status;
		do {
			assertThat(Instant.now()).isBefore(deadline);
			HttpResponse<InputStream> again = this.client.send(
					HttpRequest.newBuilder(URI.create("http://localhost:" + this.api.port() + this.session + "/events"))
						.build(),
					HttpResponse.BodyHandlers.ofInputStream());
			status = again.statusCode();
			again.body().close();
		}
		while (status == 503);
		assertThat(status).isEqualTo(200);
		second.body().close();
	}

	@Test
	void aShutdownEndsStreamsInsteadOfWaitingForThem() throws Exception {
		List<String> arguments = List.of("--server.port=0", "--spring.lifecycle.timeout-per-shutdown-phase=60s");
		ConfigurableApplicationContext other = new SpringApplicationBuilder(FdTableApplication.class)
			.run(arguments.toArray(String[]::new));
		int port = other.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		HttpResponse<String> created = this.client
			.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + Api.SESSIONS))
				.POST(HttpRequest.BodyPublishers.noBody())
				.build(), HttpResponse.BodyHandlers.ofString());
		String path = created.headers().firstValue(HttpHeaders.LOCATION).orElseThrow();
		try (BufferedReader reader = reader(stream(port, path + "/events", HttpHeaders.ACCEPT, NDJSON).body())) {
			assertThat(line(reader)).isEqualTo("{\"version\":\"0\"}");
			Instant begin = Instant.now();
			other.close();
			assertThat(Duration.between(begin, Instant.now())).isLessThan(Duration.ofSeconds(30));
			assertThat(reader.readLine()).isNull();
		}
	}

}
