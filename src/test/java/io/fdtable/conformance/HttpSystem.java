package io.fdtable.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs scripts on a service by HTTP: a session for each task, a request for each call.
 *
 * <p>
 * Each run has a session more than the script has tasks, a bystander with a table of its
 * own. It opens the paths before the script begins, and holds the listening sockets on
 * which a task waits that is to reserve a number.
 */
final class HttpSystem implements DescriptorSystem {

	/** The bodies of {@link Op#OPEN}, without flags, by kind. */
	private static final List<Map<String, Object>> FILES = List.of(Map.of("path", "/dev/null", "kind", "DEVICE"),
			Map.of("path", "/", "kind", "DIRECTORY"), Map.of("path", "/regular", "kind", "REGULAR"),
			Map.of("kind", "SOCKET"), Map.of("kind", "EVENTFD"));

	/** A slot that a table has without growing, and that no script reserves. */
	private static final int PARKED = 32;

	private static final int O_ACCMODE = 3;

	private final JsonMapper json = new JsonMapper();

	private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final URI service;

	HttpSystem(URI service) {
		this.service = service;
	}

	/**
	 * Says why a script cannot be sent.
	 * @return the reason, or null if it can
	 */
	static @Nullable String obstacle(Script script) {
		// What C cuts off when it calls, the service refuses.
		boolean wide = script.calls().stream().anyMatch(HttpSystem::hasWideNumber);
		return wide ? "a number of more than 32 bits, which is a malformed request" : null;
	}

	private static boolean hasWideNumber(Call call) {
		return call.op() == Op.CLOSE_RANGE && call.arguments()
			.stream()
			.anyMatch((argument) -> argument < Integer.MIN_VALUE || argument > 0xFFFF_FFFFL);
	}

	@Override
	public List<Answer> run(Script script) {
		try (Run run = start(script.soft(), script.hard())) {
			return script.calls().stream().map(run::call).toList();
		}
	}

	Run start(int soft, int hard) {
		return new Run(soft, hard);
	}

