package io.fdtable.web;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import io.fdtable.kernel.Errno;
import org.junit.jupiter.api.AfterEach;
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
 * Guards that every error is a problem of RFC 9457, wherever it arises, and that what is
 * refused before the model has run changes nothing.
 */
@ServerTest
class ProblemIT {

	private static final int MIB = 1024 * 1024;

	@Autowired
	private Api api;

	private String session;

	private String fds;

	@BeforeEach
	void createSession() {
		this.session = this.api.session();
		this.fds = this.session + "/fds";
	}

	@AfterEach
	void nothingHasChanged() {
		assertThat(this.api.get(this.fds).is(200).json().path("fds").size()).isEqualTo(3);
		assertThat(this.api.get(this.session + "/statistics").json().path("calls").isEmpty()).isTrue();
	}

	// Bodies

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			{"flag":["O_CLOEXEC"]}                | /flag
			{"kind":"FILE"}                       | /kind
			{"kind":1}                            | /kind
			{"kind":"1"}                          | /kind
			{"kind":"regular"}                    | /kind
			{"path":3}                            | /path
			{"path":{}}                           | /path
			{"path":["/a"]}                       | /path
			{"flags":"O_RDWR"}                    | /flags
			{"flags":["O_FROB"]}                  | /flags/0
			{"flags":["O_RDWR",null]}             | /flags/1
			{"flags":["O_RDWR","4294967296"]}     | /flags/1
			{"flags":[1]}                         | /flags/0
			{"flags":[{}]}                        | /flags/0
			[]                                    | ``
			3                                     | ``
			"x"                                   | ``
			true                                  | ``
			""")
	void aBodyOfTheWrongFormIsMalformed(String body, String pointer) {
		this.api.post(this.fds, body).isMalformedAt(pointer);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{", "{\"path\"}", "{'path':'x'}", "{path:\"x\"}", "{\"path\":\"x\",}",
			"{\"path\":\"x\"}}", "{} {}", "{} x", "nul", "\u0000", "// comment\n{}", "{\"label\":\"\n\"}",
			"{\"label\":NaN}", "<a/>" })
	void whatIsNotJsonIsMalformed(String body) {
		this.api.post(this.fds, body).isProblem(400, "malformed-request");
	}

	@Test
	void aMemberGivenTwiceIsMalformed() {
		this.api.post(this.fds, "{\"path\":\"/a\",\"path\":\"/b\"}").isProblem(400, "malformed-request");
	}

	@ParameterizedTest
	@ValueSource(strings = { "null", "4294967296", "-2147483649", "3.5", "3.0", "\"3\"", "\"\"", "true", "[3]", "{}",
			"1e1", "99999999999999999999" })
	void aNumberThatIsNoDescriptorIsMalformed(String number) {
		this.api.post(this.fds + "/0/dup2", "{\"newFd\":" + number + "}").isMalformedAt("/newFd");
	}

	@ParameterizedTest
	@ValueSource(strings = { "1", "0", "\"true\"", "\"\"", "[]" })
	void whatIsNoBooleanIsMalformed(String value) {
		this.api.post(this.fds + "/0/dup", "{\"closeOnExec\":" + value + "}").isMalformedAt("/closeOnExec");
	}

	@Test
	void membersOfMembersAreNamedToo() {
		this.api.put(this.session + "/limits", "{\"nofile\":{\"soft\":1}}").isMalformedAt("/nofile/hard");
		this.api.put(this.session + "/limits", "{}").isMalformedAt("/nofile");
		this.api.put(this.session + "/limits", "{\"nofile\":{\"soft\":1,\"hard\":1,\"max\":1}}")
			.isMalformedAt("/nofile/max");
		this.api.put(this.session + "/limits", "{\"nofile\":{\"soft\":1,\"hard\":18446744073709551616}}")
			.isMalformedAt("/nofile/hard");
		this.api.post(Api.SESSIONS, "{\"limits\":{\"nofile\":{\"soft\":1}}}").isMalformedAt("/limits/nofile/hard");
	}

	@Test
	void everyErrorOfABodyIsNamed() {
		Reply reply = this.api.post(this.session + "/close-range", "{}").isProblem(400, "malformed-request");
		assertThat(reply.json().path("errors").size()).isEqualTo(2);
		assertThat(reply.text()).contains("\"/first\"", "\"/last\"");
	}

	@Test
	void aMissingBodyIsMalformedWhereOneIsNeeded() {
		this.api.post(this.fds + "/0/dup2", null, HttpHeaders.CONTENT_TYPE, "application/json")
			.isProblem(400, "malformed-request");
		this.api.post(this.fds + "/0/dup2", "null").isProblem(400, "malformed-request");
	}

	@Test
	void aLabelHasAtMost256Characters() {
		this.api.post(this.fds, "{\"label\":\"" + "x".repeat(257) + "\"}").isMalformedAt("/label");
	}

	@Test
	void nestingBeyond50LevelsIsMalformed() {
		this.api.post(this.fds, "[".repeat(51) + "]".repeat(51)).isProblem(400, "malformed-request");
		Reply deep = this.api.post(this.fds, "{\"x\":" + "[".repeat(100_000));
		deep.isProblem(400, "malformed-request");
	}

	// Sizes

	@Test
	void aBodyThatSaysItIsTooLargeIsRefusedAtOnce() {
		this.api.post(this.fds, "{}" + " ".repeat(4 * MIB)).isProblem(413, "payload-too-large");
		Reply raw = this.api.raw("POST " + this.fds + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
				+ "Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{");
		raw.isProblem(413, "payload-too-large");
	}

	@ParameterizedTest
	@ValueSource(strings = { "application/json", "APPLICATION/JSON;charset=utf-8" })
	void aBodyThatTurnsOutTooLargeIsRefused(String type) throws Exception {
		chunked("POST", type, "{\"label\":\"" + "x".repeat(5 * MIB)).isProblem(413, "payload-too-large");
		chunked("POST", type, "{}" + " ".repeat(5 * MIB)).isProblem(413, "payload-too-large");
	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "PUT", "PATCH", "DELETE" })
	void aLargeFormIsAProblem(String method) throws Exception {
		Reply reply = chunked(method, "application/x-www-form-urlencoded", "a=" + "x".repeat(5 * MIB));
		assertThat(reply.status()).isIn(405, 413, 415);
		reply.isProblem(reply.status(), (reply.status() == 405) ? "method-not-allowed"
				: (reply.status() == 413) ? "payload-too-large" : "unsupported-media-type");
	}

	private Reply chunked(String method, String type, String body) throws Exception {
		Supplier<InputStream> stream = () -> new java.io.ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8));
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + this.api.port() + this.fds))
			.header(HttpHeaders.CONTENT_TYPE, type)
			.method(method, BodyPublishers.ofInputStream(stream))
			.build();
		try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
			HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
			HttpHeaders headers = new HttpHeaders();
			response.headers().map().forEach(headers::addAll);
			return new Reply(response.statusCode(), headers, response.body());
		}
	}

	@Test
	void aBodyOf4MibIsRead() {
		this.api.post(this.fds, "{\"x\":1}" + " ".repeat(4 * MIB - 7)).isMalformedAt("/x");
	}

	// Media types

	@ParameterizedTest
	@ValueSource(strings = { "application/yaml", "application/x-yaml", "text/yaml", "application/xml", "text/plain",
			"application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=x",
			"application/octet-stream", "application/x-ndjson" })
	void onlyJsonIsRead(String type) {
		this.api.post(this.fds, "{}", HttpHeaders.CONTENT_TYPE, type).isProblem(415, "unsupported-media-type");
		this.api.put(this.session + "/limits", "nofile: {soft: 1, hard: 1}", HttpHeaders.CONTENT_TYPE, type)
			.isProblem(415, "unsupported-media-type");
	}

	@Test
	void aMediaTypeThatIsNoneIsRefused() {
		this.api.raw(request("POST", this.fds, "Content-Type: nonsense\r\nContent-Length: 2\r\n") + "{}")
			.isProblem(415, "unsupported-media-type");
	}

	@ParameterizedTest
	@ValueSource(strings = { "*/*", "*/*;q=0.5", "application/*", "application/*+json", "*/json", "*", ";;", "", " ",
			"application", "application/", "/json", "application/json,application/json",
			"application/json; charset=nonsense", "application/json; charset=\"" })
	void aMediaTypeThatNoBodyCanHaveIsRefused(String type) {
		for (String path : new String[] { this.fds, this.fds + "/0/dup2", this.session + "/batch",
				this.session + "/close-range", this.session + "/messages", this.session + "/reservations",
				Api.SESSIONS }) {
			this.api.raw(request("POST", path, "Content-Type: " + type + "\r\nContent-Length: 2\r\n") + "{}")
				.isProblem(415, "unsupported-media-type");
		}
		this.api
			.raw(request("PUT", this.session + "/limits", "Content-Type: " + type + "\r\nContent-Length: 2\r\n") + "{}")
			.isProblem(415, "unsupported-media-type");
	}

	@Test
	void theMediaTypeOfNoBodyDoesNotMatter() {
		this.api.raw(request("GET", this.session, "Content-Type: */*\r\n")).is(200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/plain", "text/html", "application/xml", "image/png", "application/yaml" })
	void whatCannotBeAcceptedIsRefusedBeforeTheCallIsMade(String accept) {
		this.api.post(this.fds, null, HttpHeaders.ACCEPT, accept).isProblem(406, "not-acceptable");
		this.api.post(this.fds + "/0/dup2", "{\"newFd\":5}", HttpHeaders.ACCEPT, accept)
			.isProblem(406, "not-acceptable");
		this.api.post(this.session + "/fork", null, HttpHeaders.ACCEPT, accept).isProblem(406, "not-acceptable");
		this.api.get(this.session, HttpHeaders.ACCEPT, accept).isProblem(406, "not-acceptable");
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/plain", "text/html", "application/xml" })
	void anErrorIsAProblemWhateverTheClientAccepts(String accept) {
		Reply noDrawing = this.api.get(Api.SESSIONS + "/x/bitmap", HttpHeaders.ACCEPT, accept);
		if (accept.equals("text/plain")) {
			noDrawing.isErrno(404, Errno.ESRCH);
		}
		else {
			noDrawing.isProblem(406, "not-acceptable");
		}
		this.api.get("/v1/nothing", HttpHeaders.ACCEPT, accept).isProblem(404, "not-found");
		this.api.send(HttpMethod.PATCH, this.session, null, HttpHeaders.ACCEPT, accept)
			.isProblem(405, "method-not-allowed");
		this.api.get("/faulty/exception", HttpHeaders.ACCEPT, accept).isProblem(500, "internal-error");
	}

	@ParameterizedTest
	@ValueSource(strings = { "nonsense", ";;", "*/json", "application/json;q=2", "application/json;q=", "a/b,,",
			"application/json; charset=\"" })
	void aTypeThatCannotBeReadIsRefused(String accept) {
		this.api.raw(request("GET", this.session, "Accept: " + accept + "\r\n")).isProblem(406, "not-acceptable");
		this.api.raw(request("POST", this.fds, "Accept: " + accept + "\r\n")).isProblem(406, "not-acceptable");
		this.api.raw(request("GET", this.session + "/events", "Accept: " + accept + "\r\n"))
			.isProblem(406, "not-acceptable");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "*/*", "*", "application/*", "nonsense/x, */*;q=0.1" })
	void whoeverAcceptsAnythingGetsJson(String accept) {
		Reply reply = this.api.raw(request("GET", this.session, "Accept: " + accept + "\r\n")).is(200);
		assertThat(reply.header(HttpHeaders.CONTENT_TYPE)).isEqualTo("application/json");
	}

	// Routes and methods

	@ParameterizedTest
	@ValueSource(
			strings = { "/", "/v1", "/v1/", "/v2/sessions", "/v1/sessions/", "/v1/session", "/error", "/favicon.ico",
					"/v1/sessions/x/nothing", "/v1//sessions", "/V1/sessions", "/v1/statistics/x", "/index.html" })
	void anUnknownRouteIsNotFound(String path) {
		Reply reply = this.api.get(path).isProblem(404, "not-found");
		assertThat(reply.json().path("instance").asString()).isEqualTo(path);
	}

	@Test
	void aMethodThatARouteLacksIsNotAllowed() {
		Reply reply = this.api.put(this.fds, "{}").isProblem(405, "method-not-allowed");
		assertThat(reply.headers().getAllow()).contains(HttpMethod.GET, HttpMethod.POST);
		this.api.send(HttpMethod.PATCH, this.session, "{}").isProblem(405, "method-not-allowed");
		this.api.delete(this.fds).isProblem(405, "method-not-allowed");
		this.api.raw(request("FROB", this.fds, "")).isProblem(405, "method-not-allowed");
		this.api.raw(request("TRACE", this.fds, "")).isProblem(405, "method-not-allowed");
	}

	@Test
	void optionsTellsTheMethods() {
		Reply reply = this.api.send(HttpMethod.OPTIONS, this.fds, null).is(200);
		assertThat(reply.headers().getAllow()).contains(HttpMethod.GET, HttpMethod.POST, HttpMethod.HEAD,
				HttpMethod.OPTIONS);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/v1/sessions?pageSize=%zz", "/v1/sessions?pageSize=%", "/v1/sessions?pageSize=1.5" })
	void aQueryThatCannotBeReadIsMalformed(String path) {
		this.api.raw(request("GET", path, "")).isProblem(400, "malformed-request");
	}

	// What the container refuses

	@ParameterizedTest
	@ValueSource(strings = { "/v1/sessions/%2F", "/v1%2Fsessions", "/v1/sessions/%5C", "/v1/sessions/%00",
			"/v1/sessions/%zz", "/v1/sessions/%", "/v1/sessions/{id}", "/v1/sessions/<a>", "/v1/sessions/a\"b",
			"/v1/sessions/a\\b", "/v1/sessions/a|b", "/v1/sessions/a^b", "/v1/sessions/\u00e9", "/v1/sessions/%ff",
			"/v1/../../etc/passwd", "v1/sessions" })
	void aPathThatTheContainerRefusesIsAProblem(String path) {
		this.api.raw(request("GET", path, "")).isContainerProblem(400, "malformed-request");
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET /v1/sessions HTTP/1.1\r\nConnection: close\r\n\r\n",
			"GET /v1/sessions HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
			"GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\nHost: other\r\nConnection: close\r\n\r\n",
			"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
			"G<T /v1/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n" })
	void aRequestThatIsNotHttpIsAProblem(String request) {
		this.api.raw(request).isContainerProblem(400, "malformed-request");
	}

	@Test
	void aHeaderThatIsTooLongIsAProblem() {
		Reply reply = this.api.raw(request("GET", this.session, "X-Long: " + "x".repeat(20_000) + "\r\n"));
		reply.isContainerProblem(400, "malformed-request");
	}

	@ParameterizedTest
	@ValueSource(strings = { "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
			"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: bogus\r\n\r\n",
			"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n" })
	void whatOfHttpIsNotImplementedIsSaidSo(String request) {
		Reply reply = this.api.raw(request);
		reply.isContainerProblem(501, "not-implemented");
		assertThat(reply.json().path("title").asString()).isEqualTo("Not implemented");
		assertThat(reply.json().path("detail").asString())
			.isEqualTo("the method or the transfer coding of the request is not implemented: "
					+ "use GET, HEAD, OPTIONS, POST, PUT or DELETE, and send a body chunked or with a Content-Length");
	}

	@Test
	void anotherVersionOfHttpIsAProblem() {
		Reply reply = this.api.raw("GET /v1/sessions HTTP/3.7\r\nHost: localhost\r\n\r\n");
		reply.isContainerProblem(505, "http-version-not-supported");
		assertThat(reply.json().path("detail").asString())
			.isEqualTo("the version of HTTP in the request line is not supported: use HTTP/1.1");
	}

	@Test
	void anExpectationThatCannotBeMetIsAProblem() {
		Reply reply = this.api.raw(request("GET", this.session, "Expect: nonsense\r\n"));
		reply.isContainerProblem(417, "expectation-failed");
		assertThat(reply.json().path("detail").asString())
			.isEqualTo("the Expect header asks for something else than 100-continue: send the request without it");
	}

	private static String request(String method, String path, String headers) {
		return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n";
	}

	// What ought not to happen

	@ParameterizedTest
	@ValueSource(strings = { "/faulty/exception", "/faulty/error" })
	void anUnexpectedExceptionTellsNothing(String path) {
		Reply reply = this.api.get(path).isProblem(500, "internal-error");
		assertThat(reply.text()).doesNotContain(FaultyController.SECRET);
		assertThat(reply.json().path("instance").asString()).isEqualTo(path);
	}

	@Test
	void anErrorThatTheContainerDispatchesIsAProblemOfTheRequest() {
		Reply reply = this.api.get("/faulty/send-error").isProblem(503, "unavailable");
		assertThat(reply.text()).doesNotContain(FaultyController.SECRET);
		assertThat(reply.json().path("instance").asString()).isEqualTo("/faulty/send-error");
	}

}
