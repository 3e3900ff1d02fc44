package io.fdtable.web;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.fdtable.kernel.Errno;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards the operations on sessions: what each answers when it succeeds and fails. */
@ServerTest
class SessionControllerIT {

	private static final String NOBODY = Api.SESSIONS + "/mfrggzdfmztwq2lknnwg23tpob-1";

	@Autowired
	private Api api;

	@Test
	void createsASessionWithoutABody() {
		Reply reply = this.api.post(Api.SESSIONS, null).is(201);
		JsonNode session = reply.json();
		String id = session.path("id").asString();
		assertThat(id).matches("[a-z2-7]{26}-1");
		assertThat(reply.header(HttpHeaders.LOCATION)).isEqualTo(Api.SESSIONS + "/" + id);
		assertThat(session.path("tree").asString() + "-1").isEqualTo(id);
		assertThat(session.path("pid").asInt()).isEqualTo(1);
		assertThat(session.path("parentPid").asInt()).isZero();
		assertThat(session.path("label").isNull()).isTrue();
		assertThat(session.path("limits")).hasToString("{\"nofile\":{\"soft\":1024,\"hard\":4096}}");
		assertThat(session.path("allocator").asString()).isEqualTo("WORD_FIRST");
		assertThat(session.path("sharers").asInt()).isEqualTo(1);
		assertThat(session.path("ttl").asString()).isEqualTo("PT30M");
		assertThat(session.path("createdAt").asString()).endsWith("Z");
		assertThat(Duration.between(Instant.parse(session.path("createdAt").asString()),
				Instant.parse(session.path("expiresAt").asString())))
			.isEqualTo(Duration.ofMinutes(30));
		assertThat(session.size()).isEqualTo(11);
	}

	@Test
	void createsASessionAsAsked() {
		Reply reply = this.api
			.post(Api.SESSIONS,
					"""
							{"label":"b","limits":{"nofile":{"soft":5,"hard":6}},"stdio":false,"allocator":"WORD_FIRST","ttl":"PT1S"}
							""")
			.is(201);
		assertThat(reply.json().path("label").asString()).isEqualTo("b");
		assertThat(reply.json().path("limits")).hasToString("{\"nofile\":{\"soft\":5,\"hard\":6}}");
		assertThat(reply.json().path("ttl").asString()).isEqualTo("PT1S");
		assertThat(this.api.open(String.valueOf(reply.header(HttpHeaders.LOCATION)))).isZero();
	}

	@Test
	void aSessionWithoutTheHintSearchesFromTheLowestNumberAndSoDoItsCopies() {
		String body = "{\"allocator\":\"SUMMARY_TREE\",\"nextFdHint\":false}";
		String session = String.valueOf(this.api.post(Api.SESSIONS, body).is(201).header(HttpHeaders.LOCATION));
		assertThat(this.api.open(session)).isEqualTo(3);
		String child = String.valueOf(this.api.post(session + "/fork", null).is(201).header(HttpHeaders.LOCATION));
		for (String each : List.of(session, child)) {
			JsonNode table = this.api.get(each + "/statistics").is(200).json().path("table");
			assertThat(table.path("options")).hasToString("{\"allocator\":\"SUMMARY_TREE\",\"nextFdHint\":false}");
			assertThat(table.path("nextFd").asInt()).isZero();
		}
	}

	@Test
	void refusesLimitsThatSetrlimitRefuses() {
		this.api.post(Api.SESSIONS, "{\"limits\":{\"nofile\":{\"soft\":6,\"hard\":5}}}").isErrno(422, Errno.EINVAL);
		this.api.post(Api.SESSIONS, "{\"limits\":{\"nofile\":{\"soft\":6,\"hard\":1048577}}}")
			.isErrno(403, Errno.EPERM);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0.999S", "PT0S", "-PT5S", "PT24H0.001S" })
	void refusesATtlOutOfBounds(String ttl) {
		this.api.post(Api.SESSIONS, "{\"ttl\":\"" + ttl + "\"}").isMalformedAt("/ttl");
	}

	@Test
	void readsASession() {
		Reply created = this.api.post(Api.SESSIONS, "{\"label\":\"read\"}");
		JsonNode read = this.api.get(String.valueOf(created.header(HttpHeaders.LOCATION))).is(200).json();
		assertThat(read.path("id")).isEqualTo(created.json().path("id"));
		assertThat(read.path("label").asString()).isEqualTo("read");
	}

	@Test
	void listsSessionsPageByPage() {
		List<String> created = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			created.add(this.api.post(Api.SESSIONS, null).json().path("id").asString());
		}
		List<String> listed = new ArrayList<>();
		String query = "?pageSize=2";
		for (String token = ""; token != null;) {
			JsonNode page = this.api.get(Api.SESSIONS + query).is(200).json();
			assertThat(page.path("sessions").size()).isLessThanOrEqualTo(2);
			page.path("sessions").forEach((session) -> listed.add(session.path("id").asString()));
			token = page.path("nextPageToken").asString(null);
			query = "?pageSize=2&pageToken=" + token;
		}
		assertThat(listed).containsAll(created).doesNotHaveDuplicates().isSorted();
	}

