package io.fdtable.web;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that the service hands out what Linux handed out: a shell pipeline that was
 * recorded with strace is driven call by call over HTTP, and every descriptor number and
 * errno must equal the recorded one.
 *
 * <p>
 * A call takes effect between its two lines where strace has split it; calls of one
 * process never overlap, and here no table is shared, so each is made when it has ended.
 */
@ServerTest
class BashPipelineReplayIT {

	private static final Pattern LINE = Pattern.compile("(\\d+) +(.*)");

	private static final Pattern CALL = Pattern.compile("(\\w+)\\((.*)\\) += (0x[0-9a-f]+|-?\\d+|\\?)(?: (E\\w+))?.*");

	private static final Pattern RESUMED = Pattern.compile("<\\.\\.\\. \\w+ resumed>(.*)");

	private static final String UNFINISHED = " <unfinished ...>";

	@Autowired
	private Api api;

	/** By recorded pid, the paths of the sessions that have not exited. */
	private final Map<Integer, String> sessions = new HashMap<>();

	/** By recorded pid, lines that stand before the clone that makes their process. */
	private final Map<Integer, Deque<Call>> early = new HashMap<>();

	private final Map<String, Integer> made = new TreeMap<>();

	private record Call(int pid, String name, String arguments, String ret, String errno) {

		int number() {
			return Integer.decode(this.ret);
		}

		int argument(int index) {
			return Integer.parseInt(string(index));
		}

		String string(int index) {
			return this.arguments.split(", ", -1)[index];
		}

	}

	@Test
	void everyNumberEqualsTheOneThatLinuxGave() throws IOException {
		List<Call> calls = read("/traces/bash-pipeline.strace");
		int shell = calls.getFirst().pid();
		this.sessions.put(shell, this.api.session());
		// Whoever started the shell had left 10 open.
		this.api.post(this.sessions.get(shell) + "/fds/0/dup2", "{\"newFd\":10}").is(200);
		calls.forEach(this::makeOrDefer);
		assertThat(this.sessions).isEmpty();
		assertThat(this.early.values()).allMatch(Deque::isEmpty);
		assertThat(this.made).isEqualTo(Map.of("clone", 6, "close", 60, "dup2", 16, "execve", 6, "exit_group", 7,
				"fcntl", 30, "openat", 19, "pipe2", 3));
	}

	private static List<Call> read(String resource) throws IOException {
		String trace;
		try (InputStream in = BashPipelineReplayIT.class.getResourceAsStream(resource)) {
			trace = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
		}
		List<Call> calls = new ArrayList<>();
		Map<Integer, String> unfinished = new HashMap<>();
		for (String line : trace.lines().toList()) {
			Matcher parts = LINE.matcher(line);
			assertThat(parts.matches()).as(line).isTrue();
			int pid = Integer.parseInt(parts.group(1));
			String text = parts.group(2);
			if (text.endsWith(UNFINISHED)) {
				unfinished.put(pid, text.substring(0, text.length() - UNFINISHED.length()));
				continue;
			}
			Matcher resumed = RESUMED.matcher(text);
			if (resumed.matches()) {
				text = unfinished.remove(pid) + resumed.group(1);
			}
			Matcher call = CALL.matcher(text);
			if (call.matches()) {
				calls.add(new Call(pid, call.group(1), call.group(2), call.group(3), call.group(4)));
			}
			else {
				assertThat(text).startsWith("--- SIG");
			}
		}
		assertThat(unfinished).isEmpty();
		return calls;
	}

	private void makeOrDefer(Call call) {
		if (!this.sessions.containsKey(call.pid())) {
			this.early.computeIfAbsent(call.pid(), (absent) -> new ArrayDeque<>()).add(call);
			return;
		}
		make(call);
		if (call.name().equals("clone")) {
			Deque<Call> waiting = this.early.getOrDefault(call.number(), new ArrayDeque<>());
			while (!waiting.isEmpty()) {
				make(waiting.remove());
			}
		}
	}

	private void make(Call call) {
		if ("ENXIO".equals(call.errno())) {
			// There was no terminal, which only the driver knows; the number was given
			// back.
			return;
		}
		String session = this.sessions.get(call.pid());
		boolean isModelled = true;
		switch (call.name()) {
			case "openat" -> open(call, session);
			case "close" -> check(call, this.api.delete(session + "/fds/" + call.argument(0)), 0);
			case "dup2" -> {
				Reply reply = this.api.post(session + "/fds/" + call.argument(0) + "/dup2",
						"{\"newFd\":" + call.argument(1) + "}");
				check(call, reply, reply.fd());
			}
			case "fcntl" -> fcntl(call, session);
			case "pipe2" -> {
				String pipe = "{\"kind\":\"PIPE\"}";
				assertThat("[" + this.api.post(session + "/fds", pipe).is(201).fd() + ", "
						+ this.api.post(session + "/fds", pipe).is(201).fd() + "], 0")
					.isEqualTo(call.arguments());
			}
			case "clone" -> this.sessions.put(call.number(), this.api.fork(session, false));
			case "execve" -> this.api.post(session + "/exec", null).is(200);
			case "exit_group" -> {
				this.api.delete(session).is(204);
				this.sessions.remove(call.pid());
			}
			default -> isModelled = false;
		}
		if (isModelled) {
			this.made.merge(call.name(), 1, Integer::sum);
		}
	}

	private void open(Call call, String session) {
		String flags = "\"" + call.string(2).replace("|", "\",\"") + "\"";
		Reply reply = this.api.post(session + "/fds", "{\"path\":" + call.string(1) + ",\"flags\":[" + flags + "]}");
		check(call, reply, reply.fd());
	}

	private void fcntl(Call call, String session) {
		int arg = 0;
		if (call.arguments().split(", ", -1).length > 2) {
			arg = call.string(2).equals("FD_CLOEXEC") ? 1 : call.argument(2);
		}
		Reply reply = this.api.post(session + "/fds/" + call.argument(0) + "/fcntl",
				"{\"cmd\":\"" + call.string(1) + "\",\"arg\":" + arg + "}");
		check(call, reply, reply.json().path("ret").asInt(-1));
	}

	private static void check(Call call, Reply reply, int ret) {
		if (call.errno() != null) {
			assertThat(reply.json().path("errno").asString()).as("%s: %s", call, reply.text()).isEqualTo(call.errno());
		}
		else {
			assertThat(reply.status()).as("%s: %s", call, reply.text()).isBetween(200, 299);
			assertThat(ret).as("%s: %s", call, reply.text()).isEqualTo(call.number());
		}
	}

}
