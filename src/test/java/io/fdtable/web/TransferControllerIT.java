package io.fdtable.web;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Sysctl;
import io.fdtable.session.SessionRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the ways of an open file from one process to another over HTTP: what arrives, in
 * which order, who holds it on its way, and that nothing leaves its tree.
 */
@ServerTest
class TransferControllerIT {

	@Autowired
	private Api api;

	@Autowired
	private SessionRegistry registry;

	private String parent;

	private String child;

	@BeforeEach
	void createSessions() {
		this.parent = this.api.session();
		this.child = this.api.fork(this.parent, false);
	}

	private static String id(String session) {
		return session.substring(session.lastIndexOf('/') + 1);
	}

	private static String getfd(String session, Object fd) {
		return "{\"session\":\"" + id(session) + "\",\"fd\":" + fd + "}";
	}

	private static String message(String session, String fds) {
		return "{\"to\":\"" + id(session) + "\",\"fds\":[" + fds + "]}";
	}

	private static String repeat(int times) {
		return "0,".repeat(times - 1) + "0";
	}

	private Reply receive(String session) {
		return this.api.post(session + "/messages/receive", null);
	}

	private int references(String session, int fd) {
		return this.api.get(session + "/fds/" + fd + "/info").is(200).json().path("references").asInt();
	}

	private JsonNode fd(String session, int fd) {
		return this.api.get(session + "/fds/" + fd).is(200).json();
	}

	private void withoutMemory(Runnable test) {
		Sysctl sysctl = this.registry.sysctl();
		long filled = sysctl.memoryMax() - sysctl.memory();
		assertThat(sysctl.tryCharge(filled)).isTrue();
		try {
			test.run();
		}
		finally {
			sysctl.uncharge(filled);
		}
	}

	// pidfd_getfd

	@Test
	void getfdGivesTheSameOpenFileOnTheLowestNumberWithCloseOnExec() {
		this.api.post(this.parent + "/fds", "{\"kind\":\"REGULAR\",\"path\":\"/f\",\"flags\":[\"O_RDWR\",\"O_CREAT\"]}")
			.is(201);
		this.api.delete(this.child + "/fds/1").is(204);
		Reply reply = this.api.post(this.child + "/getfd", getfd(this.parent, 3)).is(201);
		assertThat(reply.fd()).isEqualTo(1);
		assertThat(reply.header(HttpHeaders.LOCATION)).isEqualTo(this.child + "/fds/1");
		assertThat(reply.json()).isEqualTo(fd(this.child, 1));
		assertThat(reply.header(HttpHeaders.ETAG))
			.isEqualTo(this.api.get(this.child + "/fds/1").header(HttpHeaders.ETAG));
		assertThat(reply.json().path("closeOnExec").asBoolean()).isTrue();
		assertThat(reply.json().path("file")).isEqualTo(fd(this.parent, 3).path("file"));
		assertThat(references(this.parent, 3)).isEqualTo(2);
		this.api.post(this.child + "/fds/1/lseek", "{\"offset\":\"9\",\"whence\":\"SEEK_SET\"}").is(200);
		assertThat(this.api.get(this.parent + "/fds/3/info").json().path("pos").asString()).isEqualTo("9");
	}

	@Test
	void getfdWorksOnOneself() {
		assertThat(this.api.post(this.parent + "/getfd", getfd(this.parent, 0)).is(201).fd()).isEqualTo(3);
	}

	@ParameterizedTest
	@CsvSource({ "3", "-1", "4294967295", "1024" })
	void getfdOfWhatIsNotOpenThereAnswersEbadf(String fd) {
		this.api.post(this.child + "/getfd", getfd(this.parent, fd)).isErrno(404, Errno.EBADF, "pidfd_getfd");
		assertThat(this.api.open(this.child)).isEqualTo(3);
	}

