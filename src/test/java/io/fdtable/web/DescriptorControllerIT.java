package io.fdtable.web;

import java.util.ArrayList;
import java.util.List;

import io.fdtable.kernel.Errno;
import io.fdtable.session.SessionId;
import io.fdtable.session.SessionRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards the operations on descriptors: what each answers when it succeeds and fails. */
@ServerTest
class DescriptorControllerIT {

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

	private int reserve() {
		SessionId id = SessionId.parse(this.session.substring(this.session.lastIndexOf('/') + 1));
		return this.registry.use(id).files().allocFd(0, 1024, true);
	}

	// open

	@Test
	void allocatesTheLowestFreeDescriptorWithoutABody() {
		Reply reply = this.api.post(this.fds, null).is(201);
		assertThat(reply.header(HttpHeaders.LOCATION)).isEqualTo(this.fds + "/3");
		JsonNode descriptor = reply.json();
		String generation = descriptor.path("generation").asString();
		String file = descriptor.path("file").asString();
		assertThat(generation).matches("[1-9][0-9]*");
		assertThat(file).matches("o[1-9][0-9]*");
		assertThat(reply.header(HttpHeaders.ETAG)).startsWith("\"" + generation + ".");
		reply.is(201, """
				{"fd":3,"generation":"%s","state":"INSTALLED","closeOnExec":false,"file":"%s","kind":"OPAQUE",
				"path":null,"accessMode":"O_RDONLY","flags":[],"label":null}""".formatted(generation, file));
	}

	@Test
	void opensWhatItIsAskedToOpen() {
		Reply reply = this.api.post(this.fds, """
				{"path":"/data/log","kind":"REGULAR","flags":["O_RDWR","O_CREAT","O_APPEND","O_CLOEXEC"],"label":"log"}
				""").is(201);
		JsonNode made = reply.json();
		assertThat(made.path("closeOnExec").asBoolean()).isTrue();
		assertThat(made.path("kind").asString()).isEqualTo("REGULAR");
		assertThat(made.path("path").asString()).isEqualTo("/data/log");
		assertThat(made.path("accessMode").asString()).isEqualTo("O_RDWR");
		assertThat(made.path("flags")).hasToString("[\"O_APPEND\"]");
		assertThat(made.path("label").asString()).isEqualTo("log");
		Reply read = this.api.get(this.fds + "/3").is(200);
		assertThat(read.json()).isEqualTo(made);
		assertThat(read.header(HttpHeaders.ETAG)).isEqualTo(reply.header(HttpHeaders.ETAG));
	}

