package io.fdtable.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

import io.fdtable.trace.StoredTrace;
import io.fdtable.trace.TraceRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the endpoints for traces: a log comes in as curl sends it, and each question
 * gets its answer or a problem.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "fdtable.trace.max=6", "fdtable.trace.max-size=3MB" })
@AutoConfigureRestTestClient
class TraceControllerTest {

	@Autowired
	private RestTestClient client;

	@Autowired
	private TraceRegistry registry;

	@Test
	void aLogBecomesAReport() throws IOException {
		URI trace = post(log("leaky.strace"), MediaType.TEXT_PLAIN);
		this.client.get()
			.uri(trace)
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.lines")
			.isEqualTo(256)
			.jsonPath("$.divergences.length()")
			.isEqualTo(0)
			.jsonPath("$.inherited[5].origin.file")
			.isEqualTo("/srv/demo/secret")
			.jsonPath("$.inherited[5].origin.line")
			.isEqualTo(174);
		this.client.get()
			.uri(trace + "/processes/15691/fds?line=154")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.fds.length()")
			.isEqualTo(6);
		this.client.get()
			.uri(trace + "/processes/15691/diff?from=180&to=255")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.opened[0].fd")
			.isEqualTo(12);
		this.client.get()
			.uri(trace + "/processes/15691/fds/9/history")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.tenures[1].from")
			.isEqualTo(218);
		this.client.get()
			.uri(trace + "/what-if?nofile=12")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.limit.failures[0].line")
			.isEqualTo(228);
		this.client.get().uri(trace + "/processes/1/fds?line=9").exchange().expectStatus().isNotFound();
		this.client.delete().uri(trace).exchange().expectStatus().isNoContent();
		this.client.get().uri(trace).exchange().expectStatus().isNotFound();
	}

	@Test
	void gzipIsRecognisedWhateverItIsCalled() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
			gzip.write(log("leaky.strace"));
		}
		URI trace = post(bytes.toByteArray(), MediaType.APPLICATION_FORM_URLENCODED);
		this.client.get().uri(trace).exchange().expectBody().jsonPath("$.lines").isEqualTo(256);
		this.client.delete().uri(trace).exchange().expectStatus().isNoContent();
	}

	@Test
	void aBombIsRefusedAndLeavesNothing() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
			for (int i = 0; i < 100; i++) {
				gzip.write(new byte[1 << 20]);
			}
		}
		this.client.post()
			.uri("/v1/traces")
			.body(bytes.toByteArray())
			.exchange()
			.expectStatus()
			.isEqualTo(413)
			.expectBody()
			.jsonPath("$.type")
			.isEqualTo("/problems/payload-too-large");
	}

	@Test
	void gzipThatIsCutOffIsTheSendersFault() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
			gzip.write(log("leaky.strace"));
		}
		for (int length : new int[] { 2, 30, bytes.size() - 4 }) {
			this.client.post()
				.uri("/v1/traces")
				.body(Arrays.copyOf(bytes.toByteArray(), length))
				.exchange()
				.expectStatus()
				.isBadRequest();
		}
	}

	@Test
	void aTraceThatIsDeletedDuringAQuestionIsNotFound() throws IOException {
		URI trace = post(log("leaky.strace"), MediaType.TEXT_PLAIN);
		StoredTrace stored = this.registry.find(trace.getPath().substring("/v1/traces/".length()));
		stored.trace().close();
		this.client.get()
			.uri(trace + "/processes/15691/fds?line=154")
			.exchange()
			.expectStatus()
			.isNotFound()
			.expectBody()
			.jsonPath("$.detail")
			.value((Object detail) -> assertThat(detail.toString()).startsWith("the trace was deleted meanwhile"));
		this.client.delete().uri(trace).exchange().expectStatus().isNoContent();
	}

	@Test
	void brokenGzipIsTheSendersFault() {
		this.client.post()
			.uri("/v1/traces")
			.body(new byte[] { 0x1f, (byte) 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
			.exchange()
			.expectStatus()
			.isBadRequest();
	}

	@Test
	void aTerminalGetsText() throws IOException {
		String text = new String(this.client.post()
			.uri("/v1/traces")
			.accept(MediaType.TEXT_PLAIN)
			.body(log("leaky.strace"))
			.exchange()
			.expectStatus()
			.isCreated()
			.returnResult(byte[].class)
			.getResponseBody(), StandardCharsets.UTF_8);
		assertThat(text).contains("into /usr/bin/sleep 0 (pid 15691, exec at line 236)");
	}

	private URI post(byte[] log, MediaType type) {
		return this.client.post()
			.uri("/v1/traces")
			.contentType(type)
			.body(log)
			.exchange()
			.expectStatus()
			.isCreated()
			.returnResult(byte[].class)
			.getResponseHeaders()
			.getLocation();
	}

	private static byte[] log(String name) throws IOException {
		try (InputStream in = TraceControllerTest.class.getResourceAsStream("/traces/" + name)) {
			return in.readAllBytes();
		}
	}

}
