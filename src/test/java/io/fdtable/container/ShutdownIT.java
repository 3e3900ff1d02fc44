package io.fdtable.container;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import io.fdtable.web.StreamingClient;
import org.junit.jupiter.api.Test;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the end of the service: after SIGTERM it takes no new request, answers every one
 * that it has taken, ends streams that would not end by themselves, and is gone within
 * the grace period of the Kubernetes deployment.
 */
@Testcontainers(disabledWithoutDocker = true)
class ShutdownIT {

	private static final int HELD_REQUESTS = 32;

	private static final int LOAD_CLIENTS = 16;

	private static final int LINES_AFTER_SIGTERM = 1000;

	private static final String BODY = "{\"label\":\"held\"}";

	/** The JVM's exit status after SIGTERM; 137 would be SIGKILL. */
	private static final long ENDED_BY_SIGTERM = 143;

	/** What the deployment grants, without preStop. */
	private static final int GRACE_SECONDS = 25;

	@Container
	private final FdTableContainer container = new FdTableContainer()
		// On a busy machine the held requests may take longer than a client is usually
		// given.
		.withEnv("SERVER_TOMCAT_CONNECTION_TIMEOUT", "60s");

	private final HttpClient client = HttpClient.newHttpClient();

	private final AtomicBoolean isSignalled = new AtomicBoolean();

	private final ConcurrentLinkedQueue<Integer> loadStatuses = new ConcurrentLinkedQueue<>();

	@Test
	void everyRequestThatWasTakenIsAnsweredAfterSigterm() throws Exception {
		String fds = createSession() + "/fds";
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			List<Future<?>> load = new ArrayList<>();
			IntStream.range(0, LOAD_CLIENTS).forEach((i) -> load.add(threads.submit(() -> {
				postUntilTheEnd(fds);
				return null;
			})));
			List<Socket> held = new ArrayList<>();
			for (int i = 0; i < HELD_REQUESTS; i++) {
				held.add(beginRequest(fds));
			}

			this.isSignalled.set(true);
			docker().killContainerCmd(this.container.getContainerId()).withSignal("TERM").exec();
			for (Future<?> future : load) {
				future.get();
			}
			assertThat(this.loadStatuses).contains(201).allMatch((status) -> status == 201 || status == 503);

			for (Socket socket : held) {
				assertThat(finishRequest(socket)).startsWith("HTTP/1.1 201").contains("\"label\":\"held\"");
			}
		}
		assertThat(exitStatus()).isEqualTo(ENDED_BY_SIGTERM);
	}

	@Test
	void streamsEndAndABatchIsAnsweredToItsEndAfterSigterm() throws Exception {
		String session = createSession();
		HttpResponse<InputStream> serverSentEvents = watch(session, "text/event-stream");
		HttpResponse<InputStream> lines = watch(session, "application/x-ndjson");
		try (StreamingClient batch = batch(session); StreamingClient endless = batch(session)) {
			assertThat(call(batch)).isEqualTo("{\"ret\":3}");
			assertThat(call(endless)).isEqualTo("{\"ret\":4}");

			docker().killContainerCmd(this.container.getContainerId()).withSignal("TERM").exec();
			// A stream that broke off, without its last chunk, would be an IOException.
			String opened = "\"call\":\"open\"";
			assertThat(text(serverSentEvents)).containsOnlyOnce("id: 1").contains("id: 2").endsWith("\n\n");
			assertThat(text(lines).lines().filter((line) -> line.contains(opened))).hasSize(2);

			for (int fd = 5; fd < 5 + LINES_AFTER_SIGTERM; fd++) {
				assertThat(call(batch)).isEqualTo("{\"ret\":" + fd + "}");
			}
			batch.endRequest();
			assertThat(batch.read()).isEqualTo(-1);
			// The other one never ends its request, which must not hold up the end.
			assertThat(exitStatus()).isEqualTo(ENDED_BY_SIGTERM);
		}
	}

	private HttpResponse<InputStream> watch(String session, String mediaType) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(this.container.uri(session + "/events"))
			.header("Accept", mediaType)
			.build();
		HttpResponse<InputStream> response = this.client.send(request, BodyHandlers.ofInputStream());
		assertThat(response.statusCode()).isEqualTo(200);
		return response;
	}

	private static String text(HttpResponse<InputStream> response) throws IOException {
		try (InputStream body = response.body()) {
			return new String(body.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	private StreamingClient batch(String session) throws IOException {
		return new StreamingClient(this.container.port(), session + "/batch", "application/x-ndjson");
	}

	private static String call(StreamingClient batch) throws IOException {
		batch.send("{\"call\":\"open\"}\n");
		return batch.line();
	}

	private String createSession() throws IOException, InterruptedException {
		// Room for whatever the load clients manage.
		HttpResponse<String> response = post("/v1/sessions",
				"{\"limits\":{\"nofile\":{\"soft\":1048576,\"hard\":1048576}}}");
		assertThat(response.statusCode()).isEqualTo(201);
		return response.headers().firstValue("Location").orElseThrow();
	}

	/** Posts until the service takes no more, which it may say or just show. */
	private void postUntilTheEnd(String path) throws InterruptedException {
		boolean goesOn = true;
		while (goesOn) {
			try {
				int status = post(path, "{}").statusCode();
				this.loadStatuses.add(status);
				goesOn = status == 201;
			}
			catch (IOException ex) {
				assertThat(this.isSignalled).as("a broken connection before the signal: " + ex).isTrue();
				goesOn = false;
			}
		}
	}

	private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
		URI uri = this.container.uri(path);
		HttpRequest request = HttpRequest.newBuilder(uri)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(body))
			.build();
		return this.client.send(request, BodyHandlers.ofString());
	}

	/**
	 * Sends all but the body. The service says that it has taken the request, because it
	 * is asked to.
	 */
	private Socket beginRequest(String path) throws IOException {
		Socket socket = new Socket(this.container.getHost(), this.container.port());
		String head = """
				POST %s HTTP/1.1
				Host: localhost
				Content-Type: application/json
				Content-Length: %d
				Expect: 100-continue
				Connection: close

				""".formatted(path, BODY.length()).replace("\n", "\r\n");
		socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
		String expected = "HTTP/1.1 100 \r\n\r\n";
		InputStream in = socket.getInputStream();
		assertThat(new String(in.readNBytes(expected.length()), StandardCharsets.US_ASCII)).isEqualTo(expected);
		return socket;
	}

	private static String finishRequest(Socket socket) throws IOException {
		try (socket) {
			socket.getOutputStream().write(BODY.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	private Long exitStatus() throws InterruptedException {
		String id = this.container.getContainerId();
		assertThat(docker().waitContainerCmd(id)
			.exec(new ResultCallback.Adapter<>())
			.awaitCompletion(GRACE_SECONDS, TimeUnit.SECONDS)).isTrue();
		return docker().inspectContainerCmd(id).exec().getState().getExitCodeLong();
	}

	private DockerClient docker() {
		return this.container.getDockerClient();
	}

}