	@Test
	void takesFlagsAsNumbersToo() {
		assertThat(this.api.post(this.fds, "{\"flags\":[\"0x80000\",\"2\"]}")
			.is(201)
			.json()
			.path("closeOnExec")
			.asBoolean()).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			{"path":"/d","flags":["O_CREAT","O_DIRECTORY"]}           | 422 | EINVAL       | openat
			{"kind":"SOCKET","flags":["O_APPEND"]}                    | 422 | EINVAL       | socket
			{"kind":"EVENTFD","flags":["O_APPEND"]}                   | 422 | EINVAL       | eventfd2
			{"path":""}                                               | 404 | ENOENT       | openat
			{"path":"/dir","flags":["O_WRONLY"]}                      | 409 | EISDIR       | openat
			{"path":"/dir","flags":["O_CREAT","O_EXCL"]}              | 409 | EEXIST       | openat
			{"path":"/dir/file","flags":["O_DIRECTORY"]}              | 409 | ENOTDIR      | openat
			{"path":"/dir/file/x"}                                    | 409 | ENOTDIR      | openat
			""")
	void answersWhatOpenAnswers(String body, int status, Errno errno, String syscall) {
		this.api.post(this.fds, "{\"path\":\"/dir\",\"kind\":\"DIRECTORY\"}").is(201);
		this.api.post(this.fds, "{\"path\":\"/dir/file\",\"flags\":[\"O_CREAT\"]}").is(201);
		this.api.post(this.fds, body).isErrno(status, errno, syscall);
		assertThat(this.api.open(this.session)).isEqualTo(5);
	}

	@Test
	void refusesAPathOf4096Bytes() {
		this.api.post(this.fds, "{\"path\":\"" + "x".repeat(4095) + "\"}").is(201);
		this.api.post(this.fds, "{\"path\":\"" + "x".repeat(4096) + "\"}").isErrno(422, Errno.ENAMETOOLONG, "openat");
		this.api.post(this.fds, "{\"path\":\"" + "x".repeat(65537) + "\"}").isMalformedAt("/path");
	}

	@Test
	void answersEmfileAtTheLimit() {
		this.api.put(this.session + "/limits", "{\"nofile\":{\"soft\":4,\"hard\":4}}").is(200);
		assertThat(this.api.open(this.session)).isEqualTo(3);
		Reply reply = this.api.post(this.fds, null).isErrno(409, Errno.EMFILE, "openat");
		assertThat(reply.json().path("limit").asInt()).isEqualTo(4);
		this.api.post(this.fds + "/0/dup", null).isErrno(409, Errno.EMFILE, "dup");
		this.api.post(this.fds + "/0/fcntl", "{\"cmd\":\"F_DUPFD\"}").isErrno(409, Errno.EMFILE, "fcntl");
	}

	// list and read

	@Test
	void listsDescriptorsPageByPage() {
		this.api.post(this.fds + "/0/dup2", "{\"newFd\":700}").is(200);
		List<Integer> listed = new ArrayList<>();
		String query = "?pageSize=3";
		for (String token = ""; token != null;) {
			JsonNode page = this.api.get(this.fds + query).is(200).json();
			page.path("fds").forEach((fd) -> listed.add(fd.path("fd").asInt()));
			token = page.path("nextPageToken").asString(null);
			query = "?pageSize=3&pageToken=" + token;
		}
		assertThat(listed).containsExactly(0, 1, 2, 700);
		assertThat(this.api.get(this.fds).json().has("nextPageToken")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "pageSize=0", "pageSize=1025", "pageToken=-1", "pageToken=x", "pageToken=" })
	void refusesAPageThatCannotBe(String query) {
		this.api.get(this.fds + "?" + query).isMalformedAt(query.substring(0, query.indexOf('=')));
	}

	@Test
	void answersNotModifiedForTheTagThatItGave() {
		String etag = String.valueOf(this.api.get(this.fds + "/0").header(HttpHeaders.ETAG));
		Reply reply = this.api.get(this.fds + "/0", HttpHeaders.IF_NONE_MATCH, etag).is(304);
		assertThat(reply.text()).isEmpty();
		assertThat(reply.header(HttpHeaders.ETAG)).isEqualTo(etag);
		this.api.post(this.fds + "/0/fcntl", "{\"cmd\":\"F_SETFD\",\"arg\":1}").is(200);
		assertThat(this.api.get(this.fds + "/0", HttpHeaders.IF_NONE_MATCH, etag).is(200).header(HttpHeaders.ETAG))
			.isNotEqualTo(etag);
	}

	@Test
	void answersHeadAsGetWithoutTheBody() {
		Reply head = this.api.send(HttpMethod.HEAD, this.fds + "/0", null).is(200);
		assertThat(head.text()).isEmpty();
		assertThat(head.header(HttpHeaders.ETAG)).isEqualTo(this.api.get(this.fds + "/0").header(HttpHeaders.ETAG));
		assertThat(this.api.send(HttpMethod.HEAD, this.fds + "/9", null).is(404).text()).isEmpty();
	}

	@Test
	void showsAReservedDescriptorWithoutAFile() {
		assertThat(reserve()).isEqualTo(3);
		JsonNode reserved = this.api.get(this.fds + "/3").is(200).json();
		assertThat(reserved.path("state").asString()).isEqualTo("RESERVED");
		assertThat(reserved.path("closeOnExec").asBoolean()).isTrue();
		assertThat(reserved.path("file").isNull()).isTrue();
		this.api.delete(this.fds + "/3").isErrno(404, Errno.EBADF, "close");
		this.api.post(this.fds + "/0/dup2", "{\"newFd\":3}").isErrno(409, Errno.EBUSY, "dup2");
		this.api.post(this.fds + "/0/dup3", "{\"newFd\":3}").isErrno(409, Errno.EBUSY, "dup3");
		this.api.delete(this.fds + "/3", HttpHeaders.IF_MATCH, "*").isProblem(412, "precondition-failed");
	}

	// close, dup, dup2, dup3

	@Test
	void closes() {
		assertThat(this.api.delete(this.fds + "/1").is(204).text()).isEmpty();
		this.api.get(this.fds + "/1").isErrno(404, Errno.EBADF);
		this.api.delete(this.fds + "/1").isErrno(404, Errno.EBADF, "close");
		assertThat(this.api.open(this.session)).isEqualTo(1);
	}

	@Test
	void duplicatesOntoTheLowestFreeNumber() {
		Reply reply = this.api.post(this.fds + "/1/dup", null).is(201);
		assertThat(reply.header(HttpHeaders.LOCATION)).isEqualTo(this.fds + "/3");
		assertThat(reply.header(HttpHeaders.ETAG)).isEqualTo(this.api.get(this.fds + "/3").header(HttpHeaders.ETAG));
		assertThat(reply.json().path("file")).isEqualTo(this.api.get(this.fds + "/1").json().path("file"));
		assertThat(this.api.post(this.fds + "/1/dup", "{\"minFd\":10,\"closeOnExec\":true}")
			.is(201)
			.json()
			.path("closeOnExec")
			.asBoolean()).isTrue();
		this.api.get(this.fds + "/10").is(200);
		this.api.post(this.fds + "/9/dup", null).isErrno(404, Errno.EBADF, "dup");
		this.api.post(this.fds + "/1/dup", "{\"minFd\":1024}").isErrno(422, Errno.EINVAL, "fcntl");
		this.api.post(this.fds + "/1/dup", "{\"minFd\":-1}").isErrno(422, Errno.EINVAL, "fcntl");
	}

	@Test
	void duplicatesOntoAGivenNumber() {
		Reply made = this.api.post(this.fds + "/1/dup2", "{\"newFd\":7}").is(200);
		assertThat(made.fd()).isEqualTo(7);
		assertThat(made.json().path("replaced").asBoolean()).isFalse();
		assertThat(made.header(HttpHeaders.ETAG)).isEqualTo(this.api.get(this.fds + "/7").header(HttpHeaders.ETAG));
		assertThat(this.api.post(this.fds + "/0/dup2", "{\"newFd\":7}").is(200).json().path("replaced").asBoolean())
			.isTrue();
		assertThat(this.api.post(this.fds + "/7/dup2", "{\"newFd\":7}").is(200).json().path("replaced").asBoolean())
			.isFalse();
		this.api.post(this.fds + "/9/dup2", "{\"newFd\":7}").isErrno(404, Errno.EBADF, "dup2");
		this.api.post(this.fds + "/0/dup2", "{\"newFd\":1024}").isErrno(404, Errno.EBADF, "dup2");
		this.api.post(this.fds + "/0/dup2", "{\"newFd\":-1}").isErrno(404, Errno.EBADF, "dup2");
	}

	@Test
	void duplicatesOntoAGivenNumberWithFlags() {
		Reply made = this.api.post(this.fds + "/1/dup3", "{\"newFd\":7,\"flags\":[\"O_CLOEXEC\"]}").is(200);
		assertThat(made.fd()).isEqualTo(7);
		assertThat(made.json().path("closeOnExec").asBoolean()).isTrue();
		assertThat(made.json().path("replaced").asBoolean()).isFalse();
		this.api.post(this.fds + "/7/dup3", "{\"newFd\":7}").isErrno(422, Errno.EINVAL, "dup3");
		this.api.post(this.fds + "/1/dup3", "{\"newFd\":7,\"flags\":[\"O_APPEND\"]}")
			.isErrno(422, Errno.EINVAL, "dup3");
		this.api.post(this.fds + "/9/dup3", "{\"newFd\":7}").isErrno(404, Errno.EBADF, "dup3");
		this.api.post(this.fds + "/1/dup3", "{\"newFd\":1024}").isErrno(404, Errno.EBADF, "dup3");
	}

	// fcntl

	@Test
	void runsCommands() {
		String fcntl = this.fds + "/0/fcntl";
		this.api.post(fcntl, "{\"cmd\":\"F_GETFD\"}").is(200, "{\"ret\":0}");
		this.api.post(fcntl, "{\"cmd\":\"F_SETFD\",\"arg\":1}").is(200, "{\"ret\":0}");
		this.api.post(fcntl, "{\"cmd\":\"1\"}").is(200, "{\"ret\":1}");
		this.api.post(fcntl, "{\"cmd\":\"F_SETFL\",\"arg\":2048}").is(200, "{\"ret\":0}");
		JsonNode flags = this.api.post(fcntl, "{\"cmd\":\"F_GETFL\"}").is(200).json();
		assertThat(flags.path("flags")).hasToString("[\"O_NONBLOCK\"]");
		assertThat(flags.path("ret").asInt() & 2048).isEqualTo(2048);
		this.api.post(fcntl, "{\"cmd\":\"F_DUPFD_QUERY\",\"arg\":0}").is(200, "{\"ret\":1}");
		this.api.post(fcntl, "{\"cmd\":\"F_CREATED_QUERY\"}").is(200, "{\"ret\":0}");
		JsonNode made = this.api.post(fcntl, "{\"cmd\":\"F_DUPFD_CLOEXEC\",\"arg\":20}").is(200).json();
		assertThat(made.path("ret").asInt()).isEqualTo(20);
		assertThat(made.path("descriptor").path("fd").asInt()).isEqualTo(20);
		assertThat(made.path("descriptor").path("closeOnExec").asBoolean()).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			/9 | {"cmd":"F_GETFD"}                | 404 | EBADF
			/9 | {"cmd":"F_DUPFD"}                | 404 | EBADF
			/0 | {"cmd":"F_DUPFD_QUERY","arg":9}  | 404 | EBADF
			/0 | {"cmd":"9999"}                   | 422 | EINVAL
			/0 | {"cmd":"-1"}                     | 422 | EINVAL
			/0 | {"cmd":"F_DUPFD","arg":1024}     | 422 | EINVAL
			/0 | {"cmd":"F_DUPFD","arg":-1}       | 422 | EINVAL
			/0 | {"cmd":"5"}                      | 501 | ENOSYS
			""")
	void answersWhatFcntlAnswers(String fd, String body, int status, Errno errno) {
		this.api.post(this.fds + fd + "/fcntl", body).isErrno(status, errno, "fcntl");
	}

