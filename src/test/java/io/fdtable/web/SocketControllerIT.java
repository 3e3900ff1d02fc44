package io.fdtable.web;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Sysctl;
import io.fdtable.session.SessionRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards sockets over HTTP: an accept that waits holds its number and its listening
 * socket, and behaves as measured on Linux for kernel bug 106241 when the socket's number
 * is closed, replaced or shut down meanwhile.
 */
@ServerTest
class SocketControllerIT {

	private static final String NONE_ENDED = "{\"ended\":[]}";

	@Autowired
	private Api api;

	@Autowired
	private SessionRegistry registry;

	private String session;

	private String fds;

	@BeforeEach
	void createSession() {
		this.session = this.api.session();
		this.fds = this.session + "/fds";
	}

	private String socket(String... flags) {
		String names = (flags.length == 0) ? "" : "\"" + String.join("\",\"", flags) + "\"";
		return this.fds + "/" + this.api.post(this.fds, "{\"kind\":\"SOCKET\",\"flags\":[" + names + "]}").is(201).fd();
	}

	private String listener(String... flags) {
		String socket = socket(flags);
		this.api.post(socket + "/listen", null).is(204);
		return socket;
	}

	private String file(String fd) {
		return this.api.get(fd).is(200).json().path("file").asString();
	}

	private Reply connect(String socket, String file) {
		return this.api.post(socket + "/connect", "{\"file\":\"" + file + "\"}");
	}

	private Reply shutdown(String socket, String how) {
		return this.api.post(socket + "/shutdown", "{\"how\":\"" + how + "\"}");
	}

	/** Accepts where no connection waits, and returns the reserved number. */
	private JsonNode pendingAccept(String listener) {
		JsonNode made = this.api.post(listener + "/accept", null).is(201).json();
		assertThat(made.path("state").asString()).isEqualTo("RESERVED");
		return made;
	}

	private static String ended(JsonNode accept, String errno) {
		return "{\"ended\":[{\"pid\":1,\"fd\":%s,\"generation\":%s,\"errno\":%s}]}".formatted(accept.path("fd"),
				accept.path("generation"), errno);
	}

	private void withoutMemory(long left, Runnable test) {
		Sysctl sysctl = this.registry.sysctl();
		long filled = sysctl.memoryMax() - sysctl.memory() - left;
		assertThat(sysctl.tryCharge(filled)).isTrue();
		try {
			test.run();
		}
		finally {
			sysctl.uncharge(filled);
		}
	}

	// Bug 106241

	@Test
	void closingTheListeningNumberNeitherWakesNorRedirectsAnAccept() {
		String listener = listener();
		String file = file(listener);
		JsonNode accept = pendingAccept(listener);
		assertThat(accept.path("fd").asInt()).isEqualTo(4);
		// close returns 0; the accept stays as it was.
		this.api.delete(listener).is(204);
		assertThat(this.api.get(this.fds + "/4").is(200).json()).isEqualTo(accept);
		// The number is free at once.
		assertThat(this.api.post(this.fds + "/0/dup", null).is(201).fd()).isEqualTo(3);
		// A client still gets through: the accept returns the number it had reserved.
		String client = socket();
		connect(client, file).is(200, ended(accept, "null"));
		JsonNode accepted = this.api.get(this.fds + "/4").is(200).json();
		assertThat(accepted.path("state").asString()).isEqualTo("INSTALLED");
		assertThat(accepted.path("kind").asString()).isEqualTo("SOCKET");
		assertThat(accepted.path("accessMode").asString()).isEqualTo("O_RDWR");
		assertThat(accepted.path("generation")).isEqualTo(accept.path("generation"));
		// With that call the last reference has gone.
		connect(socket(), file).isErrno(409, Errno.ECONNREFUSED, "connect");
	}

	@Test
	void shuttingTheListenerDownEndsEveryAcceptWithEinval() {
		String listener = listener();
		JsonNode first = pendingAccept(listener);
		JsonNode second = pendingAccept(listener);
		String file = file(listener);
		JsonNode ended = shutdown(listener, "SHUT_RDWR").is(200).json().path("ended");
		assertThat(ended.size()).isEqualTo(2);
		for (int i = 0; i < 2; i++) {
			assertThat(ended.get(i).path("errno").asString()).isEqualTo("EINVAL");
			assertThat(ended.get(i).path("fd")).isEqualTo(((i == 0) ? first : second).path("fd"));
		}
		this.api.get(this.fds + "/4").isErrno(404, Errno.EBADF);
		this.api.get(this.fds + "/5").isErrno(404, Errno.EBADF);
		this.api.post(listener + "/accept", null).isErrno(422, Errno.EINVAL, "accept4");
		connect(socket(), file).isErrno(409, Errno.ECONNREFUSED, "connect");
		this.api.post(listener + "/listen", null).is(204);
		connect(this.fds + "/4", file).is(200, NONE_ENDED);
	}

