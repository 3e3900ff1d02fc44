package io.fdtable.trace;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that no log, however wrong, makes the reader or the replay fail, and that every
 * line of it is accounted for.
 */
class GarbledLogTest {

	/** Short logs meet more beginnings; the state of a long one gets stranger. */
	private static final int LOGS = 100;

	private static final int LINES = 2_000;

	static LongStream seeds() {
		return LongStream.range(0, LOGS);
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void any_soup_of_lines_is_replayed_to_its_end(long seed) throws IOException {
		String log = LineSoup.of(seed, LINES);
		try (Trace trace = Traces.of(log)) {
			TraceReport report = trace.report();
			assertThat(report.lines()).isEqualTo(LINES);
			assertThat(report.calls()).isBetween(1L, (long) LINES);
			assertThat(report.ignored() + report.unparsed()).isBetween(1L, (long) LINES);
			trace.tableAt(7, LINES / 2);
			trace.history(7, 3);
		}
		assertThat(linesAccountedFor(log)).isEqualTo(LINES);
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void what_is_known_beside_the_tables_stays_in_step_with_them(long seed) throws IOException {
		try (CallLog calls = Traces.calls(LineSoup.of(seed, LINES))) {
			TraceReplay replay = Traces.replay(calls);
			for (long line = 100; line <= LINES; line += 100) {
				replay.run(line);
				checkTables(replay);
			}
			replay.finish();
			assertThat(replay.open()).isZero();
		}
	}

	private static void checkTables(TraceReplay replay) {
		Map<TracedTable, Integer> users = new HashMap<>();
		replay.processes().forEach((process) -> users.merge(process.table, 1, Integer::sum));
		users.forEach((table, count) -> {
			assertThat(table.sharers).isEqualTo(count);
			assertThat(table.files.count()).isEqualTo(count);
			assertThat(table.judge == null).isEqualTo(count == 1);
			assertThat(table.open).isEqualTo((int) table.files.entries(0, TraceReplay.NR_OPEN)
				.stream()
				.filter((fd) -> !fd.isReserved())
				.count());
		});
		assertThat(replay.open()).isEqualTo(users.keySet().stream().mapToInt((table) -> table.open).sum());
	}

	/** Every line is handed out, or says nothing about descriptors, or is unreadable. */
	private static long linesAccountedFor(String log) throws IOException {
		StraceParser parser = new StraceParser(new ByteArrayInputStream(log.getBytes(StandardCharsets.ISO_8859_1)));
		long handedOut = 0;
		while (parser.next() != null) {
			handedOut++;
		}
		return handedOut + parser.ignored() + parser.unparsed();
	}

	@ParameterizedTest
	@ValueSource(strings = { "dup2", "dup3", "close", "close_range", "fcntl", "dup", "clone", "clone3", "fork", "pipe",
			"recvmsg", "socketpair", "accept", "execve", "unshare", "prlimit64", "ioctl", "read", "bind" })
	void the_end_of_a_call_that_never_began_is_no_crash_among_threads(String call) throws IOException {
		String log = """
				7 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 8
				8 <... %s resumed>) = 11
				7 close(3) = 0
				""".formatted(call);
		try (Trace trace = Traces.of(log)) {
			assertThat(trace.report().calls()).isEqualTo(3);
			assertThat(trace.report().unparsed()).isZero();
		}
	}

	@Test
	void a_call_that_touches_no_descriptor_counts_once_when_it_is_interrupted() throws IOException {
		try (Trace trace = Traces.of("7 futex(0x7f, 0 <unfinished ...>\n7 <... futex resumed>) = 0\n")) {
			assertThat(trace.report().calls()).isOne();
			assertThat(trace.report().ignored()).isEqualTo(2);
		}
	}

}
