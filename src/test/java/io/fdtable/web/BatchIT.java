package io.fdtable.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import io.fdtable.kernel.Errno;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards batches over HTTP, as an array and as a stream of lines. */
@ServerTest
class BatchIT {

	private static final String NDJSON = "application/x-ndjson";

	private static final String KEY = CallContext.IDEMPOTENCY_KEY;

	@Autowired
	private Api api;

	private String session;

	private String batch;

	@BeforeEach
	void createSession() {
		this.session = this.api.session();
		this.batch = this.session + "/batch";
	}

	private Reply array(String calls, String... headers) {
		return this.api.post(this.batch, calls.replace('\'', '"'), headers);
	}

	private List<String> lines(String query, String calls) {
		Reply reply = this.api.post(this.batch + query, calls.replace('\'', '"'), HttpHeaders.CONTENT_TYPE, NDJSON)
			.is(200);
		assertThat(reply.header(HttpHeaders.CONTENT_TYPE)).isEqualTo(NDJSON);
		assertThat(reply.text()).endsWith("\n");
		return reply.text().replace('"', '\'').lines().toList();
	}

	private static String pid(String session) {
		return session.substring(session.lastIndexOf('/') + 1);
	}

	private static final String EVERY_CALL = """
			{'call':'open','path':'/data/log','kind':'REGULAR','flags':['O_RDWR','O_CREAT']}
			{'call':'write','fd':3,'data':'aGVsbG8='}
			{'call':'lseek','fd':3,'offset':1,'whence':'SEEK_SET'}
			{'call':'read','fd':3,'count':10}
			{'call':'dup','oldFd':3}
			{'call':'dup2','oldFd':3,'newFd':9}
			{'call':'dup3','oldFd':3,'newFd':10,'flags':['O_CLOEXEC']}
			{'call':'fcntl','fd':10,'cmd':'F_GETFD'}
			{'call':'pipe2'}
			{'call':'reserve','minFd':20}
			{'call':'install','fd':20,'label':'x'}
			{'call':'reserve'}
			{'call':'release','fd':7}
			{'call':'fork','label':'child'}
			{'call':'pidfd_getfd','fromPid':2,'fd':3}
			{'call':'sendmsg','toPid':2,'fds':[3,4]}
			{'call':'recvmsg','pid':2,'maxFds':1}
			{'call':'close','pid':2,'fd':0}
			{'call':'execve'}
			{'call':'close_range','first':4,'last':4294967295}
			{'call':'unshare'}
			{'call':'prlimit','soft':4,'hard':10}
			{'call':'open'}
			{'call':'close','fd':-1}
			{'call':'close','fd':3}
			{'call':'open','kind':'SOCKET'}
			{'call':'listen','fd':3,'backlog':1}
			{'call':'prlimit','soft':10,'hard':10}
			{'call':'accept4','fd':3}
			{'call':'open','kind':'SOCKET'}
			{'call':'connect','fd':5,'file':'o99'}
			{'call':'shutdown','fd':3,'how':'SHUT_RDWR'}
			{'call':'exit','pid':2}
			{'call':'close','pid':2,'fd':1}
			{'call':'close','pid':77,'fd':1}
			""";

	private String[] everyResult() {
		return new String[] { "{'ret':3}", "{'ret':5}", "{'ret':1}", "{'ret':4,'data':'ZWxsbw=='}", "{'ret':4}",
				"{'ret':9}", "{'ret':10}", "{'ret':1}", "{'ret':0,'fds':[5,6]}", "{'ret':20}", "{'ret':0}", "{'ret':7}",
				"{'ret':0}", "{'ret':2,'session':'" + pid(this.session).replace("-1", "-2") + "'}", "{'ret':7}",
				"{'ret':0}", "{'ret':1,'fds':[7],'truncated':true}", "{'ret':0}", "{'ret':0,'closed':[7,10]}",
				"{'ret':0,'closed':5}", "{'ret':0}", "{'ret':0}", "{'ret':-1,'errno':'EMFILE'}",
				"{'ret':-1,'errno':'EBADF'}", "{'ret':0}", "{'ret':3}", "{'ret':0}", "{'ret':0}",
				"{'ret':4,'pending':true}", "{'ret':5}", "{'ret':-1,'errno':'ECONNREFUSED'}",
				"{'ret':0,'ended':[{'pid':1,'fd':4,'generation':'14','errno':'EINVAL'}]}", "{'ret':0}",
				"{'ret':-1,'errno':'ESRCH'}", "{'ret':-1,'errno':'ESRCH'}" };
	}

	@Test
	void streamsEveryCall() {
		assertThat(lines("", EVERY_CALL)).containsExactly(everyResult());
	}