	@Test
	void shutdownOnAnUnconnectedSocketAnswersEnotconn() {
		shutdown(socket(), "SHUT_RDWR").isErrno(409, Errno.ENOTCONN, "shutdown");
	}

	@Test
	void replacingTheListeningNumberNeitherWakesNorRedirectsAnAccept() {
		String listener = listener();
		String file = file(listener);
		JsonNode accept = pendingAccept(listener);
		Reply replaced = this.api.post(this.fds + "/0/dup2", "{\"newFd\":3}").is(200);
		assertThat(replaced.json().path("replaced").asBoolean()).isTrue();
		assertThat(this.api.get(this.fds + "/4").is(200).json()).isEqualTo(accept);
		connect(socket(), file).is(200, ended(accept, "null"));
		assertThat(this.api.get(this.fds + "/3").json().path("path").asString()).isEqualTo("/dev/stdin");
	}

	@Test
	void theNumberOfAnAcceptIsTakenAndNotOpen() {
		String listener = listener();
		pendingAccept(listener);
		this.api.delete(this.fds + "/4").isErrno(404, Errno.EBADF, "close");
		this.api.post(this.fds + "/0/dup2", "{\"newFd\":4}").isErrno(409, Errno.EBUSY, "dup2");
		assertThat(this.api.open(this.session)).isEqualTo(5);
		assertThat(this.api.get(this.session + "/bitmap").json().path("reserved")).hasToString("[4]");
		String child = this.api.fork(this.session, false);
		assertThat(this.api.open(child)).isEqualTo(4);
	}

	@Test
	void aProcessThatExitsTakesItsAcceptsAlong() {
		String listener = listener();
		String file = file(listener);
		String child = this.api.fork(this.session, false);
		this.api.post(child + "/fds/3/accept", null).is(201);
		this.api.delete(listener).is(204);
		this.api.delete(child).is(204);
		connect(socket(), file).isErrno(409, Errno.ECONNREFUSED, "connect");
	}

	// Connections

	@Test
	void aConnectionThatWaitsIsAcceptedAtOnce() {
		String listener = listener();
		String client = socket();
		connect(client, file(listener)).is(200, NONE_ENDED);
		Reply accepted = this.api.post(listener + "/accept", "{\"flags\":[\"O_CLOEXEC\",\"O_NONBLOCK\"]}").is(201);
		assertThat(accepted.header(HttpHeaders.LOCATION)).isEqualTo(this.fds + "/5");
		JsonNode made = accepted.json();
		accepted.is(201, """
				{"fd":5,"generation":%s,"state":"INSTALLED","closeOnExec":true,"file":%s,"kind":"SOCKET",
				"path":null,"accessMode":"O_RDWR","flags":["O_NONBLOCK"],"label":null}"""
			.formatted(made.path("generation"), made.path("file")));
		assertThat(accepted.header(HttpHeaders.ETAG)).isEqualTo(this.api.get(this.fds + "/5").header(HttpHeaders.ETAG));
		this.api.post(client + "/write", "{\"data\":\"aGVsbG8=\"}").is(200, "{\"bytes\":5}");
		this.api.post(this.fds + "/5/read", "{\"count\":9}").is(200, "{\"bytes\":5,\"data\":\"aGVsbG8=\"}");
		this.api.post(this.fds + "/5/write", "{\"data\":\"eA==\"}").is(200, "{\"bytes\":1}");
		this.api.post(client + "/read", "{\"count\":9}").is(200, "{\"bytes\":1,\"data\":\"eA==\"}");
		this.api.post(client + "/read", "{\"count\":9}").isErrno(409, Errno.EAGAIN, "read");
	}

