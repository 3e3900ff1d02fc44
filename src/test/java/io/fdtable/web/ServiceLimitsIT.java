package io.fdtable.web;

import java.util.ArrayList;
import java.util.List;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Sysctl;
import io.fdtable.session.SessionRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards what clients see at the bounds of the service: ENFILE, ENOMEM, EMFILE, 429. */
@ServerTest
@TestPropertySource(properties = { "fdtable.nr-open=512", "fdtable.file-max=20", "fdtable.memory=1MB",
		"fdtable.session.max=4", "fdtable.idempotency.max-keys=2" })
class ServiceLimitsIT {

	private static final String WIDE = "{\"limits\":{\"nofile\":{\"soft\":512,\"hard\":512}}}";

	@Autowired
	private Api api;

	@Autowired
	private SessionRegistry registry;

	private final List<String> sessions = new ArrayList<>();

	private Sysctl sysctl;

	private long filled;

	@BeforeEach
	void findSysctl() {
		this.sysctl = this.registry.sysctl();
	}

	/** Whatever a test does, all that it took must be given back. */
	@AfterEach
	void everythingIsGivenBack() {
		this.sysctl.setNrOpen(512);
		this.sysctl.uncharge(this.filled);
		this.sessions.forEach((session) -> this.api.delete(session));
		assertThat(this.sysctl.threads()).isZero();
		assertThat(this.sysctl.files()).isZero();
		assertThat(this.sysctl.memory()).isZero();
	}

	private String session() {
		this.sessions.add(this.api.session(WIDE));
		return this.sessions.getLast();
	}

	private String fork(String session) {
		this.sessions.add(this.api.fork(session, true));
		return this.sessions.getLast();
	}

	private void spendTheMemory() {
		this.filled = this.sysctl.memoryMax() - this.sysctl.memory();
		assertThat(this.sysctl.tryCharge(this.filled)).isTrue();
	}

	/**
	 * A client has its answer before the service has given back what the request took.
	 */
	private void awaitMemory(long expected) throws InterruptedException {
		for (int i = 0; i < 100 && this.sysctl.memory() != expected; i++) {
			Thread.sleep(100);
		}
		assertThat(this.sysctl.memory()).isEqualTo(expected);
	}

	@Test
	void createAndForkAnswerEnfileAtTheHighestNumberOfSessions() {
		for (int i = 0; i < 4; i++) {
			session();
		}
		this.api.post(Api.SESSIONS, WIDE).isErrno(503, Errno.ENFILE);
		this.api.post(this.sessions.getFirst() + "/fork", null).isErrno(503, Errno.ENFILE, "clone");
		assertThat(this.api.get("/v1/statistics").json().path("sessions").asInt()).isEqualTo(4);
	}

	@Test
	void openAnswersEnfileAtFileMaxAndGivesTheNumberBack() {
		String session = session();
		while (this.sysctl.files() < 20) {
			this.api.open(session);
		}
		int highest = this.api.get(session + "/statistics").json().path("table").path("highest").asInt();
		this.api.post(session + "/fds", null).isErrno(503, Errno.ENFILE, "openat");
		this.api.post(Api.SESSIONS, WIDE).isErrno(503, Errno.ENFILE);
		assertThat(this.api.post(session + "/fds/0/dup", null).is(201).fd()).isEqualTo(highest + 1);
	}

	@Test
	void whatMakesFilesAnswersEnfileAtFileMaxAndGivesTheNumbersBack() {
		String session = session();
		this.api.post(session + "/fds", "{\"kind\":\"SOCKET\"}").is(201);
		this.api.post(session + "/fds/3/listen", null).is(204);
		while (this.sysctl.files() < 19) {
			this.api.open(session);
		}
		int highest = this.api.get(session + "/statistics").json().path("table").path("highest").asInt();
		this.api.post(session + "/pipe", null).isErrno(503, Errno.ENFILE, "pipe2");
		assertThat(this.sysctl.files()).isEqualTo(19);
		assertThat(this.api.open(session)).isEqualTo(highest + 1);
		this.api.post(session + "/fds/3/accept", null).isErrno(503, Errno.ENFILE, "accept4");
		assertThat(this.api.post(session + "/fds/0/dup", null).is(201).fd()).isEqualTo(highest + 2);
	}

	@Test
	void reservationsAnswerEnfileAndEnomem() {
		String reservations = session() + "/reservations";
		String fds = this.sessions.getLast() + "/fds";
		String body = this.api.post(reservations, null).is(201).text().replaceAll(".*(\"token\":\"[^\"]*\").*", "{$1}");
		while (this.sysctl.files() < 20) {
			this.api.open(this.sessions.getLast());
		}
		this.api.put(reservations + "/3", body).isErrno(503, Errno.ENFILE, "install");
		this.api.delete(fds + "/0").is(204);
		spendTheMemory();
		this.api.put(reservations + "/3", body).isErrno(503, Errno.ENOMEM, "install");
		this.api.post(reservations, null).isErrno(503, Errno.ENOMEM, "reserve");
		this.sysctl.uncharge(this.filled);
		this.filled = 0;
		this.api.put(reservations + "/3", body).is(200);
	}

	@Test
	void limitsAboveNrOpenAreNotPermitted() {
		this.api.post(Api.SESSIONS, "{\"limits\":{\"nofile\":{\"soft\":1,\"hard\":513}}}").isErrno(403, Errno.EPERM);
	}