	@Test
	void getfdOfWhoIsNotThereAnswersEsrch() {
		String exited = this.api.fork(this.parent, false);
		this.api.delete(exited).is(204);
		this.api.post(this.child + "/getfd", getfd(exited, 0)).isErrno(404, Errno.ESRCH, "pidfd_getfd");
		this.api.post(this.child + "/getfd", getfd("x", 0)).isErrno(404, Errno.ESRCH);
		this.api.post(Api.SESSIONS + "/x/getfd", getfd(this.parent, 0)).isErrno(404, Errno.ESRCH);
		this.api.post(exited + "/getfd", getfd(this.parent, 0)).isErrno(404, Errno.ESRCH);
	}

	@Test
	void getfdAnswersEmfileAtTheCallersLimit() {
		this.api.put(this.child + "/limits", "{\"nofile\":{\"soft\":3,\"hard\":3}}").is(200);
		Reply reply = this.api.post(this.child + "/getfd", getfd(this.parent, 0))
			.isErrno(409, Errno.EMFILE, "pidfd_getfd");
		assertThat(reply.json().path("limit").asInt()).isEqualTo(3);
		assertThat(references(this.parent, 0)).isEqualTo(2);
	}

	@Test
	void getfdAnswersEnomemWhenTheTableCannotGrow() {
		for (int fd = 3; fd < 64; fd++) {
			this.api.post(this.child + "/fds/0/dup2", "{\"newFd\":" + fd + "}").is(200);
		}
		withoutMemory(() -> this.api.post(this.child + "/getfd", getfd(this.parent, 0))
			.isErrno(503, Errno.ENOMEM, "pidfd_getfd"));
	}

	@Test
	void aRetriedGetfdIsOne() {
		Reply first = this.api.post(this.child + "/getfd", getfd(this.parent, 0), CallContext.IDEMPOTENCY_KEY, "g");
		Reply again = this.api.post(this.child + "/getfd", getfd(this.parent, 0), CallContext.IDEMPOTENCY_KEY, "g");
		assertThat(again.is(201).text()).isEqualTo(first.is(201).text());
		assertThat(again.header(CallContext.IDEMPOTENT_REPLAYED)).isEqualTo("true");
		assertThat(this.api.open(this.child)).isEqualTo(4);
		this.api.post(this.child + "/getfd", getfd(this.parent, 1), CallContext.IDEMPOTENCY_KEY, "g")
			.isProblem(422, "idempotency-key-reused");
	}

	// SCM_RIGHTS

	@Test
	void filesArriveInTheOrderInWhichTheyWereSent() {
		this.api.post(this.parent + "/messages", message(this.child, "2,0,2")).is(201, "{\"sent\":3}");
		Reply reply = receive(this.child).is(200);
		assertThat(reply.json().path("truncated").asBoolean()).isFalse();
		assertThat(reply.json().path("fds").size()).isEqualTo(3);
		int[] sent = { 2, 0, 2 };
		for (int i = 0; i < 3; i++) {
			JsonNode arrived = reply.json().path("fds").get(i);
			assertThat(arrived).isEqualTo(fd(this.child, 3 + i));
			assertThat(arrived.path("file")).isEqualTo(fd(this.parent, sent[i]).path("file"));
			assertThat(arrived.path("closeOnExec").asBoolean()).isFalse();
		}
	}

	@Test
	void messagesArriveOneByOneOldestFirst() {
		this.api.post(this.parent + "/messages", message(this.child, "0")).is(201);
		this.api.post(this.child + "/messages", message(this.child, "1")).is(201);
		assertThat(receive(this.child).is(200).json().path("fds").get(0).path("path").asString())
			.isEqualTo("/dev/stdin");
		assertThat(receive(this.child).is(200).json().path("fds").get(0).path("path").asString())
			.isEqualTo("/dev/stdout");
		receive(this.child).isErrno(409, Errno.EAGAIN, "recvmsg");
	}

	@Test
	void aMessageHoldsItsFilesAfterTheSenderHasClosedThemAndGone() {
		int fd = this.api.open(this.parent);
		String file = fd(this.parent, fd).path("file").asString();
		this.api.post(this.parent + "/messages", message(this.child, "" + fd)).is(201);
		assertThat(references(this.parent, fd)).isEqualTo(2);
		this.api.delete(this.parent + "/fds/" + fd).is(204);
		this.api.delete(this.parent).is(204);
		JsonNode arrived = this.api.post(this.child + "/messages/receive", "{\"closeOnExec\":true}")
			.is(200)
			.json()
			.path("fds")
			.get(0);
		assertThat(arrived.path("file").asString()).isEqualTo(file);
		assertThat(arrived.path("closeOnExec").asBoolean()).isTrue();
		assertThat(references(this.child, 3)).isEqualTo(1);
	}