	@Test
	void shuttingDownOneDirectionEndsIt() {
		String listener = listener();
		String client = socket();
		connect(client, file(listener)).is(200);
		this.api.post(listener + "/accept", null).is(201);
		this.api.post(client + "/write", "{\"data\":\"eA==\"}").is(200);
		shutdown(client, "SHUT_WR").is(200, NONE_ENDED);
		this.api.post(client + "/write", "{\"data\":\"eA==\"}").isErrno(409, Errno.EPIPE, "write");
		this.api.post(this.fds + "/5/read", "{\"count\":9}").is(200, "{\"bytes\":1,\"data\":\"eA==\"}");
		this.api.post(this.fds + "/5/read", "{\"count\":9}").is(200, "{\"bytes\":0,\"data\":\"\"}");
		this.api.post(this.fds + "/5/write", "{\"data\":\"eQ==\"}").is(200);
		this.api.post(client + "/read", "{\"count\":9}").is(200, "{\"bytes\":1,\"data\":\"eQ==\"}");
		shutdown(client, "SHUT_RD").is(200, NONE_ENDED);
		shutdown(client, "2").is(200, NONE_ENDED);
	}

	@Test
	void processesOfATreeConnectToEachOther() {
		String listener = listener();
		JsonNode accept = pendingAccept(listener);
		String child = this.api.fork(this.session, false);
		int client = this.api.post(child + "/fds", "{\"kind\":\"SOCKET\"}").is(201).fd();
		connect(child + "/fds/" + client, file(listener)).is(200, ended(accept, "null"));
		String stranger = this.api.session();
		int far = this.api.post(stranger + "/fds", "{\"kind\":\"SOCKET\"}").is(201).fd();
		connect(stranger + "/fds/" + far, file(listener)).isErrno(409, Errno.ECONNREFUSED, "connect");
	}

	@Test
	void asManyConnectionsWaitAsTheBacklogSaysAndOneMore() {
		String listener = socket();
		this.api.post(listener + "/listen", "{\"backlog\":1}").is(204);
		String file = file(listener);
		connect(socket(), file).is(200);
		connect(socket(), file).is(200);
		String third = socket();
		connect(third, file).isErrno(409, Errno.EAGAIN, "connect");
		this.api.post(listener + "/listen", "{\"backlog\":2}").is(204);
		connect(third, file).is(200, NONE_ENDED);
	}

