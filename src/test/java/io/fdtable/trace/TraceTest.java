package io.fdtable.trace;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.fdtable.kernel.Sysctl;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards the replay: logs of real programs are what Linux does, each thing taken out of
 * one is found once, and the findings name the lines that a reader finds by hand.
 */
class TraceTest {

	@ParameterizedTest
	@ValueSource(strings = { "bash-pipeline", "git-commit", "leaky", "python-sockets", "redis-server", "threads", "raw",
			"fifo", "rights", "limit", "closeloop", "terminal", "hexadecimal", "silent", "merged", "sections", "tmux",
			"docker", "names", "pidfds" })
	void a_recorded_log_is_what_linux_does(String name) throws IOException {
		try (Trace trace = Traces.recorded(name + ".strace")) {
			TraceReport report = trace.report();
			assertThat(report.divergences()).isEmpty();
			assertThat(report.unreadable()).isEmpty();
			assertThat(report.unparsed()).isZero();
			assertThat(report.limits().capped()).isEmpty();
			assertThat(report.initial()).extracting(TraceReport.Initial::fd)
				.startsWith(0, 1, 2)
				.isSubsetOf(0, 1, 2, 10);
		}
	}

	@Test
	void what_a_log_cannot_show_is_noted() throws IOException {
		String log = "7 io_uring_setup(8, {flags=0}) = 3\n7 close(3) = 0\n";
		try (Trace trace = Traces.of(log)) {
			assertThat(trace.report().notes()).containsExactly(
					"no close_range in the log: if it was not traced, descriptors that it closed count as open",
					"no open in the log: trace with -e trace=%desc,%process,%network,close_range",
					"io_uring in the log: strace does not see what a ring opens, accepts, receives or closes");
		}
	}

	@Test
	void a_process_that_strace_attached_to_is_followed_from_there() throws IOException {
		try (Trace trace = Traces.recorded("attached.strace")) {
			TraceReport report = trace.report();
			assertThat(report.divergences()).isEmpty();
			assertThat(report.unparsed()).isZero();
			assertThat(report.initial()).extracting(TraceReport.Initial::fd).containsExactly(0, 1, 2, 3, 10);
			assertThat(report.processes()).singleElement().satisfies((process) -> {
				assertThat(process.command()).isNull();
				assertThat(process.highWater()).isEqualTo(18);
				assertThat(process.openAtEnd()).isEqualTo(5);
			});
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "bash-pipeline", "git-commit", "leaky", "python-sockets" })
	void what_was_open_from_the_start_is_inferred(String name) throws IOException {
		try (Trace trace = Traces.recorded(name + ".strace")) {
			assertThat(trace.report().initial()).extracting(TraceReport.Initial::fd).containsExactly(0, 1, 2, 10);
		}
	}

	@Test
	void the_leaks_into_cat_and_sleep_are_named() throws IOException {
		try (Trace trace = Traces.recorded("leaky.strace")) {
			assertThat(trace.report().inherited()).extracting(TraceTest::leak)
				.containsExactly("/usr/bin/cat /dev/null@186: 3 from 149, cleared 150",
						"/usr/bin/cat /dev/null@186: 4 from 154, cleared 155",
						"/usr/bin/cat /dev/null@186: 5 from 159, cleared 160",
						"/usr/bin/cat /dev/null@186: 6 from 164, cleared 165",
						"/usr/bin/cat /dev/null@186: 7 from 169, cleared 170",
						"/usr/bin/cat /dev/null@186: 8 from 174, cleared 175",
						"/usr/bin/sleep 0@236: 3 from 149, cleared 150",
						"/usr/bin/sleep 0@236: 5 from 159, cleared 160",
						"/usr/bin/sleep 0@236: 6 from 164, cleared 165",
						"/usr/bin/sleep 0@236: 7 from 169, cleared 170",
						"/usr/bin/sleep 0@236: 8 from 174, cleared 175",
						"/usr/bin/sleep 0@236: 9 from 218, cleared 219",
						"/usr/bin/sleep 0@236: 11 from 223, cleared 224",
						"/usr/bin/sleep 0@236: 12 from 228, cleared 229");
			assertThat(trace.report().inherited().get(5).origin().file()).isEqualTo("/srv/demo/secret");
		}
	}

	private static String leak(TraceReport.Inherited item) {
		return item.command() + "@" + item.execLine() + ": " + item.fd() + " from " + item.origin().line()
				+ ", cleared " + item.clearedLine();
	}