	@Test
	void makesEveryCallOfAnArray() {
		Reply reply = array("[" + String.join(",", EVERY_CALL.lines().toList()) + "]").is(200);
		assertThat(reply.header(HttpHeaders.CONTENT_TYPE)).isEqualTo("application/json");
		assertThat(reply.text().replace('"', '\'')).isEqualTo("[" + String.join(",", everyResult()) + "]");
	}

	@Test
	void emptyBatchesAnswerNothing() {
		array("[]").is(200, "[]");
		Reply reply = this.api.post(this.batch, "\n \r\n", HttpHeaders.CONTENT_TYPE, NDJSON).is(200);
		assertThat(reply.text()).isEmpty();
	}

	@Test
	void aBadLineIsAnsweredWithItsNumberAndTheRestGoesOn() {
		List<String> results = lines("", """
				{'call':'open'}

				{'call':'open'
				'call':'open'}
				{'call':'opn'}
				{'call':'open'}{'call':'open'}
				{'call':'close','fd':4294967296}
				{'call':'open','path':%s}
				\u0001
				{'call':'open'}\r
				{'call':'dup','oldFd':3}""".formatted("[".repeat(10_000)));
		assertThat(results).hasSize(10);
		assertThat(results.get(0)).isEqualTo("{'ret':3}");
		assertMalformed(results.get(1), 3, "", "ends before its object does");
		assertMalformed(results.get(2), 4, "", "is not an object");
		assertThat(results.get(3)).contains("'line':5,'errors':[{'pointer':'/call'");
		assertMalformed(results.get(4), 6, "", "has something after its object");
		assertMalformed(results.get(5), 7, "/fd", "must be -2147483648 to 4294967295");
		assertMalformed(results.get(6), 8, "/path", "must be a string");
		assertMalformed(results.get(7), 9, "", "is not JSON, at column 1");
		assertThat(results.subList(8, 10)).containsExactly("{'ret':4}", "{'ret':5}");
		assertThat(this.api.get(this.session + "/fds").json().path("fds").size()).isEqualTo(6);
	}

	private static void assertMalformed(String result, int line, String pointer, String detail) {
		assertThat(result).startsWith("{'type':'/problems/malformed-request','title':'Malformed request','status':400,")
			.endsWith("'line':" + line + ",'errors':[{'pointer':'" + pointer + "','detail':'" + detail + "'}]}");
	}

	@Test
	void aBadElementIsAnsweredWithItsIndexAndTheRestGoesOn() {
		JsonNode results = array("[{'call':'open'},3,{'call':'open','x':{'y':[{}]}},[[1]],{'call':'dup','oldFd':3}]")
			.is(200)
			.json();
		assertThat(results.size()).isEqualTo(5);
		assertThat(results.get(0)).hasToString("{\"ret\":3}");
		assertThat(results.get(1).path("index").asInt()).isEqualTo(1);
		assertThat(results.get(1).at("/errors/0/pointer").asString()).isEqualTo("/1");
		assertThat(results.get(2).path("index").asInt()).isEqualTo(2);
		assertThat(results.get(2).at("/errors/0/pointer").asString()).isEqualTo("/2/x");
		assertThat(results.get(3).at("/errors/0/pointer").asString()).isEqualTo("/3");
		assertThat(results.get(4)).hasToString("{\"ret\":4}");
	}

	@Test
	void afterAFailureTheRestIsSkippedOnDemand() {
		String calls = "{'call':'open'}\n{'call':'close','fd':9}\n{'call':'open'}\nnonsense\n";
		String failed = "{'ret':-1,'errno':'EBADF'}";
		assertThat(lines("?onError=stop", calls)).containsExactly("{'ret':3}", failed, "{'skipped':true}",
				"{'skipped':true}");
		assertThat(lines("?onError=stop", "nonsense\n{'call':'open'}\n")).last().isEqualTo("{'skipped':true}");
		assertThat(lines("?onError=continue", calls)).startsWith("{'ret':4}", failed, "{'ret':5}");
		String array = "[{'call':'close','fd':9},{'call':'open'},{}]".replace('\'', '"');
		this.api.post(this.batch + "?onError=stop", array)
			.is(200, "[{\"ret\":-1,\"errno\":\"EBADF\"},{\"skipped\":true},{\"skipped\":true}]");
		this.api.post(this.batch + "?onError=go", array).isMalformedAt("onError");
		this.api.post(this.batch + "?onError=go", "{}", HttpHeaders.CONTENT_TYPE, NDJSON).isMalformedAt("onError");
	}

