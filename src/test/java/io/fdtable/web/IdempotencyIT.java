package io.fdtable.web;

import io.fdtable.kernel.Errno;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards Idempotency-Key and If-Match: what makes retries over HTTP safe. */
@ServerTest
class IdempotencyIT {

	private static final String KEY = CallContext.IDEMPOTENCY_KEY;

	private static final String REPLAYED = CallContext.IDEMPOTENT_REPLAYED;

	@Autowired
	private Api api;

	private String session;

	private String fds;

	@BeforeEach
	void createSession() {
		this.session = this.api.session();
		this.fds = this.session + "/fds";
	}

	private String etag(int fd) {
		return String.valueOf(this.api.get(this.fds + "/" + fd).is(200).header(HttpHeaders.ETAG));
	}

	// Idempotency-Key

	@Test
	void aRetryGetsTheVeryResponseAgain() {
		Reply first = this.api.post(this.fds, "{\"label\":\"x\"}", KEY, "k").is(201);
		this.api.delete(this.fds + "/3").is(204);
		Reply again = this.api.post(this.fds, "{\"label\":\"x\"}", KEY, "\"k\"").is(201);
		assertThat(first.header(REPLAYED)).isNull();
		assertThat(again.header(REPLAYED)).isEqualTo("true");
		assertThat(again.text()).isEqualTo(first.text());
		assertThat(again.header(HttpHeaders.LOCATION)).isEqualTo(first.header(HttpHeaders.LOCATION));
		assertThat(again.header(HttpHeaders.ETAG)).isEqualTo(first.header(HttpHeaders.ETAG));
		this.api.get(this.fds + "/3").isErrno(404, Errno.EBADF);
	}

	@Test
	void aRetryOfACloseClosesNothingElse() {
		this.api.delete(this.fds + "/2", KEY, "k").is(204);
		assertThat(this.api.open(this.session)).isEqualTo(2);
		assertThat(this.api.delete(this.fds + "/2", KEY, "k").is(204).header(REPLAYED)).isEqualTo("true");
		this.api.get(this.fds + "/2").is(200);
	}

	@Test
	void aRetryOfAFailureGetsTheFailureAgain() {
		this.api.delete(this.fds + "/3", KEY, "k").isErrno(404, Errno.EBADF, "close");
		this.api.open(this.session);
		Reply again = this.api.delete(this.fds + "/3", KEY, "k").isErrno(404, Errno.EBADF, "close");
		assertThat(again.header(REPLAYED)).isEqualTo("true");
		this.api.get(this.fds + "/3").is(200);
	}

	@Test
	void aRetryCreatesNoSecondSessionAndNoSecondChild() {
		Reply created = this.api.post(Api.SESSIONS, "{\"label\":\"once\"}", KEY, this.session).is(201);
		Reply again = this.api.post(Api.SESSIONS, "{\"label\":\"once\"}", KEY, this.session).is(201);
		assertThat(again.text()).isEqualTo(created.text());
		assertThat(again.header(REPLAYED)).isEqualTo("true");
		this.api.post(Api.SESSIONS, null, KEY, this.session).isProblem(422, "idempotency-key-reused");
		Reply forked = this.api.post(this.session + "/fork", null, KEY, "k").is(201);
		assertThat(this.api.post(this.session + "/fork", null, KEY, "k").is(201).text()).isEqualTo(forked.text());
	}

	@Test
	void aRetryOfAnExitGetsItsAnswerAgain() {
		Reply first = this.api.delete(this.session, KEY, "k").is(204);
		Reply again = this.api.delete(this.session, KEY, "k").is(204);
		assertThat(first.header(REPLAYED)).isNull();
		assertThat(again.header(REPLAYED)).isEqualTo("true");
		this.api.delete(this.session).isErrno(404, Errno.ESRCH);
		this.api.delete(this.session, KEY, "other").isErrno(404, Errno.ESRCH);
		this.api.post(this.fds, null, KEY, "k").isProblem(422, "idempotency-key-reused");
	}

