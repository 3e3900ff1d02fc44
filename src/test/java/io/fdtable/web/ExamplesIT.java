package io.fdtable.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.fdtable.kernel.Errno;
import io.fdtable.web.openapi.Errnos;
import io.fdtable.web.problem.ErrnoStatus;
import io.swagger.v3.oas.annotations.Operation;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the examples of the API's description: the service takes the requests as they
 * stand there, and its answers have just the members that stand there; every operation
 * says what it does and shows an answer and a problem for each of its errnos.
 */
@ServerTest
class ExamplesIT {

	private static final JsonMapper JSON = new JsonMapper();

	private static final String TREE = "mfrggzdfmztwq2lknnwg23tpob";

	@Autowired
	private Api api;

	@Autowired
	private RequestMappingHandlerMapping requestMappingHandlerMapping;

	private final Set<String> told = new TreeSet<>();

	private String tree = TREE;

	private static JsonNode examples(String operation) throws IOException {
		return JSON.readTree(
				new ClassPathResource("openapi/" + operation + ".json").getContentAsString(StandardCharsets.UTF_8));
	}

	/** Sends the example of a request and compares the answer with its example. */
	private Reply tell(String operation, HttpMethod method, String path) throws IOException {
		JsonNode examples = examples(operation);
		String body = examples.has("request") ? examples.path("request").toString().replace(TREE, this.tree) : null;
		return compare(operation, this.api.send(method, path, body));
	}

	private void tellExactly(String operation, String path) throws IOException {
		assertThat(tell(operation, HttpMethod.GET, path).json()).isEqualTo(examples(operation).path("response"));
	}

	private Reply compare(String operation, Reply reply) throws IOException {
		this.told.add(operation);
		JsonNode examples = examples(operation);
		assertThat(reply.status()).as("%s: %s", operation, reply.text()).isBetween(200, 204);
		if (examples.has("response")) {
			assertThat(members(reply.json())).as(operation).isEqualTo(members(examples.path("response")));
		}
		else {
			assertThat(reply.text()).as(operation).isEmpty();
		}
		return reply;
	}

	/** Returns the names of all members of all objects, but not what they are. */
	private static Object members(JsonNode node) {
		if (node.isArray() && !node.isEmpty() && node.get(0).isContainer()) {
			return List.of(members(node.get(0)));
		}
		if (!node.isObject()) {
			return "";
		}
		Map<String, Object> members = new TreeMap<>();
		node.properties()
			.forEach((member) -> members.put(member.getKey(),
					// Counters by name: which there are depends on what has been called.
					member.getKey().equals("calls") ? "" : members(member.getValue())));
		return members;
	}

	private void assertText(String operation, String path) throws IOException {
		assertThat(this.api.get(path, HttpHeaders.ACCEPT, "text/plain").is(200).text())
			.isEqualTo(examples(operation).path("text").asString());
	}

	@Test
	void theServiceTakesTheRequestsAndGivesTheAnswersThatStandThere() throws IOException {
		Reply created = tell("createSession", HttpMethod.POST, Api.SESSIONS);
		String session = Objects.requireNonNull(created.header(HttpHeaders.LOCATION));
		String fds = session + "/fds";
		this.tree = created.json().path("tree").asString();
		tell("listSessions", HttpMethod.GET, Api.SESSIONS + "?pageSize=1024");
		tell("getSession", HttpMethod.GET, session);
		tell("openFd", HttpMethod.POST, fds);
		tell("getFd", HttpMethod.GET, fds + "/3");
		tell("listFds", HttpMethod.GET, fds);
		tell("getBitmap", HttpMethod.GET, session + "/bitmap");
		assertText("getBitmap", session + "/bitmap");
		tell("getStatistics", HttpMethod.GET, session + "/statistics");
		tell("getServiceStatistics", HttpMethod.GET, "/v1/statistics");
		tell("writeFd", HttpMethod.POST, fds + "/3/write");
		Reply info = tell("getFdInfo", HttpMethod.GET, fds + "/3/info");
		assertThat(info.json()).isEqualTo(examples("getFdInfo").path("response"));
		assertText("getFdInfo", fds + "/3/info");
		tell("lseekFd", HttpMethod.POST, fds + "/3/lseek");
		Reply read = tell("readFd", HttpMethod.POST, fds + "/3/read");
		assertThat(read.json()).isEqualTo(examples("readFd").path("response"));
		tell("dupFd", HttpMethod.POST, fds + "/3/dup");
		tell("dup2Fd", HttpMethod.POST, fds + "/3/dup2");
		tell("dup3Fd", HttpMethod.POST, fds + "/3/dup3");
		tell("fcntlFd", HttpMethod.POST, fds + "/3/fcntl");
		tell("createPipe", HttpMethod.POST, session + "/pipe");
		tellOfTwoProcesses(session);
		tellOfSockets();
		tellOfATrace();
		tellOfReservations();
		tellOfABatch();
		tellOfEvents();
		tell("setLimits", HttpMethod.PUT, session + "/limits");
		tell("getLimits", HttpMethod.GET, session + "/limits");
		tell("closeRange", HttpMethod.POST, session + "/close-range");
		tell("execSession", HttpMethod.POST, session + "/exec");
		assertThat(this.told).as("operations with examples that this story does not tell yet").isEqualTo(written());
	}