	@Test
	void refusesACommandWithoutAMeaning() {
		this.api.post(this.fds + "/0/fcntl", "{\"cmd\":\"F_FROB\"}").isMalformedAt("/cmd");
		this.api.post(this.fds + "/0/fcntl", "{\"cmd\":\"4294967296\"}").isMalformedAt("/cmd");
		this.api.post(this.fds + "/0/fcntl", "{}").isMalformedAt("/cmd");
	}

	// close_range

	@Test
	void closesARange() {
		this.api.post(this.session + "/close-range", "{\"first\":1,\"last\":4294967295}").is(200, "{\"closed\":2}");
		this.api.post(this.session + "/close-range", "{\"first\":1,\"last\":-1}").is(200, "{\"closed\":0}");
		this.api.post(this.session + "/close-range", "{\"first\":0,\"last\":0,\"flags\":[\"CLOSE_RANGE_CLOEXEC\"]}")
			.is(200, "{\"closed\":0}");
		assertThat(this.api.get(this.fds + "/0").json().path("closeOnExec").asBoolean()).isTrue();
	}

	@Test
	void closesARangeInATableOfItsOwn() {
		String child = this.api.fork(this.session, true);
		this.api.post(child + "/close-range", "{\"first\":1,\"last\":2,\"flags\":[\"CLOSE_RANGE_UNSHARE\"]}").is(200);
		this.api.get(child + "/fds/1").isErrno(404, Errno.EBADF);
		this.api.get(this.fds + "/1").is(200);
	}