	// Errnos

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			listen   | listen   |
			accept   | accept4  |
			connect  | connect  | {"file":"o1"}
			shutdown | shutdown | {"how":"SHUT_RDWR"}
			""")
	void whatIsNotOpenOrNoSocketIsTold(String path, String call, String body) {
		this.api.post(this.fds + "/3/" + path, body).isErrno(404, Errno.EBADF, call);
		this.api.post(this.fds + "/-1/" + path, body).isErrno(404, Errno.EBADF, call);
		this.api.post(this.fds + "/0/" + path, body).isErrno(409, Errno.ENOTSOCK, call);
		assertThat(this.api.open(this.session)).isEqualTo(3);
		this.api.post(Api.SESSIONS + "/x/fds/0/" + path, body).isErrno(404, Errno.ESRCH);
		this.api.delete(this.session).is(204);
		this.api.post(this.fds + "/0/" + path, body).isErrno(404, Errno.ESRCH);
	}

	@Test
	void listenOnAConnectedSocketAnswersEinval() {
		String listener = listener();
		String client = socket();
		connect(client, file(listener)).is(200);
		this.api.post(client + "/listen", null).isErrno(422, Errno.EINVAL, "listen");
	}

	@Test
	void acceptAnswersEinval() {
		String socket = socket();
		this.api.post(socket + "/accept", null).isErrno(422, Errno.EINVAL, "accept4");
		this.api.post(socket + "/listen", null).is(204);
		this.api.post(socket + "/accept", "{\"flags\":[\"O_APPEND\"]}").isErrno(422, Errno.EINVAL, "accept4");
		assertThat(this.api.open(this.session)).isEqualTo(4);
	}

	@Test
	void acceptOnANonblockingListenerAnswersEagain() {
		String listener = listener("O_NONBLOCK");
		this.api.post(listener + "/accept", null).isErrno(409, Errno.EAGAIN, "accept4");
		assertThat(this.api.open(this.session)).isEqualTo(4);
	}

	@Test
	void acceptAnswersEmfile() {
		String listener = listener();
		this.api.put(this.session + "/limits", "{\"nofile\":{\"soft\":4,\"hard\":4}}").is(200);
		Reply reply = this.api.post(listener + "/accept", null).isErrno(409, Errno.EMFILE, "accept4");
		assertThat(reply.json().path("limit").asInt()).isEqualTo(4);
	}

	@Test
	void acceptAndConnectAnswerEnomemWhenTheMemoryIsSpent() {
		String listener = listener();
		String client = socket();
		String file = file(listener);
		withoutMemory(0, () -> {
			this.api.post(listener + "/accept", null).isErrno(503, Errno.ENOMEM, "accept4");
			connect(client, file).isErrno(503, Errno.ENOMEM, "connect");
		});
		connect(client, file).is(200);
	}

	@Test
	void aSocketThatIsConnectedOrListensCannotConnect() {
		String listener = listener();
		String file = file(listener);
		String client = socket();
		connect(client, file).is(200);
		connect(client, file).isErrno(409, Errno.EISCONN, "connect");
		connect(listener, file).isErrno(409, Errno.EISCONN, "connect");
	}

	@ParameterizedTest
	@ValueSource(strings = { "o1", "o999999", "o999999999999999999" })
	void whatDoesNotListenRefuses(String file) {
		connect(socket(), file).isErrno(409, Errno.ECONNREFUSED, "connect");
	}

	@ParameterizedTest
	@ValueSource(strings = { "3", "-1" })
	void shutdownOfNoDirectionAnswersEinval(String how) {
		shutdown(listener(), how).isErrno(422, Errno.EINVAL, "shutdown");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			listen   | {"backlog":"1"}       | /backlog
			listen   | {"size":1}            | /size
			accept   | {"flags":["O_FAST"]}  | /flags/0
			connect  | {}                    | /file
			connect  | {"file":"4"}          | /file
			connect  | {"file":"o04"}        | /file
			connect  | {"file":4}            | /file
			connect  | {"file":"o9999999999999999999"} | /file
			shutdown | {}                    | /how
			shutdown | {"how":2}             | /how
			shutdown | {"how":"SHUT_ALL"}    | /how
			""")
	void namesWhatIsMalformed(String call, String body, String pointer) {
		this.api.post(socket() + "/" + call, body).isMalformedAt(pointer);
	}

	// Retries and conditions

	@Test
	void aRetriedAcceptReservesOneNumber() {
		String listener = listener();
		Reply first = this.api.post(listener + "/accept", null, CallContext.IDEMPOTENCY_KEY, "a").is(201);
		Reply again = this.api.post(listener + "/accept", null, CallContext.IDEMPOTENCY_KEY, "a").is(201);
		assertThat(again.text()).isEqualTo(first.text());
		assertThat(again.header(CallContext.IDEMPOTENT_REPLAYED)).isEqualTo("true");
		assertThat(this.api.open(this.session)).isEqualTo(5);
	}

	@Test
	void aRetriedConnectConnectsOnce() {
		String listener = listener();
		JsonNode accept = pendingAccept(listener);
		String client = socket();
		String body = "{\"file\":\"" + file(listener) + "\"}";
		this.api.post(client + "/connect", body, CallContext.IDEMPOTENCY_KEY, "c").is(200, ended(accept, "null"));
		this.api.post(client + "/connect", body, CallContext.IDEMPOTENCY_KEY, "c").is(200, ended(accept, "null"));
		this.api.post(client + "/connect", "{\"file\":\"o1\"}", CallContext.IDEMPOTENCY_KEY, "c")
			.isProblem(422, "idempotency-key-reused");
	}

	@Test
	void changesOnlyTheSocketThatTheClientHasSeen() {
		String socket = socket();
		String seen = String.valueOf(this.api.get(socket).header(HttpHeaders.ETAG));
		this.api.post(socket + "/listen", null, HttpHeaders.IF_MATCH, seen).is(204);
		this.api.delete(socket).is(204);
		assertThat(listener()).isEqualTo(socket);
		this.api.post(socket + "/listen", null, HttpHeaders.IF_MATCH, seen).isProblem(412, "precondition-failed");
		this.api.post(socket + "/accept", null, HttpHeaders.IF_MATCH, seen).isProblem(412, "precondition-failed");
		this.api.post(socket + "/connect", "{\"file\":\"o1\"}", HttpHeaders.IF_MATCH, seen)
			.isProblem(412, "precondition-failed");
		this.api.post(socket + "/shutdown", "{\"how\":\"SHUT_RD\"}", HttpHeaders.IF_MATCH, seen)
			.isProblem(412, "precondition-failed");
		pendingAccept(socket);
	}

}
