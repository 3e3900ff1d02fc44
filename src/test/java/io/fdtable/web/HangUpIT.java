package io.fdtable.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.fdtable.session.SessionRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that a client that hangs up in the middle of its request, or sends a body that
 * its framing does not fit, is no fault of the service: nothing in the log, and nothing
 * kept.
 */
@ServerTest
@ExtendWith(OutputCaptureExtension.class)
class HangUpIT {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	@Autowired
	private Api api;

	@Autowired
	private SessionRegistry registry;

	private static String request(String path, String type, String rest) {
		return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type + "\r\n" + rest;
	}

	static Stream<List<String>> uploads() {
		return Stream
			.of("Content-Length: 1000000\r\n\r\nx\n" + "x".repeat(500_000),
					"Transfer-Encoding: chunked\r\n\r\n2\r\nx\n\r\n", "Transfer-Encoding: chunked\r\n\r\n200\r\nx\n")
			.flatMap((rest) -> Stream.of(List.of("/v1/traces", "text/plain", rest),
					List.of("/batch", "application/x-ndjson", rest), List.of("/batch", "application/json", rest),
					List.of("/fds", "application/json", rest)));
	}

	@ParameterizedTest
	@MethodSource("uploads")
	void aClientThatHangsUpLeavesNothing(List<String> upload, CapturedOutput output) throws Exception {
		String session = this.api.session();
		String path = upload.getFirst().equals("/v1/traces") ? "/v1/traces" : session + upload.getFirst();
		long before = this.registry.sysctl().memory();
		for (boolean isReset : new boolean[] { false, true }) {
			try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.api.port())) {
				socket.getOutputStream()
					.write(request(path, upload.get(1), upload.get(2)).getBytes(StandardCharsets.ISO_8859_1));
				if (isReset) {
					socket.setSoLinger(true, 0);
				}
			}
		}
		waitUntil(() -> this.registry.sysctl().memory() == before && traces() == 0);
		assertThat(this.api.get(session + "/fds").is(200).json().path("fds").size()).isEqualTo(3);
		this.api.delete(session).is(204);
		assertThat(output.getAll()).doesNotContain("unexpectedly", " ERROR ", " WARN ");
	}

	private int traces() {
		return this.api.get("/v1/traces").is(200).json().path("traces").size();
	}

	private static void waitUntil(java.util.function.BooleanSupplier condition) throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		do {
			// Whatever comes of a hang-up has come by then: the request has ended.
			Thread.sleep(100);
		}
		while (!condition.getAsBoolean() && System.nanoTime() < deadline);
		assertThat(condition.getAsBoolean()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 100\r\n\r\nx\n", "Transfer-Encoding: chunked\r\n\r\n200\r\nx\n" })
	void aLogThatBreaksOffIsMalformed(String rest, CapturedOutput output) throws IOException {
		assertThat(halfClosed(request("/v1/traces", "text/plain", rest))).contains("HTTP/1.1 400 ",
				"/problems/malformed-request");
		assertThat(output.getAll()).doesNotContain("unexpectedly");
	}

	@Test
	void aLogWhoseChunksAreNoneIsMalformed(CapturedOutput output) throws IOException {
		assertThat(halfClosed(request("/v1/traces", "text/plain", "Transfer-Encoding: chunked\r\n\r\nzz\r\n")))
			.contains("HTTP/1.1 400 ", "/problems/malformed-request");
		assertThat(output.getAll()).doesNotContain("unexpectedly");
	}

	/** Sends no more, but reads what the server has to say. */
	private String halfClosed(String request) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.api.port())) {
			socket.setSoTimeout(20_000);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
			socket.shutdownOutput();
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	@Test
	void aReaderOfEventsThatHangsUpLeavesNothing(CapturedOutput output) throws Exception {
		String session = this.api.session();
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.api.port())) {
			socket.getOutputStream()
				.write(("GET " + session + "/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
					.getBytes(StandardCharsets.ISO_8859_1));
			assertThat(socket.getInputStream().read()).isEqualTo('H');
			socket.setSoLinger(true, 0);
		}
		for (int i = 0; i < 100; i++) {
			this.api.open(session);
		}
		this.api.delete(session).is(204);
		assertThat(output.getAll()).doesNotContain("unexpectedly", " ERROR ", " WARN ");
	}

}
