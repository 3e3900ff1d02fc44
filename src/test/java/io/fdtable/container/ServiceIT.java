package io.fdtable.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.github.dockerjava.api.command.InspectContainerResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.junit.jupiter.Testcontainers;
import tools.jackson.databind.JsonNode;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the service in its image, over HTTP: the story that the README tells with curl,
 * many clients on one table, and as many sessions as there may be within the memory that
 * the Kubernetes deployment grants.
 */
@Testcontainers(disabledWithoutDocker = true)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ServiceIT {

	private static final int CLIENTS = 64;

	private static final int STDIO = 3;

	private static final FdTableContainer container = FdTableContainer.SHARED;

	private static RestTestClient client;

	@BeforeAll
	static void connect() {
		container.start();
		client = RestTestClient.bindToServer(new JdkClientHttpRequestFactory())
			.baseUrl(container.uri("/v1").toString())
			.build();
	}

	@Test
	void aProcessOpensClosesDuplicatesForksAndExecs() {
		String parent = create("{}");
		assertThat(open(parent, """
				{"path":"/data/log","kind":"REGULAR","flags":["O_RDWR","O_CREAT","O_CLOEXEC"]}""")).isEqualTo(3);
		assertThat(open(parent, "{}")).isEqualTo(4);
		assertThat(open(parent, "{}")).isEqualTo(5);
		close(parent, 4);
		assertThat(open(parent, "{}")).isEqualTo(4);

		JsonNode duplicate = post("/sessions/" + parent + "/fds/5/dup2", "{\"newFd\":70}", HttpStatus.OK);
		assertThat(duplicate.get("fd").asInt()).isEqualTo(70);
		assertThat(duplicate.get("replaced").asBoolean()).isFalse();

		String child = post("/sessions/" + parent + "/fork", "{}", HttpStatus.CREATED).get("id").asString();
		assertThat(child).isEqualTo(parent.replaceFirst("-1$", "-2"));
		assertThat(fds(child)).containsExactly(0, 1, 2, 3, 4, 5, 70);

		JsonNode exec = post("/sessions/" + child + "/exec", "{}", HttpStatus.OK);
		assertThat(exec.get("closed").valueStream().map(JsonNode::asInt)).containsExactly(3);
		assertThat(fds(child)).containsExactly(0, 1, 2, 4, 5, 70);
		assertThat(fds(parent)).containsExactly(0, 1, 2, 3, 4, 5, 70);

		JsonNode bitmap = get("/sessions/" + parent + "/bitmap");
		assertThat(bitmap.get("capacity").asInt()).isEqualTo(128);
		assertThat(strings(bitmap.get("openFds"))).containsExactly("0x000000000000003f", "0x0000000000000040");
		assertThat(strings(get("/sessions/" + child + "/bitmap").get("openFds"))).containsExactly("0x0000000000000037",
				"0x0000000000000040");

		JsonNode problem = problem("/sessions/" + parent + "/fds/6", HttpStatus.NOT_FOUND);
		assertThat(problem.get("errno").asString()).isEqualTo("EBADF");
		exit(child);
		exit(parent);
		assertThat(problem("/sessions/" + parent, HttpStatus.NOT_FOUND).get("errno").asString()).isEqualTo("ESRCH");
	}

	@Test
	void clientsInParallelAreGivenEachNumberOnceAndNoneIsSkipped() throws Exception {
		int each = 25;
		String session = create("{\"limits\":{\"nofile\":{\"soft\":4096,\"hard\":4096}}}");
		Set<Integer> given = ConcurrentHashMap.newKeySet();
		inParallel(CLIENTS, () -> {
			for (int i = 0; i < each; i++) {
				assertThat(given.add(open(session, "{}"))).isTrue();
			}
			return null;
		});
		int end = STDIO + CLIENTS * each;
		assertThat(given).hasSize(CLIENTS * each).allMatch((fd) -> fd >= STDIO && fd < end);

		// Now each gives back what it is given, so that numbers go from hand to hand.
		Set<Integer> held = ConcurrentHashMap.newKeySet();
		inParallel(CLIENTS, () -> {
			for (int i = 0; i < each; i++) {
				int fd = open(session, "{}");
				assertThat(fd).isBetween(end, end + CLIENTS - 1);
				assertThat(held.add(fd)).isTrue();
				held.remove(fd);
				close(session, fd);
			}
			return null;
		});
		assertThat(open(session, "{}")).isEqualTo(end);
		JsonNode calls = get("/sessions/" + session + "/statistics").get("calls");
		assertThat(calls.at("/openat/ok").asInt()).isEqualTo(2 * CLIENTS * each + 1);
		assertThat(calls.at("/close/ok").asInt()).isEqualTo(CLIENTS * each);
		exit(session);
	}

	@Test
	@Order(Integer.MAX_VALUE)
	void asManySessionsAsThereMayBeFitIntoTheMemoryLimit() throws Exception {
		JsonNode before = get("/statistics");
		int free = before.get("maxSessions").asInt() - before.get("sessions").asInt();
		assertThat(before.get("maxSessions").asInt()).isEqualTo(10_000);
		AtomicInteger left = new AtomicInteger(free);
		inParallel(16, () -> {
			while (left.getAndDecrement() > 0) {
				open(create("{}"), "{}");
			}
			return null;
		});
		assertThat(post("/sessions", "{}", HttpStatus.SERVICE_UNAVAILABLE).get("errno").asString()).isEqualTo("ENFILE");

		JsonNode after = get("/statistics");
		assertThat(after.get("sessions").asInt()).isEqualTo(10_000);
		assertThat(after.get("openFiles").asInt() - before.get("openFiles").asInt()).isGreaterThanOrEqualTo(2 * free);
		InspectContainerResponse inspection = container.getDockerClient()
			.inspectContainerCmd(container.getContainerId())
			.exec();
		assertThat(inspection.getHostConfig().getMemory()).isEqualTo(FdTableContainer.MEMORY_BYTES);
		assertThat(inspection.getState().getRunning()).isTrue();
		assertThat(inspection.getState().getOOMKilled()).isFalse();
		// Heap and everything beside it: some of the limit is still left for the traffic
		// to come.
		assertThat(anonymousMemoryBytes()).isLessThan(FdTableContainer.MEMORY_BYTES * 9 / 10);
	}

	private static long anonymousMemoryBytes() throws Exception {
		ExecResult status = container.execInContainer("cat", "/proc/1/status");
		return status.getStdout()
			.lines()
			.filter((line) -> line.startsWith("RssAnon:"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
			.findFirst()
			.orElseThrow();
	}

	private static void inParallel(int clients, Callable<?> work) throws InterruptedException, ExecutionException {
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			List<Future<?>> futures = new ArrayList<>();
			IntStream.range(0, clients).forEach((i) -> futures.add(threads.submit(work)));
			for (Future<?> future : futures) {
				future.get();
			}
		}
	}

	private static String create(String body) {
		return post("/sessions", body, HttpStatus.CREATED).get("id").asString();
	}

	private static int open(String session, String body) {
		return post("/sessions/" + session + "/fds", body, HttpStatus.CREATED).get("fd").asInt();
	}

	private static void close(String session, int fd) {
		client.delete().uri("/sessions/{id}/fds/{fd}", session, fd).exchange().expectStatus().isNoContent();
	}

	private static void exit(String session) {
		client.delete().uri("/sessions/{id}", session).exchange().expectStatus().isNoContent();
	}

	private static List<Integer> fds(String session) {
		return get("/sessions/" + session + "/fds").get("fds")
			.valueStream()
			.map((descriptor) -> descriptor.get("fd").asInt())
			.toList();
	}

	private static List<String> strings(JsonNode array) {
		return array.valueStream().map(JsonNode::asString).toList();
	}

	private static JsonNode get(String path) {
		return client.get()
			.uri(path)
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(JsonNode.class)
			.returnResult()
			.getResponseBody();
	}

	private static JsonNode problem(String path, HttpStatus status) {
		return client.get()
			.uri(path)
			.exchange()
			.expectStatus()
			.isEqualTo(status)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectBody(JsonNode.class)
			.returnResult()
			.getResponseBody();
	}

	private static JsonNode post(String path, String body, HttpStatus status) {
		return client.post()
			.uri(path)
			.contentType(MediaType.APPLICATION_JSON)
			.body(body)
			.exchange()
			.expectStatus()
			.isEqualTo(status)
			.expectBody(JsonNode.class)
			.returnResult()
			.getResponseBody();
	}

}