	@Test
	void whatGrowsAnswersEnomemWhenTheMemoryIsSpent() {
		String fds = session() + "/fds";
		spendTheMemory();
		this.api.post(Api.SESSIONS, WIDE).isErrno(503, Errno.ENOMEM);
		this.api.post(fds, null).isErrno(503, Errno.ENOMEM, "openat");
		this.api.post(fds + "/0/dup", "{\"minFd\":64}").isErrno(503, Errno.ENOMEM, "fcntl");
		this.api.post(fds + "/0/dup2", "{\"newFd\":64}").isErrno(503, Errno.ENOMEM, "dup2");
		this.api.post(fds + "/0/dup3", "{\"newFd\":64}").isErrno(503, Errno.ENOMEM, "dup3");
		this.api.post(fds + "/0/fcntl", "{\"cmd\":\"F_DUPFD_CLOEXEC\",\"arg\":64}").isErrno(503, Errno.ENOMEM, "fcntl");
		assertThat(this.api.post(fds + "/0/dup", null).is(201).fd()).isEqualTo(3);
	}

	@Test
	void copiesAnswerEnomemWhenTheMemoryIsSpent() {
		String parent = session();
		this.api.post(parent + "/fds/0/dup2", "{\"newFd\":300}").is(200);
		String child = fork(parent);
		spendTheMemory();
		this.api.post(child + "/fork", null).isErrno(503, Errno.ENOMEM, "clone");
		this.api.post(child + "/unshare", null).isErrno(503, Errno.ENOMEM, "unshare");
		this.api.post(child + "/close-range", "{\"first\":0,\"last\":0,\"flags\":[\"CLOSE_RANGE_UNSHARE\"]}")
			.isErrno(503, Errno.ENOMEM, "close_range");
		this.api.get(child + "/fds/0").is(200);
		this.api.post(child + "/exec", null).isErrno(503, Errno.ENOMEM, "execve");
		this.api.get(child).isErrno(404, Errno.ESRCH);
		assertThat(this.api.get(parent).json().path("sharers").asInt()).isEqualTo(1);
	}

	@Test
	void copiesAnswerEmfileWhenNrOpenHasBeenLowered() {
		String parent = session();
		this.api.post(parent + "/fds/0/dup2", "{\"newFd\":300}").is(200);
		String child = fork(parent);
		this.sysctl.setNrOpen(64);
		this.api.post(child + "/fork", null).isErrno(409, Errno.EMFILE, "clone");
		this.api.post(child + "/unshare", null).isErrno(409, Errno.EMFILE, "unshare");
		this.api.post(child + "/close-range", "{\"first\":0,\"last\":0,\"flags\":[\"CLOSE_RANGE_UNSHARE\"]}")
			.isErrno(409, Errno.EMFILE, "close_range");
		this.api.post(child + "/exec", null).isErrno(409, Errno.EMFILE, "execve");
		this.api.get(child).isErrno(404, Errno.ESRCH);
		// What closes all that is too wide leaves a copy that is narrow enough.
		this.api.post(fork(parent) + "/close-range", "{\"first\":64,\"last\":-1,\"flags\":[\"CLOSE_RANGE_UNSHARE\"]}")
			.is(200);
	}

	@Test
	void furtherKeysAreRefusedWhenAsManyAsMayBeAreLive() {
		String session = session();
		this.api.delete(session + "/fds/0", CallContext.IDEMPOTENCY_KEY, "one").is(204);
		this.api.delete(session + "/fds/1", CallContext.IDEMPOTENCY_KEY, "two").is(204);
		Reply refused = this.api.delete(session + "/fds/2", CallContext.IDEMPOTENCY_KEY, "three")
			.isProblem(429, "too-many-idempotency-keys");
		assertThat(refused.header(HttpHeaders.RETRY_AFTER)).isEqualTo("1");
		this.api.delete(session + "/fds/1", CallContext.IDEMPOTENCY_KEY, "two").is(204);
		this.api.delete(session + "/fds/2").is(204);
		this.api.delete(session, CallContext.IDEMPOTENCY_KEY, "four").isProblem(429, "too-many-idempotency-keys");
	}

	@Test
	void bodiesBeyondTheMemoryAreUnavailableAndLeaveNothing() throws InterruptedException {
		String session = session();
		spendTheMemory();
		long spent = this.sysctl.memory();
		Reply refused = this.api.post(session + "/fds", "{}" + " ".repeat(9000)).isProblem(503, "unavailable");
		assertThat(refused.header(HttpHeaders.RETRY_AFTER)).isEqualTo("1");
		this.api.post(session + "/batch", "[]" + " ".repeat(9000)).isProblem(503, "unavailable");
		this.api
			.post(session + "/batch", "{\"call\":\"close\",\"fd\":0}\n", HttpHeaders.CONTENT_TYPE,
					"application/x-ndjson")
			.isProblem(503, "unavailable");
		this.api.post("/v1/traces", "x\n", HttpHeaders.CONTENT_TYPE, "text/plain").isProblem(503, "unavailable");
		awaitMemory(spent);
		this.api.post(session + "/fds/0/dup", "{}").is(201);
		this.sysctl.uncharge(this.filled);
		this.filled = 0;
		long before = this.sysctl.memory();
		this.api.post(session + "/fds", "{\"x\":" + " ".repeat(100_000)).isProblem(400, "malformed-request");
		this.api.post(session + "/batch", "[" + " ".repeat(100_000)).isProblem(400, "malformed-request");
		this.api.post(session + "/batch", "x".repeat(100_000) + "\n", HttpHeaders.CONTENT_TYPE, "application/x-ndjson")
			.is(200);
		awaitMemory(before);
		String trace = String.valueOf(this.api.post("/v1/traces", "x\n", HttpHeaders.CONTENT_TYPE, "text/plain")
			.is(201)
			.header(HttpHeaders.LOCATION));
		awaitMemory(before + 65_536);
		this.api.delete(trace).is(204);
		awaitMemory(before);
	}

}