	@Test
	void refusesARangeThatIsNone() {
		this.api.post(this.session + "/close-range", "{\"first\":2,\"last\":1}")
			.isErrno(422, Errno.EINVAL, "close_range");
		this.api.post(this.session + "/close-range", "{\"first\":-1,\"last\":1}")
			.isErrno(422, Errno.EINVAL, "close_range");
		this.api.post(this.session + "/close-range", "{\"first\":1,\"last\":2,\"flags\":[\"8\"]}")
			.isErrno(422, Errno.EINVAL, "close_range");
		this.api.post(this.session + "/close-range", "{\"first\":1,\"last\":2,\"flags\":[\"O_CLOEXEC\"]}")
			.isMalformedAt("/flags/0");
	}

	// Numbers in paths

	@ParameterizedTest
	@ValueSource(strings = { "-1", "4294967295", "2147483648", "-2147483648", "1024", "999999" })
	void numbersOf32BitsReachTheModel(String fd) {
		this.api.get(this.fds + "/" + fd).isErrno(404, Errno.EBADF);
		this.api.delete(this.fds + "/" + fd).isErrno(404, Errno.EBADF, "close");
		this.api.post(this.fds + "/" + fd + "/dup", null).isErrno(404, Errno.EBADF, "dup");
		this.api.post(this.fds + "/0/dup2", "{\"newFd\":" + fd + "}").isErrno(404, Errno.EBADF, "dup2");
	}

	@ParameterizedTest
	@ValueSource(strings = { "4294967296", "-2147483649", "99999999999999999999", "abc", "-0", "03", "00", "+3", "3.0",
			"3e0", "0x3", "3L", "1_0", "3%20", "%203", "%D9%A3", "%EF%BC%93", "null", "3,4", "-", "--1", "NaN" })
	void anythingElseIsMalformed(String fd) {
		this.api.get(this.fds + "/" + fd).isMalformedAt("fd");
		this.api.delete(this.fds + "/" + fd).isMalformedAt("fd");
		this.api.post(this.fds + "/" + fd + "/dup", null).isMalformedAt("fd");
		assertThat(this.api.get(this.fds).json().path("fds").size()).isEqualTo(3);
	}

	@Test
	void anEncodedDigitIsTheDigit() {
		assertThat(this.api.get(this.fds + "/%32").is(200).fd()).isEqualTo(2);
	}

}