	@Test
	void processes_are_counted_with_what_they_had_open() throws IOException {
		try (Trace trace = Traces.recorded("leaky.strace")) {
			assertThat(trace.report().processes()).containsExactly(
					new TraceReport.ProcessSummary(15691, null, "/usr/bin/sleep 0", 1, 256L, 1,
							trace.report().processes().get(0).calls(), 10, 12, 228L, 13, 228),
					new TraceReport.ProcessSummary(15692, 15691, "/usr/bin/cat /dev/null", 181, 213L, 1,
							trace.report().processes().get(1).calls(), 8, 9, 188L, 12, 181));
		}
	}

	@Test
	void threads_count_as_one_process() throws IOException {
		try (Trace trace = Traces.recorded("python-sockets.strace")) {
			assertThat(trace.report().processes())
				.extracting(TraceReport.ProcessSummary::pid, TraceReport.ProcessSummary::threads)
				.containsExactly(Tuple.tuple(15619, 4), Tuple.tuple(15627, 1), Tuple.tuple(15628, 1),
						Tuple.tuple(15629, 1));
		}
	}

	@Test
	void an_untraced_close_is_one_divergence() throws IOException {
		List<String> lines = new ArrayList<>(Traces.text("leaky.strace").lines().toList());
		assertThat(lines.remove(233 - 1)).startsWith("15691 close(4)");
		String log = String.join("\n", lines) + "\n";
		try (Trace trace = Traces.of(log)) {
			List<TraceReport.Divergence> divergences = trace.report().divergences();
			assertThat(divergences).hasSize(1);
			assertThat(divergences.get(0).kind()).isEqualTo(TraceReport.DivergenceKind.FREE_IN_LOG);
			assertThat(divergences.get(0).fd()).isEqualTo(4);
		}
	}

	@Test
	void an_untraced_close_range_is_one_divergence() throws IOException {
		String log = """
				7 execve("/bin/a", ["a"], 0x1) = 0
				7 openat(AT_FDCWD, "a", O_RDONLY) = 3
				7 openat(AT_FDCWD, "b", O_RDONLY) = 4
				7 openat(AT_FDCWD, "c", O_RDONLY) = 5
				7 openat(AT_FDCWD, "d", O_RDONLY) = 3
				7 openat(AT_FDCWD, "e", O_RDONLY) = 4
				7 openat(AT_FDCWD, "f", O_RDONLY) = 5
				7 openat(AT_FDCWD, "g", O_RDONLY) = 6
				""";
		try (Trace trace = Traces.of(log)) {
			TraceReport.Divergence divergence = trace.report().divergences().get(0);
			assertThat(trace.report().divergences()).hasSize(1);
			assertThat(divergence.line()).isEqualTo(5);
			assertThat(divergence.fd()).isEqualTo(3);
			assertThat(divergence.expected()).isEqualTo("6");
			assertThat(divergence.actual()).isEqualTo("3");
			assertThat(divergence.alsoFds()).containsExactly(4, 5);
			assertThat(divergence.count()).isEqualTo(3);
			assertThat(divergence.model()).containsExactly("0 open", "1 open", "2 open", "3 open", "4 open", "5 open",
					"6 free");
			assertThat(divergence.log()).contains("3 free");
			assertThat(divergence.reason()).contains("close_range");
		}
	}

	@Test
	void an_untraced_open_is_one_divergence() throws IOException {
		String log = """
				7 execve("/bin/a", ["a"], 0x1) = 0
				7 openat(AT_FDCWD, "a", O_RDONLY) = 3
				7 close(3) = 0
				7 openat(AT_FDCWD, "b", O_RDONLY) = 4
				7 openat(AT_FDCWD, "c", O_RDONLY) = 5
				7 read(3, "", 1) = 0
				""";
		try (Trace trace = Traces.of(log)) {
			assertThat(trace.report().divergences()).hasSize(1);
			assertThat(trace.report().divergences().get(0).kind()).isEqualTo(TraceReport.DivergenceKind.OPEN_IN_LOG);
			assertThat(trace.report().divergences().get(0).fd()).isEqualTo(3);
		}
	}

	@Test
	void a_wrong_number_in_a_log_of_threads_is_found() throws IOException {
		String log = edit("python-sockets.strace",
				(line) -> line.equals("15624 socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_TCP) = 6")
						? line.replace("= 6", "= 16") : line);
		try (Trace trace = Traces.of(log)) {
			assertThat(trace.report().divergences()).isNotEmpty();
			assertThat(trace.report().divergences().get(0).line()).isEqualTo(774);
		}
	}

