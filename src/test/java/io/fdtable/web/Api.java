package io.fdtable.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.test.context.TestComponent;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.test.web.servlet.client.EntityExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient;

/** Talks to the server under test. */
@TestComponent
final class Api {

	static final String SESSIONS = "/v1/sessions";

	private final RestTestClient client;

	private final Environment environment;

	Api(RestTestClient client, Environment environment) {
		this.client = client;
		this.environment = environment;
	}

	int port() {
		return this.environment.getRequiredProperty("local.server.port", Integer.class);
	}

	Reply get(String path, String... headers) {
		return send(HttpMethod.GET, path, null, headers);
	}

	Reply delete(String path, String... headers) {
		return send(HttpMethod.DELETE, path, null, headers);
	}

	Reply post(String path, @Nullable String body, String... headers) {
		return send(HttpMethod.POST, path, body, headers);
	}

	Reply put(String path, @Nullable String body, String... headers) {
		return send(HttpMethod.PUT, path, body, headers);
	}

	/**
	 * Sends a request.
	 * @param path the path as it is to stand in the request line
	 * @param body JSON, unless the headers name another type
	 * @param headers names and values by turns
	 */
	Reply send(HttpMethod method, String path, @Nullable String body, String... headers) {
		RestTestClient.RequestBodySpec request = this.client.method(method)
			.uri(URI.create("http://localhost:" + port() + path));
		request.headers((sent) -> {
			if (body != null) {
				sent.set(HttpHeaders.CONTENT_TYPE, "application/json");
			}
			for (int i = 0; i < headers.length; i += 2) {
				if (headers[i].equals(HttpHeaders.CONTENT_TYPE)) {
					sent.remove(HttpHeaders.CONTENT_TYPE);
				}
				sent.add(headers[i], headers[i + 1]);
			}
		});
		if (body != null) {
			request.body(body.getBytes(StandardCharsets.UTF_8));
		}
		EntityExchangeResult<byte[]> result = request.exchange().returnResult(byte[].class);
		byte[] bytes = Objects.requireNonNullElse(result.getResponseBody(), new byte[0]);
		return new Reply(result.getStatus().value(), result.getResponseHeaders(),
				new String(bytes, StandardCharsets.UTF_8));
	}

	/**
	 * Sends bytes that no client library would send, and reads one response. When the
	 * server hangs up is not awaited: it may read what a client still has to send first.
	 */
	Reply raw(String request) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
			socket.setSoTimeout(10_000);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
			socket.getOutputStream().flush();
			InputStream in = socket.getInputStream();
			ByteArrayOutputStream received = new ByteArrayOutputStream();
			byte[] buffer = new byte[8192];
			for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
				received.write(buffer, 0, read);
				if (isWhole(received.toString(StandardCharsets.ISO_8859_1))) {
					break;
				}
			}
			return parse(received.toString(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isWhole(String response) {
		int end = response.indexOf("\r\n\r\n");
		if (end < 0) {
			return false;
		}
		HttpHeaders headers = headers(response.substring(0, end));
		return isChunked(headers) ? response.endsWith("\r\n0\r\n\r\n")
				: response.length() - end - 4 == headers.getContentLength();
	}

	private static Reply parse(String response) {
		int end = response.indexOf("\r\n\r\n");
		HttpHeaders headers = headers(response.substring(0, end));
		String body = response.substring(end + 4);
		return new Reply(Integer.parseInt(response.substring(9, 12)), headers,
				isChunked(headers) ? firstChunk(body) : body);
	}

	private static HttpHeaders headers(String head) {
		HttpHeaders headers = new HttpHeaders();
		head.lines().skip(1).forEach((line) -> {
			int colon = line.indexOf(':');
			headers.add(line.substring(0, colon), line.substring(colon + 1).strip());
		});
		return headers;
	}

	private static boolean isChunked(HttpHeaders headers) {
		return "chunked".equals(headers.getFirst(HttpHeaders.TRANSFER_ENCODING));
	}

	/** Problems are ASCII and short, so they come in one chunk. */
	private static String firstChunk(String body) {
		int end = body.indexOf("\r\n");
		return body.substring(end + 2, end + 2 + Integer.parseInt(body.substring(0, end), 16));
	}

	/** Creates a session with descriptors 0, 1 and 2 and returns its path. */
	String session() {
		return session(null);
	}

	String session(@Nullable String body) {
		return Objects.requireNonNull(post(SESSIONS, body).is(201).header(HttpHeaders.LOCATION));
	}

	/** Forks a session and returns the path of the child. */
	String fork(String session, boolean shareFiles) {
		return Objects.requireNonNull(
				post(session + "/fork", "{\"shareFiles\":" + shareFiles + "}").is(201).header(HttpHeaders.LOCATION));
	}

	/** Allocates the lowest free descriptor of a session and returns its number. */
	int open(String session) {
		return post(session + "/fds", null).is(201).fd();
	}

}