	private void tellOfTwoProcesses(String session) throws IOException {
		String child = Objects
			.requireNonNull(tell("forkSession", HttpMethod.POST, session + "/fork").header(HttpHeaders.LOCATION));
		tell("sendFds", HttpMethod.POST, session + "/messages");
		tell("receiveFds", HttpMethod.POST, child + "/messages/receive");
		tell("pidfdGetfd", HttpMethod.POST, child + "/getfd");
		tell("unshareFiles", HttpMethod.POST, this.api.fork(session, true) + "/unshare");
	}

	private void tellOfSockets() throws IOException {
		for (String end : new String[] { "connectFd", "shutdownFd" }) {
			String fds = this.api.session() + "/fds";
			this.api.post(fds, "{\"kind\":\"SOCKET\"}").is(201);
			tell("listenFd", HttpMethod.POST, fds + "/3/listen");
			Reply accept = tell("acceptFd", HttpMethod.POST, fds + "/3/accept");
			assertThat(accept.json()).isEqualTo(examples("acceptFd").path("response"));
			this.api.post(fds, "{\"kind\":\"SOCKET\"}").is(201);
			Reply ended = end.equals("connectFd") ? tell(end, HttpMethod.POST, fds + "/5/connect")
					: tell(end, HttpMethod.POST, fds + "/3/shutdown");
			assertThat(ended.json()).isEqualTo(examples(end).path("response"));
		}
	}

	private void tellOfReservations() throws IOException {
		String session = this.api.session();
		Reply reserved = tell("reserveFd", HttpMethod.POST, session + "/reservations");
		// The example of a token is as long as that of a tree.
		this.tree = reserved.json().path("token").asString();
		tell("installFd", HttpMethod.PUT, session + "/reservations/10");
	}

	private void tellOfABatch() throws IOException {
		Reply reply = tell("runBatch", HttpMethod.POST, this.api.session() + "/batch");
		assertThat(reply.json()).isEqualTo(examples("runBatch").path("response"));
	}

	private void tellOfEvents() throws IOException {
		String session = this.api.session();
		tell("openFd", HttpMethod.POST, session + "/fds");
		this.api.delete(session + "/fds/3").is(204);
		compareLines(session, "text/event-stream", examples("streamEvents").path("sse"));
		compareLines(session, "application/x-ndjson", examples("streamEvents").path("ndjson"));
		this.told.add("streamEvents");
	}