	@Test
	void overlapping_calls_may_have_happened_in_either_order() throws IOException {
		String threads = """
				7 execve("/bin/a", ["a"], 0x1) = 0
				7 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 8
				7 openat(AT_FDCWD, "a", O_RDONLY) = 3
				7 openat(AT_FDCWD, "b", O_RDONLY) = 4
				7 openat(AT_FDCWD, "b", O_RDONLY) = 5
				7 close(5) = 0
				7 close(3 <unfinished ...>
				8 openat(AT_FDCWD, "c", O_RDONLY <unfinished ...>
				7 <... close resumed>) = 0
				8 <... openat resumed>) = %d
				""";
		assertThat(divergences(threads.formatted(3))).isZero();
		assertThat(divergences(threads.formatted(5))).isZero();
		assertThat(divergences(threads.formatted(6))).isOne();
	}

	@Test
	void calls_that_do_not_overlap_happened_one_after_another() throws IOException {
		String threads = """
				7 execve("/bin/a", ["a"], 0x1) = 0
				7 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 8
				7 openat(AT_FDCWD, "a", O_RDONLY) = 3
				7 openat(AT_FDCWD, "b", O_RDONLY) = 4
				7 close(3) = 0
				8 openat(AT_FDCWD, "c", O_RDONLY <unfinished ...>
				8 <... openat resumed>) = %d
				""";
		assertThat(divergences(threads.formatted(3))).isZero();
		assertThat(divergences(threads.formatted(5))).isOne();
	}

	private static int divergences(String log) throws IOException {
		try (Trace trace = Traces.of(log)) {
			return trace.report().divergences().size();
		}
	}

	@Test
	void orders_that_could_not_all_be_tried_are_counted_and_the_log_is_believed() throws IOException {
		StringBuilder log = new StringBuilder("7 execve(\"/bin/a\", [\"a\"], 0x1) = 0\n");
		for (int thread = 10; thread < 30; thread++) {
			log.append("7 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = ")
				.append(thread)
				.append('\n');
		}
		for (int thread = 10; thread < 30; thread++) {
			log.append(thread).append(" openat(AT_FDCWD, \"a\", O_RDONLY <unfinished ...>\n");
		}
		// No order of the others explains 100, but there are 20! of them.
		log.append("7 openat(AT_FDCWD, \"b\", O_RDONLY) = 100\n");
		for (int thread = 10; thread < 30; thread++) {
			log.append(thread).append(" <... openat resumed>) = -1 ENOENT (No such file or directory)\n");
		}
		try (Trace trace = Traces.of(log.toString())) {
			assertThat(trace.report().divergences()).isEmpty();
			assertThat(trace.report().undecided()).isOne();
			assertThat(TraceSummary.of(trace.report())).contains("undecided: 1 calls");
			assertThat(trace.tableAt(7, 100).fds()).extracting(TraceViews.Slot::fd).containsExactly(100);
		}
	}

	@Test
	void an_exec_in_a_thread_that_has_a_table_of_its_own_leaves_the_old_one_behind() throws IOException {
		String log = """
				7 execve("/bin/a", ["a"], 0x1) = 0
				7 openat(AT_FDCWD, "a", O_RDONLY) = 0
				7 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 8
				8 unshare(CLONE_FILES) = 0
				7 openat(AT_FDCWD, "b", O_RDONLY) = 1
				7 openat(AT_FDCWD, "fifo", O_RDONLY <unfinished ...>
				8 openat(AT_FDCWD, "c", O_RDONLY|O_CLOEXEC) = 1
				8 execve("/bin/b", ["b"], 0x1 <unfinished ...>
				7 +++ superseded by execve in pid 8 +++
				7 <... execve resumed>) = 0
				7 openat(AT_FDCWD, "d", O_RDONLY) = 1
				""";
		try (CallLog calls = Traces.calls(log)) {
			TraceReplay replay = Traces.replay(calls);
			replay.run(8);
			assertThat(replay.open()).isEqualTo(4);
			replay.run(9);
			assertThat(replay.open()).isEqualTo(2);
			assertThat(replay.find(8)).isNull();
			assertThat(replay.find(7).table.sharers).isOne();
			assertThat(replay.find(7).table.underWay).singleElement()
				.satisfies((exec) -> assertThat(exec.process).isEqualTo(replay.find(7)));
			replay.run(11);
			assertThat(replay.find(7).table.underWay).isEmpty();
			assertThat(replay.open()).isEqualTo(2);
		}
		assertThat(divergences(log)).isZero();
	}