	@Test
	void aReceiverThatExitsDropsWhatWaits() {
		int fd = this.api.open(this.parent);
		this.api.post(this.parent + "/messages", message(this.child, "" + fd)).is(201);
		this.api.delete(this.child).is(204);
		assertThat(references(this.parent, fd)).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "0, 0", "1, 1", "2, 2" })
	void whatThereIsNoRoomForIsDroppedAndTruncatedSaysSo(int room, int arrived) {
		int fd = this.api.open(this.parent);
		this.api.post(this.parent + "/messages", message(this.child, "0,1," + fd)).is(201);
		JsonNode reply = this.api.post(this.child + "/messages/receive", "{\"maxFds\":" + room + "}").is(200).json();
		assertThat(reply.path("truncated").asBoolean()).isTrue();
		assertThat(reply.path("fds").size()).isEqualTo(arrived);
		assertThat(references(this.parent, fd)).isEqualTo(1);
		receive(this.child).isErrno(409, Errno.EAGAIN, "recvmsg");
	}

	@ParameterizedTest
	@CsvSource({ "3, 0, true", "5, 2, true", "7, 4, false" })
	void whatThereAreNoNumbersForIsDroppedAndTheCallSucceeds(int limit, int arrived, boolean truncated) {
		this.api.put(this.child + "/limits", "{\"nofile\":{\"soft\":" + limit + ",\"hard\":" + limit + "}}").is(200);
		this.api.post(this.parent + "/messages", message(this.child, repeat(4))).is(201);
		JsonNode reply = receive(this.child).is(200).json();
		assertThat(reply.path("fds").size()).isEqualTo(arrived);
		assertThat(reply.path("truncated").asBoolean()).isEqualTo(truncated);
		assertThat(references(this.parent, 0)).isEqualTo(2 + arrived);
	}

	@Test
	void aMessageCarries1To253Descriptors() {
		this.api.post(this.parent + "/messages", message(this.child, "")).isErrno(422, Errno.EINVAL, "sendmsg");
		this.api.post(this.parent + "/messages", message(this.child, repeat(254)))
			.isErrno(422, Errno.EINVAL, "sendmsg");
		this.api.post(this.parent + "/messages", message(this.child, repeat(253))).is(201, "{\"sent\":253}");
		assertThat(receive(this.child).is(200).json().path("fds").size()).isEqualTo(253);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "0,3", "3,0", "-1", "4294967295" })
	void allOrNothingIsSent(String fds) {
		this.api.post(this.parent + "/messages", message(this.child, fds)).isErrno(404, Errno.EBADF, "sendmsg");
		receive(this.child).isErrno(409, Errno.EAGAIN, "recvmsg");
		assertThat(references(this.parent, 0)).isEqualTo(2);
	}

	@Test
	void sendingToOrFromWhoIsNotThereAnswersEsrch() {
		String exited = this.api.fork(this.parent, false);
		this.api.delete(exited).is(204);
		this.api.post(this.parent + "/messages", message(exited, "0")).isErrno(404, Errno.ESRCH, "sendmsg");
		this.api.post(this.parent + "/messages", message("x", "0")).isErrno(404, Errno.ESRCH);
		this.api.post(exited + "/messages", message(this.child, "0")).isErrno(404, Errno.ESRCH);
		receive(exited).isErrno(404, Errno.ESRCH);
		receive(Api.SESSIONS + "/x").isErrno(404, Errno.ESRCH);
	}

	@Test
	void nothingLeavesItsTree() {
		String stranger = this.api.session();
		this.api.post(stranger + "/getfd", getfd(this.parent, 0)).isErrno(403, Errno.EPERM, "pidfd_getfd");
		this.api.post(this.parent + "/messages", message(stranger, "0")).isErrno(403, Errno.EPERM, "sendmsg");
		receive(stranger).isErrno(409, Errno.EAGAIN, "recvmsg");
		assertThat(references(this.parent, 0)).isEqualTo(2);
		assertThat(this.api.open(stranger)).isEqualTo(3);
	}

	@Test
	void sendingAnswersEtoomanyrefsBeyondTheSendersLimit() {
		this.api.put(this.parent + "/limits", "{\"nofile\":{\"soft\":3,\"hard\":3}}").is(200);
		this.api.post(this.parent + "/messages", message(this.child, repeat(3))).is(201);
		this.api.post(this.parent + "/messages", message(this.child, "0")).is(201);
		this.api.post(this.parent + "/messages", message(this.child, "0")).isErrno(409, Errno.ETOOMANYREFS, "sendmsg");
		// The limit is the sender's; what is on its way counts for the whole tree.
		this.api.post(this.child + "/messages", message(this.parent, "0")).is(201);
		receive(this.child).is(200);
		this.api.post(this.parent + "/messages", message(this.child, "0")).is(201);
	}

	@Test
	void sendingAnswersEagainWhen256MessagesWait() {
		for (int i = 0; i < 256; i++) {
			this.api.post(this.parent + "/messages", message(this.child, "0")).is(201);
		}
		this.api.post(this.parent + "/messages", message(this.child, "0")).isErrno(409, Errno.EAGAIN, "sendmsg");
		receive(this.child).is(200);
		this.api.post(this.parent + "/messages", message(this.child, "0")).is(201);
	}

	@Test
	void sendingAnswersEnomemWhenTheMemoryIsSpent() {
		withoutMemory(() -> this.api.post(this.parent + "/messages", message(this.child, "0"))
			.isErrno(503, Errno.ENOMEM, "sendmsg"));
		receive(this.child).isErrno(409, Errno.EAGAIN, "recvmsg");
		assertThat(references(this.parent, 0)).isEqualTo(2);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			getfd            | {"fd":0}                       | /session
			getfd            | {"session":"x"}                | /fd
			getfd            | {"session":"x","fd":"0"}       | /fd
			getfd            | {"session":"x","fd":4294967296}| /fd
			messages         | {"fds":[0]}                    | /to
			messages         | {"to":"x"}                     | /fds
			messages         | {"to":"x","fds":0}             | /fds
			messages         | {"to":"x","fds":["0"]}         | /fds/0
			messages         | {"to":"x","fds":[0,null]}      | /fds/1
			messages         | {"to":"x","fds":[0],"text":""} | /text
			messages/receive | {"maxFds":-1}                  | /maxFds
			messages/receive | {"maxFds":2147483648}          | /maxFds
			messages/receive | {"closeOnExec":1}              | /closeOnExec
			""")
	void namesWhatIsMalformed(String call, String body, String pointer) {
		this.api.post(this.parent + "/" + call, body).isMalformedAt(pointer);
	}

	@Test
	void aRetriedMessageIsSentOnceAndReceivedOnce() {
		String key = CallContext.IDEMPOTENCY_KEY;
		Reply first = this.api.post(this.parent + "/messages", message(this.child, "0"), key, "m").is(201);
		Reply again = this.api.post(this.parent + "/messages", message(this.child, "0"), key, "m").is(201);
		assertThat(first.header(CallContext.IDEMPOTENT_REPLAYED)).isNull();
		assertThat(again.header(CallContext.IDEMPOTENT_REPLAYED)).isEqualTo("true");
		this.api.post(this.parent + "/messages", message(this.child, "1"), key, "m")
			.isProblem(422, "idempotency-key-reused");
		this.api.post(this.parent + "/messages", message(this.parent, "0"), key, "m")
			.isProblem(422, "idempotency-key-reused");
		Reply received = this.api.post(this.child + "/messages/receive", null, key, "r").is(200);
		assertThat(this.api.post(this.child + "/messages/receive", null, key, "r").is(200).text())
			.isEqualTo(received.text());
		receive(this.child).isErrno(409, Errno.EAGAIN, "recvmsg");
		assertThat(this.api.open(this.child)).isEqualTo(4);
	}

}