	private void compareLines(String session, String accept, JsonNode example) throws IOException {
		URLConnection connection = URI.create("http://localhost:" + this.api.port() + session + "/events?since=0")
			.toURL()
			.openConnection();
		connection.setRequestProperty(HttpHeaders.ACCEPT, accept);
		connection.setReadTimeout(10_000);
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
			for (String expected : example.asString().lines().toList()) {
				assertThat(form(lines.readLine())).isEqualTo(form(expected));
			}
		}
	}

	/**
	 * Returns what stands before the JSON of a line, without numbers, and its members.
	 */
	private static List<Object> form(String line) {
		int start = line.indexOf('{');
		String before = ((start < 0) ? line : line.substring(0, start)).replaceAll("[0-9]+", "n");
		return (start < 0) ? List.of(before) : List.of(before, members(JSON.readTree(line.substring(start))));
	}

	/** The examples tell of a log that the tests have, so their values are known too. */
	private void tellOfATrace() throws IOException {
		String log = new ClassPathResource("traces/leaky.strace").getContentAsString(StandardCharsets.UTF_8);
		Reply created = compare("createTrace",
				this.api.post("/v1/traces", log, HttpHeaders.CONTENT_TYPE, "text/plain").is(201));
		String trace = Objects.requireNonNull(created.header(HttpHeaders.LOCATION));
		tell("listTraces", HttpMethod.GET, "/v1/traces");
		tell("getTrace", HttpMethod.GET, trace);
		assertText("getTrace", trace);
		tellExactly("getTracedTable", trace + "/processes/15692/fds?line=186");
		tellExactly("getTracedDiff", trace + "/processes/15691/diff?from=180&to=255");
		tellExactly("getTracedHistory", trace + "/processes/15691/fds/9/history");
		tell("getTraceWhatIf", HttpMethod.GET, trace + "/what-if?nofile=12");
		this.api.delete(trace).is(204);
	}

	private static Set<String> written() throws IOException {
		Set<String> names = new TreeSet<>();
		for (Resource resource : new PathMatchingResourcePatternResolver().getResources("classpath:openapi/*.json")) {
			names.add(Objects.requireNonNull(resource.getFilename()).replace(".json", ""));
		}
		return names;
	}

	// The description

	private Map<String, JsonNode> operations() {
		Map<String, JsonNode> operations = new TreeMap<>();
		this.api.get("/v3/api-docs")
			.is(200)
			.json()
			.path("paths")
			.properties()
			.stream()
			// The tests bring a controller of their own.
			.filter((path) -> path.getKey().startsWith("/v1/"))
			.flatMap((path) -> path.getValue().properties().stream())
			.forEach((method) -> assertThat(
					operations.put(method.getValue().path("operationId").asString(), method.getValue()))
				.as("operations of one id")
				.isNull());
		return operations;
	}

	@Test
	void everyOperationSaysWhatItDoesAndShowsItsAnswer() {
		Map<String, JsonNode> operations = operations();
		assertThat(operations).hasSizeGreaterThan(30);
		List<String> missing = new ArrayList<>();
		operations.forEach((name, operation) -> {
			assertThat(name).matches("[a-z][A-Za-z0-9]+");
			assertThat(operation.path("summary").asString("")).as(name).isNotBlank();
			operation.path("responses").properties().forEach((response) -> {
				if (response.getKey().startsWith("2")) {
					response.getValue().path("content").properties().forEach((media) -> {
						if (media.getValue().path("examples").isEmpty()) {
							missing.add(name + " " + response.getKey() + " " + media.getKey());
						}
					});
				}
			});
		});
		assertThat(missing).as("answers without an example").isEmpty();
	}

	@Test
	void everyErrnoOfAnOperationHasAProblemAsItsExample() {
		Map<String, JsonNode> operations = operations();
		int errnos = 0;
		for (HandlerMethod method : this.requestMappingHandlerMapping.getHandlerMethods().values()) {
			Errnos declared = method.getMethodAnnotation(Errnos.class);
			Operation operation = method.getMethodAnnotation(Operation.class);
			if (declared == null || operation == null) {
				continue;
			}
			JsonNode responses = operations.get(operation.operationId()).path("responses");
			for (Errno errno : declared.value()) {
				int status = ErrnoStatus.of(errno).value();
				JsonNode problem = responses.path(Integer.toString(status))
					.path("content")
					.path("application/problem+json")
					.path("examples")
					.path(errno.name())
					.path("value");
				assertThat(problem.path("errno").asString("")).as("%s %s", operation.operationId(), errno)
					.isEqualTo(errno.name());
				assertThat(problem.path("status").asInt()).isEqualTo(status);
				assertThat(problem.path("type").asString())
					.isEqualTo("/problems/" + errno.name().toLowerCase(Locale.ROOT));
				assertThat(problem.path("detail").asString()).isNotBlank();
				errnos++;
			}
		}
		assertThat(errnos).isGreaterThan(100);
	}

}