	@Test
	void an_exec_in_a_thread_leaves_one_user_of_the_table_and_nothing_to_judge() throws IOException {
		String log = """
				7 execve("/bin/a", ["a"], 0x1) = 0
				7 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 8
				7 accept4(0, NULL, NULL, 0 <unfinished ...>
				8 execve("/bin/b", ["b"], 0x1 <unfinished ...>
				7 +++ superseded by execve in pid 8 +++
				7 <... execve resumed>) = 0
				7 openat(AT_FDCWD, "d", O_RDONLY) = 1
				""";
		try (CallLog calls = Traces.calls(log)) {
			TraceReplay replay = Traces.replay(calls);
			replay.run(5);
			assertThat(replay.find(7).table.sharers).isOne();
			assertThat(replay.find(7).table.judge).isNull();
			assertThat(replay.find(7).table.files.entries(0, 10)).isEmpty();
		}
		assertThat(divergences(log)).isZero();
	}

	@Test
	void a_blocked_open_holds_its_number_reserved() throws IOException {
		try (Trace trace = Traces.recorded("fifo.strace")) {
			TraceReport report = trace.report();
			long blocked = line("fifo.strace", "\"ff\", O_RDONLY|O_CLOEXEC <unfinished");
			int pid = report.processes().get(0).pid();
			TraceViews.Slot slot = trace.tableAt(pid, blocked).fds().getLast();
			assertThat(slot.state()).isEqualTo("RESERVED");
			assertThat(slot.origin().line()).isEqualTo(blocked);
			assertThat(slot.origin().file()).isEqualTo("ff");
			long opened = line("fifo.strace", "<... openat resumed>) = 3</srv/demo/ff>");
			assertThat(opened).isGreaterThan(blocked + 5);
			assertThat(trace.tableAt(pid, opened - 1).fds()).contains(slot);
			assertThat(trace.tableAt(pid, opened).fds()).extracting(TraceViews.Slot::fd, TraceViews.Slot::state)
				.contains(Tuple.tuple(3, "INSTALLED"));
		}
	}

	@Test
	void a_child_does_not_inherit_a_reserved_number() throws IOException {
		try (Trace trace = Traces.recorded("fifo.strace")) {
			TraceReport.ProcessSummary parent = trace.report().processes().get(0);
			TraceReport.ProcessSummary child = trace.report().processes().get(1);
			assertThat(trace.tableAt(parent.pid(), child.firstLine()).fds()).extracting(TraceViews.Slot::state)
				.contains("RESERVED");
			assertThat(trace.tableAt(child.pid(), child.firstLine()).fds()).extracting(TraceViews.Slot::fd)
				.doesNotContain(3);
			// The one that is free there is what its dup gets.
			assertThat(trace.history(child.pid(), 3).tenures()).singleElement()
				.satisfies((tenure) -> assertThat(tenure.origin().call()).isEqualTo("fcntl"));
		}
	}

	@Test
	void a_limit_of_the_log_is_learnt_and_emfile_agrees_with_it() throws IOException {
		try (Trace trace = Traces.recorded("limit.strace")) {
			assertThat(trace.report().limits().nofile()).extracting(TraceReport.Nofile::soft).contains(16L);
			assertThat(trace.report().processes().get(0).highWater()).isEqualTo(15);
			assertThat(trace.report().doubleCloses()).hasSize(1);
			TraceReport.DoubleClose twice = trace.report().doubleCloses().get(0);
			assertThat(twice.call()).isEqualTo("close");
			assertThat(twice.closedLine()).isLessThan(twice.line());
		}
	}

	@Test
	void a_loop_of_closes_is_one_finding() throws IOException {
		try (Trace trace = Traces.recorded("closeloop.strace")) {
			assertThat(trace.report().closeLoops()).singleElement().satisfies((loop) -> {
				assertThat(loop.firstFd()).isEqualTo(3);
				assertThat(loop.lastFd()).isEqualTo(40);
				assertThat(loop.calls()).isEqualTo(38);
				assertThat(loop.saved()).isEqualTo(37);
			});
			assertThat(trace.report().doubleCloses()).isEmpty();
		}
	}