	@Test
	void aKeyOfAnotherRequestIsRefused() {
		this.api.post(this.fds, null, KEY, "k").is(201);
		this.api.post(this.fds, "{\"label\":\"x\"}", KEY, "k").isProblem(422, "idempotency-key-reused");
		this.api.delete(this.fds + "/3", KEY, "k").isProblem(422, "idempotency-key-reused");
		this.api.get(this.fds + "/3").is(200);
	}

	@Test
	void aRequestThatNeverReachedTheModelKeepsNothing() {
		this.api.post(this.fds, "{\"path\":3", KEY, "k").isProblem(400, "malformed-request");
		this.api.delete(this.fds + "/0", KEY, "k", HttpHeaders.IF_MATCH, "\"0.0\"")
			.isProblem(412, "precondition-failed");
		assertThat(this.api.post(this.fds, null, KEY, "k").is(201).header(REPLAYED)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "\"\"", " " })
	void anEmptyKeyIsMalformed(String key) {
		this.api.post(this.fds, null, KEY, key).isMalformedAt(KEY);
	}

	@Test
	void aKeyHasAtMost255Characters() {
		this.api.post(this.fds, null, KEY, "k".repeat(255)).is(201);
		this.api.post(this.fds, null, KEY, "k".repeat(256)).isMalformedAt(KEY);
	}

	@Test
	void twoKeysAreMalformed() {
		this.api.post(this.fds, null, KEY, "one", KEY, "two").isMalformedAt(KEY);
	}

	// If-Match

	@Test
	void changesOnlyTheDescriptorThatTheClientHasSeen() {
		String seen = etag(2);
		this.api.delete(this.fds + "/2", HttpHeaders.IF_MATCH, seen).is(204);
		this.api.delete(this.fds + "/2", HttpHeaders.IF_MATCH, seen).isProblem(412, "precondition-failed");
		this.api.open(this.session);
		for (String change : new String[] { "/dup", "/dup2", "/dup3", "/fcntl" }) {
			String body = change.equals("/dup") ? "{}"
					: change.equals("/fcntl") ? "{\"cmd\":\"F_SETFD\",\"arg\":1}" : "{\"newFd\":9}";
			this.api.post(this.fds + "/2" + change, body, HttpHeaders.IF_MATCH, seen)
				.isProblem(412, "precondition-failed");
		}
		this.api.delete(this.fds + "/2", HttpHeaders.IF_MATCH, seen).isProblem(412, "precondition-failed");
		assertThat(this.api.get(this.fds).json().path("fds").size()).isEqualTo(3);
		this.api.post(this.fds + "/2/dup2", "{\"newFd\":9}", HttpHeaders.IF_MATCH, etag(2)).is(200);
	}

	@Test
	void aStarAsksOnlyForADescriptor() {
		this.api.delete(this.fds + "/2", HttpHeaders.IF_MATCH, "*").is(204);
		this.api.delete(this.fds + "/2", HttpHeaders.IF_MATCH, "*").isProblem(412, "precondition-failed");
	}

	@Test
	void oneTagOfAListWillDoInOneLineOrSeveral() {
		this.api.delete(this.fds + "/2", HttpHeaders.IF_MATCH, "\"0.0\", " + etag(2)).is(204);
		this.api.delete(this.fds + "/1", HttpHeaders.IF_MATCH, "\"0.0\"", HttpHeaders.IF_MATCH, etag(1)).is(204);
	}

	@Test
	void aWeakTagNeverMatches() {
		this.api.delete(this.fds + "/2", HttpHeaders.IF_MATCH, "W/" + etag(2)).isProblem(412, "precondition-failed");
	}

	@Test
	void aTagOfSomebodyElseNeverMatches() {
		this.api.delete(this.fds + "/2", HttpHeaders.IF_MATCH, "\"abc\"").isProblem(412, "precondition-failed");
		this.api.delete(this.fds + "/2", HttpHeaders.IF_MATCH, "\"0" + etag(2).substring(1))
			.isProblem(412, "precondition-failed");
	}

	@ParameterizedTest
	@ValueSource(strings = { "abc", "17.0", "" })
	void whatIsNoTagIsMalformed(String header) {
		this.api.delete(this.fds + "/2", HttpHeaders.IF_MATCH, header).isMalformedAt(HttpHeaders.IF_MATCH);
	}

}