	@Test
	void callsAfterTheExitOfTheSessionAnswerEsrch() {
		assertThat(lines("", "{'call':'exit'}\n{'call':'open'}\n{'call':'exit'}\n")).containsExactly("{'ret':0}",
				"{'ret':-1,'errno':'ESRCH'}", "{'ret':-1,'errno':'ESRCH'}");
		array("[]").isErrno(404, Errno.ESRCH);
		this.api.post(this.batch, "", HttpHeaders.CONTENT_TYPE, NDJSON).isErrno(404, Errno.ESRCH);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{}", "3", "[", "[{'call':'open'},", "[{'call':'open'}]]", "[{'call':'open'}] x",
			"[{'call':'open'},}]", "[{'call':'open'} {'call':'open'}]" })
	void anArrayThatIsNoneHasMadeNoCall(String body) {
		array(body).isProblem(400, "malformed-request");
		assertThat(this.api.open(this.session)).isEqualTo(3);
	}

	@Test
	void anArrayThatIsTooLongTooLargeOrTooDeepHasMadeNoCall() {
		String calls = "{'call':'open'},".repeat(10_000);
		array("[" + calls + "{}]").isMalformedAt("");
		array("[{'call':'open'}" + " ".repeat(4 << 20) + "]").isProblem(413, "payload-too-large");
		array("[{'call':'open'},{'call':'open','x':" + "[".repeat(60) + "]".repeat(60) + "}]").isProblem(400,
				"malformed-request");
		assertThat(this.api.open(this.session)).isEqualTo(3);
		assertThat(array("[" + calls.substring(0, calls.length() - 1) + "]").is(200).json().size()).isEqualTo(10_000);
	}

	@Test
	void aLineIsBoundedUnlessItWrites() {
		String data = Base64.getEncoder().encodeToString(new byte[1 << 20]);
		List<String> results = lines("",
				"{'call':'open','kind':'REGULAR','path':'/f','flags':['O_RDWR','O_CREAT']}\n"
						+ "{'call':'write','fd':3,'data':'" + data + "'}\n" + "{'call':'open'" + " ".repeat(1 << 16)
						+ "}\n" + "x".repeat(3 << 20) + "\n{'call':'open'}" + " ".repeat(60_000)
						+ "\n{'call':'read','fd':3,'count':1}\n");
		assertThat(results.get(1)).isEqualTo("{'ret':1048576}");
		assertThat(results.get(2)).contains("'line':3", "is longer than 65536 bytes");
		assertThat(results.get(3)).contains("'line':4", "is longer than 65536 bytes");
		assertThat(results.subList(4, 6)).containsExactly("{'ret':4}", "{'ret':0,'data':''}");
		assertThat(results).hasSize(6);
	}

	@Test
	void aStreamIsUnboundedHoweverItsTypeIsSpelt() {
		String line = "{\"call\":\"close\",\"fd\":9}" + " ".repeat(1000) + "\n";
		Reply reply = this.api.post(this.batch, line.repeat(5000), HttpHeaders.CONTENT_TYPE, "Application/X-NDJSON")
			.is(200);
		assertThat(reply.text().lines()).hasSize(5000).containsOnly("{\"ret\":-1,\"errno\":\"EBADF\"}");
	}

	@Test
	void refusesOtherMediaTypes() {
		this.api.post(this.batch, "[]", HttpHeaders.CONTENT_TYPE, "text/plain")
			.isProblem(415, "unsupported-media-type");
		array("[{'call':'open'}]", HttpHeaders.ACCEPT, NDJSON).isProblem(406, "not-acceptable");
		this.api.post(this.batch, "{}", HttpHeaders.CONTENT_TYPE, NDJSON, HttpHeaders.ACCEPT, "application/json")
			.isProblem(406, "not-acceptable");
		assertThat(this.api.open(this.session)).isEqualTo(3);
	}

	// Retries

	@Test
	void aRetryOfAnArrayMakesNoCallAgain() {
		String calls = "[{'call':'open'},{'call':'open','label':'x'},{'call':'close','fd':9}]";
		Reply first = array(calls, KEY, "k").is(200);
		Reply again = array(calls, KEY, "k").is(200);
		assertThat(first.header(CallContext.IDEMPOTENT_REPLAYED)).isNull();
		assertThat(again.header(CallContext.IDEMPOTENT_REPLAYED)).isEqualTo("true");
		assertThat(again.text()).isEqualTo(first.text());
		assertThat(this.api.open(this.session)).isEqualTo(5);
	}