	/** An answer with an errno, or one that no system call has. */
	private static final class CallFailedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		CallFailedException(String answer) {
			super(answer);
		}

	}

	/**
	 * What a task waits for.
	 *
	 * @param listener the bystander's descriptor of the listening socket
	 * @param file the listening socket
	 * @param reserved the number that the task has reserved
	 */
	private record Waiting(int listener, String file, int reserved) {
	}

	private JsonNode get(String path) {
		return send("GET", path, null);
	}

	private JsonNode post(String path, @Nullable Object body) {
		return send("POST", path, body);
	}

	private JsonNode send(String method, String path, @Nullable Object body) {
		HttpRequest.Builder request = HttpRequest.newBuilder(this.service.resolve(path))
			.method(method, (body != null) ? HttpRequest.BodyPublishers.ofString(this.json.writeValueAsString(body))
					: HttpRequest.BodyPublishers.noBody());
		if (body != null) {
			request.header("Content-Type", "application/json");
		}
		HttpResponse<String> response = exchange(request.build());
		JsonNode answer = response.body().isEmpty() ? this.json.createObjectNode()
				: this.json.readTree(response.body());
		if (response.statusCode() >= 300) {
			throw new CallFailedException(
					answer.has("errno") ? answer.path("errno").asString() : response.statusCode() + " " + answer);
		}
		return answer;
	}

	private HttpResponse<String> exchange(HttpRequest request) {
		try {
			return this.client.send(request, HttpResponse.BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/** One run of a script, call by call. */
	final class Run implements AutoCloseable {

		/** The paths of the sessions by the number of the task, ended ones too. */
		private final Map<Integer, String> tasks = new HashMap<>();

		private final Map<Integer, Waiting> waiting = new HashMap<>();

		private final String bystander;

		private Run(int soft, int hard) {
			this.tasks.put(0, path(post("/v1/sessions", Map.of("limits", limits(soft, hard)))));
			this.bystander = path(post(task(0) + "/fork", null));
			// One at a time, for which the smallest limit of a script has room.
			FILES.stream()
				.filter((file) -> file.containsKey("path"))
				.forEach((file) -> send("DELETE", descriptor(this.bystander, fd(post(this.bystander + "/fds", file))),
						null));
		}

		/** Ends the sessions that the script has left. */
		@Override
		public void close() {
			for (String session : Stream.concat(this.tasks.values().stream(), Stream.of(this.bystander)).toList()) {
				try {
					send("DELETE", session, null);
				}
				catch (CallFailedException ex) {
					if (!Objects.equals(ex.getMessage(), "ESRCH")) {
						throw ex;
					}
				}
			}
		}

		private String task(int number) {
			return Objects.requireNonNull(this.tasks.get(number), "no task " + number);
		}

		Answer call(Call call) {
			String session = task(call.task());
			String text;
			try {
				text = answer(session, call);
			}
			catch (CallFailedException ex) {
				text = String.valueOf(ex.getMessage());
			}
			return new Answer(text, width(session));
		}

		private long width(String session) {
			try {
				return get(session + "/statistics").path("table").path("capacity").asLong();
			}
			catch (CallFailedException ex) {
				return 0;
			}
		}

		private String answer(String session, Call call) {
			return switch (call.op()) {
				case OPEN -> mark(post(session + "/fds", open(call)));
				case CLOSE -> zero(send("DELETE", descriptor(session, call.argument(0)), null));
				case CLOSE_RANGE -> zero(post(session + "/close-range", Map.of("first", call.argument(0), "last",
						call.argument(1), "flags", names(call.argument(2), "CLOSE_RANGE_"))));
				case DUP -> mark(post(descriptor(session, call.argument(0)) + "/dup", null));
				case DUP2 ->
					mark(post(descriptor(session, call.argument(0)) + "/dup2", Map.of("newFd", call.argument(1))));
				case DUP3 -> mark(post(descriptor(session, call.argument(0)) + "/dup3",
						Map.of("newFd", call.argument(1), "flags", names(call.argument(2), "O_"))));
				case FCNTL -> fcntl(post(descriptor(session, call.argument(0)) + "/fcntl",
						Map.of("cmd", Symbols.command(call.argument(1)), "arg", call.argument(2))));
				case FORK -> fork(session, call);
				case UNSHARE -> zero(post(session + "/unshare", null));
				case EXEC -> zero(post(session + "/exec", null));
				case EXIT -> zero(send("DELETE", session, null));
				case PRLIMIT -> zero(send("PUT", session + "/limits", limits(call.argument(0), call.argument(1))));
				case RESERVE -> reserve(session, call);
				case INSTALL -> install(session, Objects.requireNonNull(this.waiting.remove(call.task())));
				case RELEASE -> release(Objects.requireNonNull(this.waiting.remove(call.task())));
				case PIPE -> pipe(post(session + "/pipe", Map.of("flags", names(call.argument(0), "O_"))));
				case READ ->
					data(post(descriptor(session, call.argument(0)) + "/read", Map.of("count", call.argument(1))));
				case WRITE -> post(descriptor(session, call.argument(0)) + "/write",
						Map.of("data", alphabet(call.intArgument(1))))
					.path("bytes")
					.asString();
				case LSEEK -> post(descriptor(session, call.argument(0)) + "/lseek",
						Map.of("offset", call.argument(1), "whence", Long.toString(call.argument(2))))
					.path("position")
					.asString();
				case GETFD -> mark(post(session + "/getfd",
						Map.of("session", id(task(call.intArgument(0))), "fd", call.argument(1))));
				case SEND ->
					zero(post(session + "/messages", Map.of("to", id(task(call.intArgument(0))), "fds", sent(call))));
				case RECEIVE -> received(post(session + "/messages/receive",
						Map.of("maxFds", call.argument(0), "closeOnExec", call.argument(1) != 0)));
				case DUMP -> dump(session);
				case FILL -> fill(session, call);
				case CLOSE_EVERY -> closeEvery(session, call);
			};
		}

		private String fork(String session, Call call) {
			JsonNode child = post(session + "/fork", Map.of("shareFiles", call.argument(0) != 0));
			this.tasks.put(call.intArgument(1), path(child));
			return Long.toString(call.argument(1));
		}

		/**
		 * Waits in an accept where the kernel's side waits in an open: the slot is
		 * reserved in the same way. The listening socket comes from the bystander, is
		 * moved out of the way of the lowest free number, and leaves the table again.
		 */
		private String reserve(String session, Call call) {
			JsonNode socket = post(this.bystander + "/fds", Map.of("kind", "SOCKET"));
			post(descriptor(this.bystander, fd(socket)) + "/listen", null);
			int lowest = fd(post(session + "/getfd", Map.of("session", id(this.bystander), "fd", fd(socket))));
			int parked = fd(post(descriptor(session, lowest) + "/dup", Map.of("minFd", PARKED)));
			send("DELETE", descriptor(session, lowest), null);
			JsonNode accepted = post(descriptor(session, parked) + "/accept",
					Map.of("flags", (call.argument(0) != 0) ? List.of("O_CLOEXEC") : List.of()));
			send("DELETE", descriptor(session, parked), null);
			this.waiting.put(call.task(), new Waiting(fd(socket), socket.path("file").asString(), fd(accepted)));
			return accepted.path("state").asString().equals("RESERVED") ? "blocked" : mark(accepted);
		}

		private String install(String session, Waiting waiting) {
			int socket = fd(post(this.bystander + "/fds", Map.of("kind", "SOCKET")));
			post(descriptor(this.bystander, socket) + "/connect", Map.of("file", waiting.file()));
			JsonNode installed = get(descriptor(session, waiting.reserved()));
			return installed.path("state").asString().equals("INSTALLED") ? mark(installed) : "still reserved";
		}

		private String release(Waiting waiting) {
			return zero(post(descriptor(this.bystander, waiting.listener()) + "/shutdown", Map.of("how", "SHUT_RDWR")));
		}

		private String fill(String session, Call call) {
			String dup = descriptor(session, call.argument(0)) + "/dup";
			long last = -1;
			for (long done = 0; done < call.argument(1); done++) {
				try {
					last = fd(post(dup, null));
				}
				catch (CallFailedException ex) {
					return done + " to " + last + " " + ex.getMessage();
				}
			}
			return call.argument(1) + " to " + last;
		}

		private String closeEvery(String session, Call call) {
			int done = 0;
			for (long fd = call.argument(0); fd <= call.argument(1); fd += call.argument(2)) {
				try {
					send("DELETE", descriptor(session, fd), null);
					done++;
				}
				catch (CallFailedException ex) {
					if (!Objects.equals(ex.getMessage(), "EBADF")) {
						throw ex;
					}
				}
			}
			return Integer.toString(done);
		}

		private String dump(String session) {
			List<JsonNode> installed = new ArrayList<>();
			String query = "";
			while (query != null) {
				JsonNode page = get(session + "/fds" + query);
				page.path("fds")
					.values()
					.stream()
					.filter((entry) -> entry.path("state").asString().equals("INSTALLED"))
					.forEach(installed::add);
				query = page.has("nextPageToken") ? "?pageToken=" + page.path("nextPageToken").asString() : null;
			}
			return runs(installed);
		}

	}

	/** Lists descriptors as {@link Op#DUMP} answers. */
	private static String runs(List<JsonNode> entries) {
		Map<String, Integer> origins = new HashMap<>();
		List<String> runs = new ArrayList<>();
		int first = 0;
		int next = -1;
		String previous = "";
		for (JsonNode entry : entries) {
			int fd = fd(entry);
			int origin = origins.computeIfAbsent(entry.path("file").asString(), (file) -> fd);
			String end = "=" + origin + (entry.path("closeOnExec").asBoolean() ? "+" : "");
			if (fd == next && end.equals(previous)) {
				runs.set(runs.size() - 1, first + "-" + fd + end);
			}
			else {
				first = fd;
				runs.add(fd + end);
			}
			next = fd + 1;
			previous = end;
		}
		return runs.isEmpty() ? "nothing" : String.join(" ", runs);
	}

	private static Map<String, Object> open(Call call) {
		Map<String, Object> body = new HashMap<>(FILES.get(call.intArgument(0)));
		long flags = call.argument(1);
		body.put("flags", names(body.containsKey("path") ? flags : flags & ~O_ACCMODE, "O_"));
		return body;
	}

	private static List<String> names(long value, String prefix) {
		return List.of(Symbols.name(value, prefix).split("\\|", -1));
	}

	private static Map<String, Object> limits(long soft, long hard) {
		return Map.of("nofile", Map.of("soft", soft, "hard", hard));
	}

	private static List<Long> sent(Call call) {
		return Stream.iterate(call.argument(1), (fd) -> fd + call.argument(3)).limit(call.argument(2)).toList();
	}

	private static byte[] alphabet(int count) {
		byte[] data = new byte[count];
		for (int i = 0; i < count; i++) {
			data[i] = (byte) ('a' + i % 26);
		}
		return data;
	}

	private static String path(JsonNode session) {
		return "/v1/sessions/" + session.path("id").asString();
	}

	private static String id(String path) {
		return path.substring(path.lastIndexOf('/') + 1);
	}

	private static String descriptor(String session, long fd) {
		return session + "/fds/" + fd;
	}

	private static int fd(JsonNode descriptor) {
		return descriptor.path("fd").asInt();
	}

	private static String mark(JsonNode descriptor) {
		return fd(descriptor) + (descriptor.path("closeOnExec").asBoolean() ? "+" : "");
	}

	/** What a call returns that has succeeded and returns nothing else. */
	private static String zero(JsonNode answer) {
		return answer.isObject() ? "0" : answer.toString();
	}

	private static String fcntl(JsonNode answer) {
		return answer.has("descriptor") ? mark(answer.path("descriptor")) : answer.path("ret").asString();
	}

	private static String pipe(JsonNode answer) {
		return mark(answer.path("read")) + " " + mark(answer.path("write"));
	}

	private static String data(JsonNode answer) {
		int sum = 0;
		for (byte value : answer.path("data").binaryValue()) {
			sum += Byte.toUnsignedInt(value);
		}
		return answer.path("bytes").asString() + "/" + sum;
	}

	private static String received(JsonNode answer) {
		List<String> fds = answer.path("fds").values().stream().map(HttpSystem::mark).toList();
		return (fds.isEmpty() ? "none" : String.join(" ", fds))
				+ (answer.path("truncated").asBoolean() ? " truncated" : "");
	}

}
