package io.fdtable.trace;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import io.fdtable.kernel.Sysctl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards that a replay that goes on from where an earlier question left it gives the same
 * answers as one from the start, and that what is kept for that is bounded, paid for and
 * given back.
 */
class KeptReplaysTest {

	private static final int SOUP_LINES = 700;

	/** About how many lines of a log are asked about. */
	private static final int QUESTIONS = 60;

	private static final long BUDGET = 1L << 30;

	@ParameterizedTest
	@ValueSource(strings = { "bash-pipeline", "closeloop", "fifo", "git-commit", "hexadecimal", "leaky", "limit",
			"merged", "python-sockets", "raw", "redis-server", "rights", "sections", "silent", "terminal", "threads" })
	void tableAt_recordedLog_isTheSameAsFromTheStart(String name) throws IOException {
		checkAnswers(Traces.text(name + ".strace"), 1);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 })
	void tableAt_soup_isTheSameAsFromTheStart(long seed) throws IOException {
		checkAnswers(LineSoup.of(seed, SOUP_LINES), seed);
	}

	/** Asks forwards, then in any order, of a trace that keeps and one that cannot. */
	private static void checkAnswers(String log, long seed) throws IOException {
		Sysctl sysctl = budget(BUDGET);
		try (Trace keeping = read(log, sysctl); Trace forgetful = read(log, budget(0))) {
			long last = keeping.report().lines() + 1;
			long step = last / QUESTIONS + 1;
			List<Long> lines = new ArrayList<>(
					LongStream.rangeClosed(0, last / step).map((i) -> i * step).boxed().toList());
			int found = checkLines(keeping, forgetful, lines);
			assertThat(found).isPositive();
			Collections.shuffle(lines, new Random(seed));
			assertThat(checkLines(keeping, forgetful, lines)).isEqualTo(found);
			assertThat(forgetful.keptReplays()).isZero();
			for (int i = 1; i < lines.size(); i += 3) {
				long from = Math.min(lines.get(i), lines.get(i - 1));
				long to = Math.max(lines.get(i), lines.get(i - 1));
				int pid = keeping.report().processes().get(i % keeping.report().processes().size()).pid();
				assertThat(keeping.diff(pid, from, to)).isEqualTo(forgetful.diff(pid, from, to));
			}
		}
		assertThat(sysctl.memory()).isZero();
	}

	private static int checkLines(Trace keeping, Trace forgetful, List<Long> lines) throws IOException {
		int found = 0;
		List<Integer> pids = keeping.report().processes().stream().map((process) -> process.pid()).distinct().toList();
		for (long line : lines) {
			// Two processes for each line, in turn, so that wide logs take no longer.
			for (int j = 0; j < Math.min(2, pids.size()); j++) {
				int pid = pids.get((int) ((2 * line + j) % pids.size()));
				TraceViews.TableAt table = keeping.tableAt(pid, line);
				assertThat(table).as("process %d after line %d", pid, line).isEqualTo(forgetful.tableAt(pid, line));
				found += (table != null && !table.fds().isEmpty()) ? 1 : 0;
			}
		}
		return found;
	}

	@Test
	void tableAt_askedForwards_goesOnFromOneReplay() throws IOException {
		try (Trace trace = read(Traces.text("leaky.strace"), budget(BUDGET))) {
			int pid = trace.report().processes().getFirst().pid();
			for (long line = 1; line < 20; line++) {
				trace.tableAt(pid, line);
				assertThat(trace.keptReplays()).isEqualTo(1);
			}
			trace.tableAt(pid, 1);
			assertThat(trace.keptReplays()).isEqualTo(2);
		}
	}

	@Test
	void take_severalKept_isTheNearestNotBeyondTheLine() throws IOException {
		try (CallLog calls = Traces.calls(opens(100))) {
			KeptReplays kept = new KeptReplays(budget(BUDGET));
			for (long line : new long[] { 70, 20, 50 }) {
				kept.keep(at(calls, line));
			}
			assertThat(kept.take(19)).isNull();
			assertThat(kept.take(60)).isNotNull().extracting(TraceReplay::line).isEqualTo(50L);
			assertThat(kept.take(60)).isNotNull().extracting(TraceReplay::line).isEqualTo(20L);
			assertThat(kept.take(60)).isNull();
			assertThat(kept.take(70)).isNotNull().extracting(TraceReplay::line).isEqualTo(70L);
			assertThat(kept.size()).isZero();
		}
	}

	@Test
	void keep_oneMoreThanMax_forgetsTheOneKeptFirst() throws IOException {
		try (CallLog calls = Traces.calls(opens(100))) {
			Sysctl sysctl = budget(BUDGET);
			KeptReplays kept = new KeptReplays(sysctl);
			long bytes = 0;
			for (int i = 0; i <= KeptReplays.MAX; i++) {
				TraceReplay replay = at(calls, 10 + i);
				bytes += (i > 0) ? replay.bytes() : 0;
				kept.keep(replay);
			}
			assertThat(kept.size()).isEqualTo(KeptReplays.MAX);
			assertThat(sysctl.memory()).isEqualTo(bytes);
			assertThat(kept.take(10)).isNull();
			assertThat(kept.take(11)).isNotNull();
			kept.close();
			assertThat(sysctl.memory()).isZero();
		}
	}

	@Test
	void keep_largerThanMaxBytes_forgetsIt() throws IOException {
		try (CallLog calls = Traces.calls(opens(1) + "1 fcntl(0, F_DUPFD, 60000) = 60000\n")) {
			Sysctl sysctl = budget(BUDGET);
			KeptReplays kept = new KeptReplays(sysctl);
			TraceReplay large = at(calls, 2);
			assertThat(large.bytes()).isGreaterThan(KeptReplays.MAX_BYTES);
			kept.keep(large);
			assertThat(kept.size()).isZero();
			assertThat(sysctl.memory()).isZero();
		}
	}

	@Test
	void keep_noMemoryLeft_forgetsIt() throws IOException {
		try (CallLog calls = Traces.calls(opens(100))) {
			TraceReplay replay = at(calls, 50);
			Sysctl sysctl = budget(replay.bytes() - 1);
			KeptReplays kept = new KeptReplays(sysctl);
			kept.keep(replay);
			assertThat(kept.size()).isZero();
			assertThat(sysctl.memory()).isZero();
		}
	}

	@Test
	void keep_noMemoryForOneMore_forgetsNoneForIt() throws IOException {
		try (CallLog calls = Traces.calls(opens(100))) {
			Sysctl sysctl = budget(BUDGET);
			KeptReplays kept = new KeptReplays(sysctl);
			for (int i = 0; i < KeptReplays.MAX; i++) {
				kept.keep(at(calls, 10 + i));
			}
			long rest = BUDGET - sysctl.memory();
			assertThat(sysctl.tryCharge(rest)).isTrue();
			kept.keep(at(calls, 50));
			assertThat(kept.size()).isEqualTo(KeptReplays.MAX);
			assertThat(kept.take(10)).isNotNull();
		}
	}

	@Test
	void tableAt_beforeTheFirstLine_goesOnFromTheReplayThatWaitsThere() throws IOException {
		try (Trace trace = read(Traces.text("leaky.strace"), budget(BUDGET))) {
			for (long line = -3; line <= 0; line++) {
				trace.tableAt(1, line);
				assertThat(trace.keptReplays()).isEqualTo(1);
			}
		}
	}

	@Test
	void tableAt_deleted_saysSo() throws IOException {
		Trace trace = read(Traces.text("leaky.strace"), budget(BUDGET));
		trace.close();
		assertThatExceptionOfType(TraceDeletedException.class).isThrownBy(() -> trace.tableAt(1, 100));
	}

	@Test
	void keep_closed_forgetsIt() throws IOException {
		try (CallLog calls = Traces.calls(opens(100))) {
			Sysctl sysctl = budget(BUDGET);
			KeptReplays kept = new KeptReplays(sysctl);
			kept.close();
			kept.keep(at(calls, 50));
			assertThat(kept.size()).isZero();
			assertThat(sysctl.memory()).isZero();
		}
	}

	private static TraceReplay at(CallLog calls, long line) throws IOException {
		TraceReplay replay = Traces.replay(calls);
		replay.run(line);
		return replay;
	}

	private static String opens(int count) {
		StringBuilder log = new StringBuilder();
		for (int i = 0; i < count; i++) {
			log.append("1 openat(AT_FDCWD, \"a\", O_RDONLY) = ").append(i).append('\n');
		}
		return log.toString();
	}

	private static Sysctl budget(long bytes) {
		return new Sysctl(Sysctl.DEFAULT_NR_OPEN, 1, 1, bytes);
	}

	private static Trace read(String log, Sysctl sysctl) throws IOException {
		return Trace.read(new ByteArrayInputStream(log.getBytes(StandardCharsets.ISO_8859_1)), new TraceDisk(1L << 30),
				sysctl, TraceProgress.NONE);
	}

}