	@Test
	void aRetryOfAnArrayThatEndedItsSessionGetsItsAnswersAgain() {
		String calls = "[{'call':'open'},{'call':'close','fd':9},{'call':'exit'},{'call':'open'}]";
		String results = "[{'ret':3},{'ret':-1,'errno':'EBADF'},{'ret':0},{'ret':-1,'errno':'ESRCH'}]".replace('\'',
				'"');
		array(calls, KEY, "k").is(200, results);
		Reply again = array(calls, KEY, "k").is(200, results);
		assertThat(again.header(CallContext.IDEMPOTENT_REPLAYED)).isEqualTo("true");
		array(calls, KEY, "other").isErrno(404, Errno.ESRCH);
		array(calls).isErrno(404, Errno.ESRCH);
		array("[]", KEY, "k").isErrno(404, Errno.ESRCH);
		JsonNode reused = array("[{'call':'close','fd':3}]", KEY, "k").is(200).json();
		assertThat(reused.get(0).path("type").asString()).isEqualTo("/problems/idempotency-key-reused");
	}

	@Test
	void aRetryGoesOnWhereTheFirstTryEnded() {
		array("[{'call':'open'}]", KEY, "k").is(200, "[{\"ret\":3}]");
		array("[{'call':'open'},{'call':'open'}]", KEY, "k").is(200, "[{\"ret\":3},{\"ret\":4}]");
	}

	@Test
	void aKeyWithAnotherCallIsRefusedCallByCall() {
		array("[{'call':'open'},{'call':'open'}]", KEY, "k").is(200);
		JsonNode results = array("[{'call':'close','fd':3},{'call':'open'}]", KEY, "k").is(200).json();
		assertThat(results.get(0).path("type").asString()).isEqualTo("/problems/idempotency-key-reused");
		assertThat(results.get(0).path("status").asInt()).isEqualTo(422);
		assertThat(results.get(0).path("index").asInt(-1)).isZero();
		assertThat(results.get(1)).hasToString("{\"ret\":4}");
		this.api.get(this.session + "/fds/3").is(200);
	}

	@Test
	void aStreamTakesNoKey() {
		this.api.post(this.batch, "{\"call\":\"open\"}", HttpHeaders.CONTENT_TYPE, NDJSON, KEY, "k").isMalformedAt(KEY);
		assertThat(this.api.open(this.session)).isEqualTo(3);
	}

	// Streaming

	@Test
	void eachLineIsAnsweredBeforeTheNextIsSent() throws IOException {
		try (StreamingClient client = new StreamingClient(this.api.port(), this.batch, NDJSON)) {
			client.send("{\"call\":\"open\"}\n");
			assertThat(client.status()).isEqualTo(200);
			assertThat(client.line()).isEqualTo("{\"ret\":3}");
			client.send("{\"call\":");
			client.send("\"open\"}\n{\"call\":\"open\"}\n");
			assertThat(List.of(client.line(), client.line())).containsExactly("{\"ret\":4}", "{\"ret\":5}");
			client.send("{\"call\":\"close\",\"fd\":4}");
			client.endRequest();
			assertThat(client.line()).isEqualTo("{\"ret\":0}");
			assertThat(client.read()).isEqualTo(-1);
		}
	}

	@Test
	void aStreamThatBreaksOffSaysSoOnItsLastLine() throws IOException {
		try (StreamingClient client = new StreamingClient(this.api.port(), this.batch, NDJSON)) {
			client.send("{\"call\":\"open\"}\n{\"call\":\"op");
			client.breakOff();
			assertThat(client.line()).isEqualTo("{\"ret\":3}");
			assertThat(client.line()).contains("/problems/malformed-request", "\"line\":2", "the body ended before");
		}
		assertThat(this.api.open(this.session)).isEqualTo(4);
	}

	@Test
	void aClientThatGoesAwayLeavesTheSessionUsable() throws IOException {
		try (StreamingClient client = new StreamingClient(this.api.port(), this.batch, NDJSON)) {
			client.send("{\"call\":\"open\"}\n");
			assertThat(client.line()).isEqualTo("{\"ret\":3}");
		}
		assertThat(this.api.open(this.session)).isEqualTo(4);
	}

	@Test
	void twoStreamsShareASession() throws Exception {
		int calls = 5_000;
		List<Thread> clients = new ArrayList<>();
		List<Long> counted = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			clients.add(Thread.ofVirtual().start(() -> {
				long lines = lines("", "{'call':'open'}\n{'call':'close','fd':9999}\n".repeat(calls)).size();
				synchronized (counted) {
					counted.add(lines);
				}
			}));
		}
		for (Thread client : clients) {
			client.join();
		}
		assertThat(counted).containsExactly(2L * calls, 2L * calls);
		assertThat(this.api.get(this.session + "/statistics").json().at("/calls/openat"))
			.hasToString("{\"EMFILE\":" + (2 * calls - 1021) + ",\"ok\":1021}");
	}

}