	@Test
	void a_lower_limit_fails_the_first_call_beyond_it() throws IOException {
		try (Trace trace = Traces.recorded("leaky.strace")) {
			assertThat(trace.underLimit(12).failures()).singleElement().satisfies((failure) -> {
				assertThat(failure.line()).isEqualTo(228);
				assertThat(failure.fd()).isEqualTo(12);
				assertThat(failure.errno()).isEqualTo("EMFILE");
			});
			assertThat(trace.underLimit(13).failures()).isEmpty();
		}
	}

	@Test
	void every_allocator_reads_words() throws IOException {
		try (Trace trace = Traces.recorded("redis-server.strace")) {
			assertThat(trace.searchCosts().strategies()).hasSize(io.fdtable.kernel.Allocator.values().length)
				.allSatisfy((cost) -> assertThat(cost.wordsRead()).isPositive());
		}
	}

	@Test
	void a_table_is_shown_as_it_was_after_a_line() throws IOException {
		try (Trace trace = Traces.recorded("leaky.strace")) {
			assertThat(trace.tableAt(15691, 154).fds()).extracting(TraceViews.Slot::fd)
				.containsExactly(0, 1, 2, 3, 4, 10);
			assertThat(trace.tableAt(15691, 154).fds().get(4).closeOnExec()).isTrue();
			assertThat(trace.tableAt(15691, 155).fds().get(4).closeOnExec()).isFalse();
			assertThat(trace.tableAt(15692, 180)).isNull();
			assertThat(trace.tableAt(15692, 183).fds()).extracting(TraceViews.Slot::fd)
				.containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11);
			assertThat(trace.tableAt(15692, 213)).isNull();
		}
	}

	@Test
	void a_diff_tells_what_was_opened_and_closed() throws IOException {
		try (Trace trace = Traces.recorded("leaky.strace")) {
			TraceViews.TableDiff diff = trace.diff(15691, 180, 256 - 1);
			assertThat(diff.opened()).extracting(TraceViews.Slot::fd).containsExactly(12);
			assertThat(diff.closed()).extracting(TraceViews.Slot::fd).containsExactly(1, 2, 4);
			assertThat(diff.changed()).extracting(TraceViews.Slot::fd).containsExactly(9, 11);
		}
	}

	@Test
	void a_history_tells_who_held_a_number() throws IOException {
		try (Trace trace = Traces.recorded("leaky.strace")) {
			assertThat(trace.history(15691, 9).tenures())
				.extracting(TraceViews.Tenure::from, TraceViews.Tenure::to, (tenure) -> tenure.origin().call())
				.containsExactly(Tuple.tuple(179L, 217L, "pipe2"), Tuple.tuple(218L, 256L, "openat"));
			assertThat(trace.history(15691, 500).tenures()).isEmpty();
		}
	}

	@Test
	void the_summary_is_for_people() throws IOException {
		try (Trace trace = Traces.recorded("leaky.strace")) {
			assertThat(TraceSummary.of(trace.report()))
				.contains("into /usr/bin/cat /dev/null (pid 15692, exec at line 186)")
				.contains("8  openat /srv/demo/secret, line 174; close-on-exec taken off at line 175")
				.contains("Divergences: none")
				.contains("open from the start: 0 1 2 10");
		}
	}

	@Test
	void the_summary_shows_no_highest_number_of_a_process_that_was_given_none() throws IOException {
		try (Trace trace = Traces.of("1 close(2) = 0\n1 exit_group(0) = ?\n1 +++ exited with 0 +++\n")) {
			assertThat(TraceSummary.of(trace.report()).lines()).contains(
					"        1        -           -          1       0  (unknown)", "  most open in all: 1, at line 1");
		}
	}

	@Test
	void the_most_that_a_child_had_open_is_what_it_came_with_if_it_only_closes() throws IOException {
		String log = """
				1 openat(AT_FDCWD, "a", 0) = 0
				1 openat(AT_FDCWD, "b", 0) = 1
				1 fork() = 2
				2 close(0) = 0
				2 close(1) = 0
				""";
		try (Trace trace = Traces.of(log)) {
			TraceReport.ProcessSummary child = trace.report().processes().getLast();
			assertThat(child.pid()).isEqualTo(2);
			assertThat(child.peakOpen()).isEqualTo(2);
			assertThat(child.peakOpenLine()).isEqualTo(3);
			assertThat(trace.report().peak().open()).isEqualTo(4);
			assertThat(trace.report().peak().line()).isEqualTo(3);
		}
	}

	@Test
	void two_replays_give_the_same_report() throws IOException {
		try (Trace one = Traces.recorded("threads.strace"); Trace two = Traces.recorded("threads.strace")) {
			assertThat(one.report()).isEqualTo(two.report());
		}
	}

	@Test
	void millions_of_processes_are_cut_off_with_a_word() throws IOException {
		StringBuilder log = new StringBuilder();
		for (int pid = 1; pid <= 200_000; pid++) {
			log.append(pid).append(" openat(AT_FDCWD, \"a\", O_RDONLY) = 3\n");
		}
		try (Trace trace = Traces.of(log.toString())) {
			assertThat(trace.report().lines()).isEqualTo(200_000);
			assertThat(trace.report().limits().capped()).contains("threads alive at once: 8192");
			assertThat(trace.report().processes()).hasSizeLessThanOrEqualTo(10_000);
		}
	}

	@Test
	void forks_of_a_table_too_large_to_copy_are_not_taken_for_too_many_threads() throws IOException {
		StringBuilder log = new StringBuilder("1 dup2(0, 1000000) = 1000000\n");
		for (int pid = 2; pid <= 2000; pid++) {
			log.append("1 fork() = ").append(pid).append('\n');
		}
		try (Trace trace = Traces.of(log.toString())) {
			assertThat(trace.report().limits().capped()).singleElement(InstanceOfAssertFactories.STRING)
				.startsWith("memory of the tables: " + Runtime.getRuntime().maxMemory() / 16 + " bytes");
		}
	}

	@Test
	void a_log_that_needs_more_disk_than_is_left_is_refused_and_gives_back_what_it_took() throws IOException {
		byte[] log = Traces.text("threads.strace").getBytes(StandardCharsets.ISO_8859_1);
		TraceDisk disk = new TraceDisk(110_000);
		long needed;
		try (Trace trace = Trace.read(new ByteArrayInputStream(log), disk, Sysctl.unbounded(), TraceProgress.NONE)) {
			assertThat(trace.report().divergences()).isEmpty();
			needed = disk.used();
			assertThat(needed).isBetween(12_000L, 110_000L);
		}
		assertThat(disk.used()).isZero();
		TraceDisk tooSmall = new TraceDisk(needed - 1);
		assertThatExceptionOfType(TraceRefusedException.class)
			.isThrownBy(
					() -> Trace.read(new ByteArrayInputStream(log), tooSmall, Sysctl.unbounded(), TraceProgress.NONE))
			.withMessageContaining("may take " + (needed - 1) + " bytes")
			.extracting(TraceRefusedException::reason)
			.isEqualTo(TraceRefusedException.Reason.TOO_MANY);
		assertThat(tooSmall.used()).isZero();
	}

	@Test
	void numbers_closed_that_nobody_opened_are_followed_all_the_same() throws IOException {
		StringBuilder log = new StringBuilder();
		for (int i = 0; i < 649; i++) {
			log.append(1000 + i % 500).append(" close(").append(i).append(") = 0\n");
			log.append('1').append(i % 3000).append(" openat(AT_FDCWD, \"/x\", O_RDONLY) = ").append(i).append('\n');
		}
		try (Trace trace = Traces.of(log.toString())) {
			assertThat(trace.report().lines()).isEqualTo(2 * 649);
		}
	}

	@Test
	void huge_numbers_do_not_fill_the_memory() throws IOException {
		StringBuilder log = new StringBuilder();
		for (int pid = 1; pid < 300; pid++) {
			log.append(pid)
				.append(" dup2(0, ")
				.append(1_000_000 + pid)
				.append(") = ")
				.append(1_000_000 + pid)
				.append('\n');
			log.append(pid).append(" openat(AT_FDCWD, \"a\", 0) = 2000000000\n");
		}
		try (Trace trace = Traces.of(log.toString())) {
			assertThat(trace.report().limits().capped()).isNotEmpty();
		}
	}

	private static String edit(String name, Function<String, String> edit) {
		return Traces.text(name).lines().map(edit).collect(Collectors.joining("\n", "", "\n"));
	}

	private static long line(String name, String part) {
		List<String> lines = Traces.text(name).lines().toList();
		for (int i = 0; i < lines.size(); i++) {
			if (lines.get(i).contains(part)) {
				return i + 1L;
			}
		}
		throw new IllegalArgumentException(part);
	}

}
