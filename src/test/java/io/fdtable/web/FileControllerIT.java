package io.fdtable.web;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Sysctl;
import io.fdtable.session.SessionRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards reading, writing and moving positions over HTTP, pipes and fdinfo included: what
 * each answers when it succeeds and fails, and who shares a position.
 */
@ServerTest
@TestPropertySource(properties = "fdtable.file.max-bytes=8KB")
class FileControllerIT {

	private static final int MAX_BYTES = 8192;

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

	private String open(String... flags) {
		return openKind("REGULAR", flags);
	}

	private String openKind(String kind, String... flags) {
		String names = (flags.length == 0) ? "" : "\"" + String.join("\",\"", flags) + "\"";
		int fd = this.api.post(this.fds, "{\"kind\":\"" + kind + "\",\"flags\":[" + names + "]}").is(201).fd();
		return this.fds + "/" + fd;
	}

	private static String data(String text) {
		return data(text.getBytes(StandardCharsets.UTF_8));
	}

	private static String data(byte[] bytes) {
		return "{\"data\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"}";
	}

	private void write(String file, String text) {
		this.api.post(file + "/write", data(text)).is(200, "{\"bytes\":" + text.length() + "}");
	}

	private String read(String file, int count) {
		Reply reply = this.api.post(file + "/read", "{\"count\":" + count + "}").is(200);
		byte[] bytes = Base64.getDecoder().decode(reply.json().path("data").asString());
		reply.is(200,
				"{\"bytes\":" + bytes.length + ",\"data\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"}");
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private void seek(String file, String offset, String whence, String position) {
		this.api.post(file + "/lseek", "{\"offset\":\"" + offset + "\",\"whence\":\"" + whence + "\"}")
			.is(200, "{\"position\":\"" + position + "\"}");
	}

	private void assertInfo(String file, String position, String flags, int references) {
		this.api.get(file + "/info")
			.is(200, "{\"pos\":\"%s\",\"flags\":\"%s\",\"references\":%d}".formatted(position, flags, references));
	}

	// Success

	@Test
	void whatIsWrittenCanBeReadAgain() {
		String file = open("O_RDWR");
		this.api.post(file + "/write", "{\"data\":\"aGVsbG8=\"}").is(200, "{\"bytes\":5}");
		seek(file, "0", "SEEK_SET", "0");
		this.api.post(file + "/read", "{\"count\":4096}").is(200, "{\"bytes\":5,\"data\":\"aGVsbG8=\"}");
		this.api.post(file + "/read", "{\"count\":4096}").is(200, "{\"bytes\":0,\"data\":\"\"}");
		assertThat(read(file, 0)).isEmpty();
	}

	@Test
	void everyByteSurvives() {
		byte[] bytes = new byte[256];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = (byte) i;
		}
		String file = open("O_RDWR");
		this.api.post(file + "/write", data(bytes)).is(200, "{\"bytes\":256}");
		seek(file, "0", "SEEK_SET", "0");
		String read = this.api.post(file + "/read", "{\"count\":256}").is(200).json().path("data").asString();
		assertThat(Base64.getDecoder().decode(read)).isEqualTo(bytes);
	}

	@Test
	void writingNothingWritesNothing() {
		String file = open("O_RDWR");
		this.api.post(file + "/write", "{\"data\":\"\"}").is(200, "{\"bytes\":0}");
		assertInfo(file, "0", "0100002", 1);
	}

	@ParameterizedTest
	@CsvSource({ "7, SEEK_SET, 7", "-1, SEEK_CUR, 4", "0, SEEK_CUR, 5", "-5, SEEK_END, 0", "3, SEEK_END, 8",
			"9223372036854775807, SEEK_SET, 9223372036854775807", "2, SEEK_DATA, 2", "2, SEEK_HOLE, 5", "3, 0, 3",
			"0, 0x2, 5" })
	void movesThePosition(String offset, String whence, String position) {
		String file = open("O_RDWR");
		write(file, "hello");
		seek(file, offset, whence, position);
		assertInfo(file, position, "0100002", 1);
	}

	@Test
	void takesAnOffsetAsANumberToo() {
		String file = open("O_RDWR");
		this.api.post(file + "/lseek", "{\"offset\":9007199254740993,\"whence\":\"SEEK_SET\"}")
			.is(200, "{\"position\":\"9007199254740993\"}");
	}

	@Test
	void aHoleReadsAsZeros() {
		String file = open("O_RDWR");
		seek(file, "2", "SEEK_SET", "2");
		write(file, "x");
		seek(file, "0", "SEEK_SET", "0");
		assertThat(read(file, 10)).isEqualTo("\0\0x");
	}

	@Test
	void aFileIsOneUnderItsPathAndEmptiedByTruncating() {
		this.api.post(this.fds, "{\"path\":\"/f\",\"kind\":\"REGULAR\",\"flags\":[\"O_RDWR\",\"O_CREAT\"]}").is(201);
		write(this.fds + "/3", "hello");
		this.api.post(this.fds, "{\"path\":\"/f\",\"flags\":[\"O_RDONLY\"]}").is(201);
		assertThat(read(this.fds + "/4", 10)).isEqualTo("hello");
		this.api.post(this.fds, "{\"path\":\"/f\",\"flags\":[\"O_WRONLY\",\"O_TRUNC\"]}").is(201);
		seek(this.fds + "/4", "0", "SEEK_END", "0");
	}

	@Test
	void anEventCounterAddsUpWhatIsWritten() {
		String counter = openKind("EVENTFD", "O_NONBLOCK");
		this.api.post(counter + "/write", data(new byte[] { 2, 0, 0, 0, 0, 0, 0, 0 })).is(200, "{\"bytes\":8}");
		this.api.post(counter + "/write", data(new byte[] { 3, 0, 0, 0, 0, 0, 0, 0 })).is(200, "{\"bytes\":8}");
		this.api.post(counter + "/read", "{\"count\":8}").is(200, "{\"bytes\":8,\"data\":\"BQAAAAAAAAA=\"}");
	}

	// Sharing a position

	@Test
	void duplicatesAndChildrenMoveOnePosition() {
		String file = open("O_RDWR");
		write(file, "hello world");
		String duplicate = this.fds + "/" + this.api.post(file + "/dup", null).is(201).fd();
		String child = this.api.fork(this.session, false) + file.substring(this.session.length());
		seek(child, "0", "SEEK_SET", "0");
		assertThat(read(file, 2)).isEqualTo("he");
		assertThat(read(duplicate, 2)).isEqualTo("ll");
		assertThat(read(child, 2)).isEqualTo("o ");
		write(duplicate, "W");
		assertThat(read(child, 10)).isEqualTo("orld");
		// Slots here: two; in the child: two.
		for (String each : new String[] { file, duplicate, child }) {
			assertInfo(each, "11", "0100002", 4);
		}
	}

	@Test
	void twoOpensOfOnePathHaveTwoPositions() {
		String open = "{\"path\":\"/two\",\"kind\":\"REGULAR\",\"flags\":[\"O_RDWR\",\"O_CREAT\"]}";
		this.api.post(this.fds, open).is(201);
		this.api.post(this.fds, open).is(201);
		write(this.fds + "/3", "abc");
		assertThat(read(this.fds + "/4", 10)).isEqualTo("abc");
		write(this.fds + "/3", "def");
		assertThat(read(this.fds + "/4", 10)).isEqualTo("def");
	}

	@Test
	void appendingWritesAtTheEndWhereverThePositionIs() {
		String file = open("O_RDWR", "O_APPEND");
		write(file, "abc");
		seek(file, "0", "SEEK_SET", "0");
		write(file, "def");
		assertInfo(file, "6", "0102002", 1);
		seek(file, "0", "SEEK_SET", "0");
		assertThat(read(file, 10)).isEqualTo("abcdef");
	}

	@Test
	void theAppendFlagBelongsToTheOpenFileAndCanBeSetLater() {
		String file = open("O_RDWR");
		write(file, "abc");
		String child = this.api.fork(this.session, false) + file.substring(this.session.length());
		this.api.post(child + "/fcntl", "{\"cmd\":\"F_SETFL\",\"arg\":1024}").is(200);
		seek(file, "0", "SEEK_SET", "0");
		write(file, "def");
		seek(file, "0", "SEEK_SET", "0");
		assertThat(read(file, 10)).isEqualTo("abcdef");
	}

	// The longest file

	@Test
	void aWriteIsCutShortAtTheLongestFileAndThenAnswersEfbig() {
		String file = open("O_RDWR");
		this.api.post(file + "/write", data(new byte[MAX_BYTES + 1])).is(200, "{\"bytes\":8192}");
		this.api.post(file + "/write", data("x")).isErrno(413, Errno.EFBIG, "write");
		seek(file, "-1", "SEEK_CUR", "8191");
		this.api.post(file + "/write", data("xy")).is(200, "{\"bytes\":1}");
		seek(file, "8193", "SEEK_SET", "8193");
		this.api.post(file + "/write", data("x")).isErrno(413, Errno.EFBIG, "write");
		seek(file, "0", "SEEK_END", "8192");
	}

	@Test
	void aReadReturnsAtMostTheLongestFile() {
		String file = open("O_RDWR");
		this.api.post(file + "/write", data(new byte[MAX_BYTES])).is(200, "{\"bytes\":8192}");
		seek(file, "0", "SEEK_SET", "0");
		Reply reply = this.api.post(file + "/read", "{\"count\":9223372036854775807}").is(200);
		assertThat(reply.json().path("bytes").asInt()).isEqualTo(MAX_BYTES);
	}

	// Errnos

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			read  | {"count":1}
			write | {"data":"eA=="}
			lseek | {"offset":"0","whence":"SEEK_SET"}
			""")
	void whatIsNotOpenAnswersEbadfAndWhoIsNotThereEsrch(String call, String body) {
		this.api.post(this.fds + "/3/" + call, body).isErrno(404, Errno.EBADF, call);
		this.api.post(this.fds + "/-1/" + call, body).isErrno(404, Errno.EBADF, call);
		String path = open("O_PATH");
		this.api.post(path + "/" + call, body).isErrno(404, Errno.EBADF, call);
		this.api.delete(this.session).is(204);
		this.api.post(this.fds + "/3/" + call, body).isErrno(404, Errno.ESRCH);
		this.api.post(Api.SESSIONS + "/x/fds/3/" + call, body).isErrno(404, Errno.ESRCH);
	}

	@Test
	void theAccessModeDecides() {
		this.api.post(open("O_WRONLY") + "/read", "{\"count\":1}").isErrno(404, Errno.EBADF, "read");
		this.api.post(open("O_RDONLY") + "/write", data("x")).isErrno(404, Errno.EBADF, "write");
	}

	@Test
	void aDirectoryCannotBeRead() {
		this.api.post(openKind("DIRECTORY", "O_RDONLY") + "/read", "{\"count\":1}").isErrno(409, Errno.EISDIR, "read");
	}

	@Test
	void anUnconnectedSocketAnswersEnotconnAndEpipe() {
		String socket = openKind("SOCKET");
		this.api.post(socket + "/read", "{\"count\":1}").isErrno(409, Errno.ENOTCONN, "read");
		this.api.post(socket + "/write", data("x")).isErrno(409, Errno.EPIPE, "write");
		this.api.post(socket + "/lseek", "{\"offset\":\"0\",\"whence\":\"SEEK_SET\"}")
			.isErrno(409, Errno.ESPIPE, "lseek");
	}

	@Test
	void anEventCounterTakesEightBytesAndAnswersEagainAtItsBounds() {
		String counter = openKind("EVENTFD");
		this.api.post(counter + "/read", "{\"count\":7}").isErrno(422, Errno.EINVAL, "read");
		this.api.post(counter + "/read", "{\"count\":8}").isErrno(409, Errno.EAGAIN, "read");
		this.api.post(counter + "/write", data("1234567")).isErrno(422, Errno.EINVAL, "write");
		this.api.post(counter + "/write", "{\"data\":\"//////////8=\"}").isErrno(422, Errno.EINVAL, "write");
		this.api.post(counter + "/write", "{\"data\":\"/v////////8=\"}").is(200, "{\"bytes\":8}");
		this.api.post(counter + "/write", "{\"data\":\"AQAAAAAAAAA=\"}").isErrno(409, Errno.EAGAIN, "write");
	}

	@ParameterizedTest
	@CsvSource({ "-1, SEEK_SET", "-6, SEEK_CUR", "-6, SEEK_END", "0, 5", "0, -1", "9223372036854775807, SEEK_END" })
	void aPositionThatCannotBeAnswersEinval(String offset, String whence) {
		String file = open("O_RDWR");
		write(file, "hello");
		this.api.post(file + "/lseek", "{\"offset\":\"" + offset + "\",\"whence\":\"" + whence + "\"}")
			.isErrno(422, Errno.EINVAL, "lseek");
		assertInfo(file, "5", "0100002", 1);
	}

	@Test
	void anAccessThatEndsBeyondTheLastPositionAnswersEinval() {
		String file = open("O_RDWR");
		seek(file, "9223372036854775807", "SEEK_SET", "9223372036854775807");
		this.api.post(file + "/read", "{\"count\":1}").isErrno(422, Errno.EINVAL, "read");
		this.api.post(file + "/write", data("x")).isErrno(422, Errno.EINVAL, "write");
	}

	@ParameterizedTest
	@ValueSource(strings = { "SEEK_DATA", "SEEK_HOLE" })
	void nothingIsBehindTheEnd(String whence) {
		String file = open("O_RDWR");
		write(file, "hello");
		this.api.post(file + "/lseek", "{\"offset\":\"5\",\"whence\":\"" + whence + "\"}")
			.isErrno(404, Errno.ENXIO, "lseek");
	}

	@Test
	void aWriteAnswersEnomemWhenTheMemoryIsSpent() {
		String file = open("O_RDWR");
		Sysctl sysctl = this.registry.sysctl();
		long filled = sysctl.memoryMax() - sysctl.memory();
		assertThat(sysctl.tryCharge(filled)).isTrue();
		try {
			this.api.post(file + "/write", data("x")).isErrno(503, Errno.ENOMEM, "write");
		}
		finally {
			sysctl.uncharge(filled);
		}
		write(file, "x");
	}

	// What is malformed

	@ParameterizedTest
	@ValueSource(strings = { "\"*\"", "\"aGVsbG8\"", "\"aGVsbG8==\"", "\"aGVs bG8=\"", "\"aGVs\\nbG8=\"", "\"-_-_\"",
			"\"a\"", "\"=\"", "3", "true", "{}", "[104,105]", "[\"aGVsbG8=\"]", "null" })
	void whatIsNotBase64IsMalformed(String data) {
		String file = open("O_RDWR");
		this.api.post(file + "/write", "{\"data\":" + data + "}").isMalformedAt("/data");
		assertInfo(file, "0", "0100002", 1);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			read  | {}                                       | /count
			read  | {"count":-1}                             | /count
			read  | {"count":"1"}                            | /count
			read  | {"count":1.5}                            | /count
			read  | {"count":9223372036854775808}            | /count
			read  | {"count":1,"offset":0}                   | /offset
			write | {}                                       | /data
			write | {"data":"eA==","offset":0}               | /offset
			lseek | {"whence":"SEEK_SET"}                    | /offset
			lseek | {"offset":"0"}                           | /whence
			lseek | {"offset":"x","whence":"SEEK_SET"}       | /offset
			lseek | {"offset":1.5,"whence":"SEEK_SET"}       | /offset
			lseek | {"offset":true,"whence":"SEEK_SET"}      | /offset
			lseek | {"offset":"9223372036854775808","whence":"SEEK_SET"} | /offset
			lseek | {"offset":9223372036854775808,"whence":"SEEK_SET"}   | /offset
			lseek | {"offset":"0","whence":"SEEK_END2"}      | /whence
			lseek | {"offset":"0","whence":2}                | /whence
			""")
	void namesWhatIsMalformed(String call, String body, String pointer) {
		this.api.post(this.fds + "/0/" + call, body).isMalformedAt(pointer);
	}

	// Retries and conditions

	@Test
	void aRetriedWriteWritesOnce() {
		String file = open("O_RDWR");
		String key = CallContext.IDEMPOTENCY_KEY;
		Reply first = this.api.post(file + "/write", data("abc"), key, "w").is(200, "{\"bytes\":3}");
		Reply again = this.api.post(file + "/write", data("abc"), key, "w").is(200, "{\"bytes\":3}");
		assertThat(first.header(CallContext.IDEMPOTENT_REPLAYED)).isNull();
		assertThat(again.header(CallContext.IDEMPOTENT_REPLAYED)).isEqualTo("true");
		assertInfo(file, "3", "0100002", 1);
		this.api.post(file + "/write", data("abd"), key, "w").isProblem(422, "idempotency-key-reused");
		this.api.post(file + "/read", "{\"count\":3}", key, "w").isProblem(422, "idempotency-key-reused");
		seek(file, "0", "SEEK_END", "3");
	}

	@Test
	void aRetriedReadReadsOnceAndGetsTheSameBytes() {
		String file = open("O_RDWR");
		write(file, "abcdef");
		seek(file, "0", "SEEK_SET", "0");
		Reply first = this.api.post(file + "/read", "{\"count\":3}", CallContext.IDEMPOTENCY_KEY, "r").is(200);
		Reply again = this.api.post(file + "/read", "{\"count\":3}", CallContext.IDEMPOTENCY_KEY, "r").is(200);
		assertThat(again.text()).isEqualTo(first.text()).contains("YWJj");
		assertThat(again.header(CallContext.IDEMPOTENT_REPLAYED)).isEqualTo("true");
		assertThat(read(file, 3)).isEqualTo("def");
	}

	@Test
	void theBytesThatAreKeptForRetriesAreChargedFor() {
		String file = open("O_RDWR");
		this.api.post(file + "/write", data(new byte[MAX_BYTES])).is(200);
		seek(file, "0", "SEEK_SET", "0");
		long before = this.registry.sysctl().memory();
		this.api.post(file + "/read", "{\"count\":8192}", CallContext.IDEMPOTENCY_KEY, "r").is(200);
		assertThat(this.registry.sysctl().memory() - before).isEqualTo(402 + MAX_BYTES);
		// Of a write it is the request, by which a retry is known.
		seek(file, "0", "SEEK_SET", "0");
		this.api.post(file + "/write", data(new byte[MAX_BYTES]), CallContext.IDEMPOTENCY_KEY, "w").is(200);
		assertThat(this.registry.sysctl().memory() - before).isEqualTo(2 * (402 + MAX_BYTES));
	}

	@Test
	void writesAndReadsOnlyWhatTheClientHasSeen() {
		String file = open("O_RDWR");
		String seen = String.valueOf(this.api.get(file).header(HttpHeaders.ETAG));
		this.api.post(file + "/write", data("abc"), HttpHeaders.IF_MATCH, seen).is(200);
		// A position is no part of a descriptor's version.
		this.api.post(file + "/lseek", "{\"offset\":\"0\",\"whence\":\"SEEK_SET\"}", HttpHeaders.IF_MATCH, seen)
			.is(200);
		this.api.delete(file).is(204);
		assertThat(open("O_RDWR")).isEqualTo(file);
		for (String call : new String[] { "/write", "/read", "/lseek" }) {
			String body = call.equals("/write") ? data("abc")
					: call.equals("/read") ? "{\"count\":1}" : "{\"offset\":\"1\",\"whence\":\"SEEK_SET\"}";
			this.api.post(file + call, body, HttpHeaders.IF_MATCH, seen).isProblem(412, "precondition-failed");
		}
		assertInfo(file, "0", "0100002", 1);
		seek(file, "0", "SEEK_END", "0");
	}

	// Pipes

	@Test
	void aPipeIsTwoDescriptorsOnTheLowestFreeNumbers() {
		this.api.delete(this.fds + "/0").is(204);
		Reply reply = this.api.post(this.session + "/pipe", "{\"flags\":[\"O_CLOEXEC\",\"O_NONBLOCK\"]}").is(201);
		String form = """
				{"fd":%d,"generation":%s,"state":"INSTALLED","closeOnExec":true,"file":%s,"kind":"PIPE",
				"path":null,"accessMode":"%s","flags":["O_NONBLOCK"],"label":null}""";
		reply.is(201,
				"{\"read\":"
						+ form.formatted(0, reply.json().path("read").path("generation"),
								reply.json().path("read").path("file"), "O_RDONLY")
						+ ",\"write\":" + form.formatted(3, reply.json().path("write").path("generation"),
								reply.json().path("write").path("file"), "O_WRONLY")
						+ "}");
		this.api.get(this.fds + "/0").is(200, reply.json().path("read").toString());
		this.api.get(this.fds + "/3").is(200, reply.json().path("write").toString());
	}

	@Test
	void aPipeCarriesBytesUntilAnEndIsClosed() {
		this.api.post(this.session + "/pipe", null).is(201);
		String reads = this.fds + "/3";
		String writes = this.fds + "/4";
		this.api.post(reads + "/read", "{\"count\":1}").isErrno(409, Errno.EAGAIN, "read");
		write(writes, "hello");
		assertThat(read(reads, 2)).isEqualTo("he");
		this.api.post(writes + "/lseek", "{\"offset\":\"0\",\"whence\":\"SEEK_CUR\"}")
			.isErrno(409, Errno.ESPIPE, "lseek");
		this.api.post(reads + "/write", data("x")).isErrno(404, Errno.EBADF, "write");
		this.api.post(writes + "/read", "{\"count\":1}").isErrno(404, Errno.EBADF, "read");
		this.api.delete(writes).is(204);
		assertThat(read(reads, 10)).isEqualTo("llo");
		assertThat(read(reads, 10)).isEmpty();
	}

	@Test
	void aPipeWithoutAReaderIsBroken() {
		this.api.post(this.session + "/pipe", null).is(201);
		String child = this.api.fork(this.session, false);
		this.api.delete(this.fds + "/3").is(204);
		write(this.fds + "/4", "x");
		this.api.delete(child + "/fds/3").is(204);
		this.api.post(this.fds + "/4/write", data("x")).isErrno(409, Errno.EPIPE, "write");
	}

	@Test
	void aFullPipeTakesAPartAndThenAnswersEagain() {
		this.api.post(this.session + "/pipe", null).is(201);
		this.api.post(this.fds + "/4/write", data(new byte[70_000])).is(200, "{\"bytes\":65536}");
		this.api.post(this.fds + "/4/write", data("x")).isErrno(409, Errno.EAGAIN, "write");
	}

	@Test
	void aPipeAnswersEmfileAndTakesNoNumber() {
		this.api.put(this.session + "/limits", "{\"nofile\":{\"soft\":4,\"hard\":4}}").is(200);
		Reply reply = this.api.post(this.session + "/pipe", null).isErrno(409, Errno.EMFILE, "pipe2");
		assertThat(reply.json().path("limit").asInt()).isEqualTo(4);
		assertThat(this.api.open(this.session)).isEqualTo(3);
	}

	@Test
	void aPipeTakesNoOtherFlags() {
		this.api.post(this.session + "/pipe", "{\"flags\":[\"O_APPEND\"]}").isErrno(422, Errno.EINVAL, "pipe2");
		this.api.post(this.session + "/pipe", "{\"flags\":[\"O_PIPE\"]}").isMalformedAt("/flags/0");
		this.api.post(this.session + "/pipe", "{\"flag\":[]}").isMalformedAt("/flag");
		this.api.post(Api.SESSIONS + "/x/pipe", null).isErrno(404, Errno.ESRCH);
		assertThat(this.api.open(this.session)).isEqualTo(3);
	}

	@Test
	void aPipeAnswersEnomemWhenTheTableCannotGrow() {
		this.api.post(this.fds + "/0/dup2", "{\"newFd\":63}").is(200);
		for (int fd = 3; fd < 62; fd++) {
			assertThat(this.api.post(this.fds + "/0/dup", null).is(201).fd()).isEqualTo(fd);
		}
		Sysctl sysctl = this.registry.sysctl();
		// Room for the two files and not for a wider table.
		long filled = sysctl.memoryMax() - sysctl.memory() - 1000;
		assertThat(sysctl.tryCharge(filled)).isTrue();
		try {
			this.api.post(this.session + "/pipe", null).isErrno(503, Errno.ENOMEM, "pipe2");
		}
		finally {
			sysctl.uncharge(filled);
		}
		assertThat(this.api.open(this.session)).isEqualTo(62);
	}

	@Test
	void aRetriedPipeIsOnePipe() {
		Reply first = this.api.post(this.session + "/pipe", null, CallContext.IDEMPOTENCY_KEY, "p").is(201);
		Reply again = this.api.post(this.session + "/pipe", null, CallContext.IDEMPOTENCY_KEY, "p").is(201);
		assertThat(again.text()).isEqualTo(first.text());
		assertThat(again.header(CallContext.IDEMPOTENT_REPLAYED)).isEqualTo("true");
		assertThat(this.api.open(this.session)).isEqualTo(5);
	}

	// fdinfo

	@Test
	void fdinfoIsJsonOrTheLinesOfProc() {
		String file = open("O_RDWR", "O_CLOEXEC");
		write(file, "hello");
		assertInfo(file, "5", "02100002", 1);
		Reply text = this.api.get(file + "/info", HttpHeaders.ACCEPT, "text/plain").is(200);
		assertThat(text.text()).isEqualTo("pos:\t5\nflags:\t02100002\n");
		assertThat(text.header(HttpHeaders.CONTENT_TYPE)).startsWith("text/plain");
	}

	@Test
	void fdinfoOfWhatIsNotInstalledAnswersEbadf() {
		for (String accept : new String[] { "application/json", "text/plain" }) {
			this.api.get(this.fds + "/3/info", HttpHeaders.ACCEPT, accept).isErrno(404, Errno.EBADF);
			this.api.get(this.fds + "/-1/info", HttpHeaders.ACCEPT, accept).isErrno(404, Errno.EBADF);
			this.api.get(Api.SESSIONS + "/x/fds/0/info", HttpHeaders.ACCEPT, accept).isErrno(404, Errno.ESRCH);
		}
		this.api.get(this.fds + "/x/info").isMalformedAt("fd");
		String socket = openKind("SOCKET");
		this.api.post(socket + "/listen", null).is(204);
		int reserved = this.api.post(socket + "/accept", null).is(201).fd();
		this.api.get(this.fds + "/" + reserved + "/info").isErrno(404, Errno.EBADF);
	}

}
