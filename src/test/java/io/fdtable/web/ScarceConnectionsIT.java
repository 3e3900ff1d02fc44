package io.fdtable.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards that connections that idle keep nobody out. */
@ServerTest
@TestPropertySource(properties = "server.tomcat.max-connections=8")
class ScarceConnectionsIT {

	private static final int TIMEOUT_MILLIS = 10_000;

	@Autowired
	private Api api;

	@Test
	void whoeverComesWhenMostAreTakenIsAnsweredAndLetGo() throws IOException {
		List<Socket> idle = new ArrayList<>();
		try {
			for (int i = 0; i < 30; i++) {
				Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.api.port());
				socket.setSoTimeout(TIMEOUT_MILLIS);
				idle.add(socket);
				socket.getOutputStream()
					.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
				byte[] answer = socket.getInputStream().readNBytes(12);
				assertThat(new String(answer, StandardCharsets.ISO_8859_1)).isEqualTo("HTTP/1.1 200");
			}
			// The last one is let go, so there is an end to read.
			assertThat(new String(idle.getLast().getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
				.contains("\r\nConnection: close\r\n");
		}
		finally {
			for (Socket socket : idle) {
				socket.close();
			}
		}
	}

}