	@ParameterizedTest
	@ValueSource(strings = { "pageSize=0", "pageSize=-1", "pageSize=1025", "pageSize=x", "pageSize=99999999999" })
	void refusesAPageSizeOutOfBounds(String query) {
		this.api.get(Api.SESSIONS + "?" + query).isMalformedAt("pageSize");
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "", "3" })
	void refusesAPageTokenThatItNeverGave(String token) {
		this.api.get(Api.SESSIONS + "?pageToken=" + token).isMalformedAt("pageToken");
	}

	@Test
	void exits() {
		String session = this.api.session();
		assertThat(this.api.delete(session).is(204).text()).isEmpty();
		this.api.get(session).isErrno(404, Errno.ESRCH);
		this.api.delete(session).isErrno(404, Errno.ESRCH);
	}

	@Test
	void forksACopy() {
		String parent = this.api.session("{\"limits\":{\"nofile\":{\"soft\":10,\"hard\":20}}}");
		this.api.open(parent);
		Reply reply = this.api.post(parent + "/fork", "{\"label\":\"worker\"}").is(201);
		String child = String.valueOf(reply.header(HttpHeaders.LOCATION));
		assertThat(child).isEqualTo(parent.substring(0, parent.length() - 1) + "2");
		assertThat(reply.json().path("pid").asInt()).isEqualTo(2);
		assertThat(reply.json().path("parentPid").asInt()).isEqualTo(1);
		assertThat(reply.json().path("label").asString()).isEqualTo("worker");
		assertThat(reply.json().path("sharers").asInt()).isEqualTo(1);
		assertThat(reply.json().path("limits")).hasToString("{\"nofile\":{\"soft\":10,\"hard\":20}}");
		assertThat(this.api.get(child + "/fds/3").json().path("file"))
			.isEqualTo(this.api.get(parent + "/fds/3").json().path("file"));
		this.api.delete(child + "/fds/3").is(204);
		this.api.get(parent + "/fds/3").is(200);
	}

	@Test
	void forksWithoutABody() {
		assertThat(this.api.post(this.api.session() + "/fork", null).is(201).json().path("sharers").asInt())
			.isEqualTo(1);
	}

	@Test
	void sharesATableUntilItIsUnshared() {
		String parent = this.api.session();
		String child = this.api.fork(parent, true);
		assertThat(this.api.get(parent).json().path("sharers").asInt()).isEqualTo(2);
		assertThat(this.api.open(child)).isEqualTo(3);
		this.api.get(parent + "/fds/3").is(200);
		this.api.post(child + "/unshare", null).is(200, "{\"unshared\":true}");
		this.api.post(child + "/unshare", null).is(200, "{\"unshared\":false}");
		this.api.delete(child + "/fds/3").is(204);
		this.api.get(parent + "/fds/3").is(200);
	}

	@Test
	void execClosesWhatIsMarkedInATableOfItsOwn() {
		String parent = this.api.session();
		this.api.post(parent + "/fds", "{\"flags\":[\"O_CLOEXEC\"]}").is(201);
		String child = this.api.fork(parent, true);
		this.api.post(child + "/exec", null).is(200, "{\"closed\":[3],\"unshared\":true}");
		this.api.get(child + "/fds/3").isErrno(404, Errno.EBADF);
		this.api.get(parent + "/fds/3").is(200);
		this.api.post(child + "/exec", null).is(200, "{\"closed\":[],\"unshared\":false}");
	}

	@Test
	void setsLimits() {
		String session = this.api.session();
		this.api.get(session + "/limits").is(200, "{\"nofile\":{\"soft\":1024,\"hard\":4096}}");
		this.api.put(session + "/limits", "{\"nofile\":{\"soft\":3,\"hard\":8}}")
			.is(200, "{\"nofile\":{\"soft\":3,\"hard\":8}}");
		Reply full = this.api.post(session + "/fds", null).isErrno(409, Errno.EMFILE, "openat");
		assertThat(full.json().path("limit").asInt()).isEqualTo(3);
		this.api.put(session + "/limits", "{\"nofile\":{\"soft\":9,\"hard\":8}}")
			.isErrno(422, Errno.EINVAL, "prlimit64");
		this.api.put(session + "/limits", "{\"nofile\":{\"soft\":3,\"hard\":9}}")
			.isErrno(403, Errno.EPERM, "prlimit64");
		this.api.put(session + "/limits", "{\"nofile\":{\"soft\":-1,\"hard\":8}}")
			.isErrno(422, Errno.EINVAL, "prlimit64");
		this.api.get(session + "/limits").is(200, "{\"nofile\":{\"soft\":3,\"hard\":8}}");
	}

	static Stream<List<String>> operations() {
		return Stream.of(List.of("GET", ""), List.of("DELETE", ""), List.of("POST", "/fork"),
				List.of("POST", "/unshare"), List.of("POST", "/exec"), List.of("GET", "/limits"),
				List.of("PUT", "/limits", "{\"nofile\":{\"soft\":1,\"hard\":1}}"), List.of("POST", "/fds"),
				List.of("GET", "/fds"), List.of("GET", "/fds/0"), List.of("DELETE", "/fds/0"),
				List.of("POST", "/fds/0/dup"), List.of("POST", "/fds/0/dup2", "{\"newFd\":1}"),
				List.of("POST", "/fds/0/dup3", "{\"newFd\":1}"),
				List.of("POST", "/fds/0/fcntl", "{\"cmd\":\"F_GETFD\"}"),
				List.of("POST", "/close-range", "{\"first\":0,\"last\":0}"), List.of("GET", "/bitmap"),
				List.of("GET", "/statistics"));
	}

	@ParameterizedTest
	@MethodSource("operations")
	void everyOperationAnswersEsrchWhereThereIsNoSession(List<String> operation) {
		String body = (operation.size() > 2) ? operation.get(2) : null;
		for (String session : List.of(NOBODY, Api.SESSIONS + "/x", NOBODY + "0000000000")) {
			Reply reply = this.api.send(HttpMethod.valueOf(operation.get(0)), session + operation.get(1), body);
			reply.isErrno(404, Errno.ESRCH);
			assertThat(reply.json().path("instance").asString()).isEqualTo(session + operation.get(1));
		}
	}

}
