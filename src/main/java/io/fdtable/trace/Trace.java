package io.fdtable.trace;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.Sysctl;
import org.jspecify.annotations.Nullable;

/**
 * A log of strace that has been read, and all that can be asked of it.
 *
 * <p>
 * What matters of the log is kept in a temporary file, and each question is answered by
 * replaying that; questions about a line go on from {@link KeptReplays replays that
 * stopped before it}. Safe from any thread; close it to free the file.
 */
public final class Trace implements Closeable {

	/**
	 * How many replays there may be at a time in the whole service, as each may take a
	 * quarter of the heap, and the memory budget is a third of it. Whoever comes later
	 * waits; none waits for a client while it has its turn.
	 */
	private static final Semaphore TURNS = new Semaphore(2, true);

	private static final ReplayListener SILENT = new ReplayListener() {
	};

	private final CallLog log;

	private final InitialDescriptors initial;

	private final TraceReport report;

	private final KeptReplays kept;

	private Trace(CallLog log, InitialDescriptors initial, TraceReport report, KeptReplays kept) {
		this.log = log;
		this.initial = initial;
		this.report = report;
		this.kept = kept;
	}

	/**
	 * Reads a log and replays it.
	 * @param in the output of strace, read to its end
	 * @param disk has room for the calls, which take about a tenth of the log
	 * @param sysctl whose memory budget pays for what makes later questions fast
	 * @param progress is told how far the reading is
	 * @return the log with its report
	 * @throws TraceRefusedException if the disk has no room left
	 * @throws IOException if the stream or the temporary file fails
	 */
	static Trace read(InputStream in, TraceDisk disk, Sysctl sysctl, TraceProgress progress) throws IOException {
		CallLog log = new CallLog(disk);
		boolean isRead = false;
		try {
			StraceParser parser = new StraceParser(in);
			BitSet seen = new BitSet();
			List<String> notes = new ArrayList<>();
			record(parser, log, seen, progress);
			note(seen, notes);
			InitialDescriptors initial = inTurn(() -> rehearse(log));
			TraceReport report = inTurn(() -> report(log, parser, initial, notes));
			isRead = true;
			return new Trace(log, initial, report, new KeptReplays(sysctl));
		}
		finally {
			if (!isRead) {
				log.close();
			}
		}
	}

	private interface Replaying<T extends @Nullable Object> {

		T run() throws IOException;

	}

	/** Does what makes one replay, which must not outlive it unless it is kept. */
	private static <T extends @Nullable Object> T inTurn(Replaying<T> replaying) throws IOException {
		TURNS.acquireUninterruptibly();
		try {
			return replaying.run();
		}
		finally {
			TURNS.release();
		}
	}

	/** Finds out what was open from the start, and keeps nothing else. */
	private static InitialDescriptors rehearse(CallLog log) throws IOException {
		InitialDescriptors initial = new InitialDescriptors();
		new TraceReplay(log, Allocator.WORD_FIRST, initial, SILENT).run(Long.MAX_VALUE);
		initial.complete();
		return initial;
	}

	private static TraceReport report(CallLog log, StraceParser parser, InitialDescriptors initial, List<String> notes)
			throws IOException {
		Findings findings = new Findings(log);
		TraceReplay replay = new TraceReplay(log, Allocator.WORD_FIRST, initial, findings);
		findings.watch(replay);
		replay.run(Long.MAX_VALUE);
		replay.finish();
		return findings.report(parser, initial, List.copyOf(notes));
	}

	private static void record(StraceParser parser, CallLog log, BitSet seen, TraceProgress progress)
			throws IOException {
		Call call = parser.next();
		while (call != null) {
			seen.set(call.type.id());
			long offset = log.append(call);
			if (call.phase == Call.Phase.START) {
				parser.startedAt(offset);
			}
			progress.read(parser.lines(), parser.bytes());
			call = parser.next();
		}
		log.setUnnamedPid(parser.unnamedPid());
		log.flush();
	}

	private static void note(BitSet seen, List<String> notes) {
		if (!isSeen(seen, "close_range")) {
			notes.add("no close_range in the log: if it was not traced, descriptors that it closed count as open");
		}
		if (!isSeen(seen, "openat") && !isSeen(seen, "open")) {
			notes.add("no open in the log: trace with -e trace=%desc,%process,%network,close_range");
		}
		if (isSeen(seen, "io_uring_setup")) {
			notes.add("io_uring in the log: strace does not see what a ring opens, accepts, receives or closes");
		}
	}

	private static boolean isSeen(BitSet seen, String name) {
		return seen.stream().anyMatch((id) -> CallType.byId(id).name().equals(name));
	}

	/** Returns what the log says about descriptors. */
	public TraceReport report() {
		return this.report;
	}

	/**
	 * Returns a table as it was just after a line.
	 * @param pid the process, or any thread of it
	 * @param line the line, from 1
	 * @return null if no such process was alive then
	 * @throws IOException if the temporary file cannot be read
	 */
	public TraceViews.@Nullable TableAt tableAt(int pid, long line) throws IOException {
		return inTurn(() -> replayTable(pid, line));
	}

	private TraceViews.@Nullable TableAt replayTable(int pid, long line) throws IOException {
		TraceReplay replay = replayFrom(line);
		replay.run(line);
		TraceViews.TableAt table = tableOf(replay, pid, line);
		this.kept.keep(replay);
		return table;
	}

	/**
	 * Returns what became of a table between two lines.
	 * @param pid the process, or any thread of it
	 * @param from the earlier line
	 * @param to the later line
	 * @return null if no such process was alive at either of them
	 * @throws IOException if the temporary file cannot be read
	 */
	public TraceViews.@Nullable TableDiff diff(int pid, long from, long to) throws IOException {
		return inTurn(() -> replayDiff(pid, from, to));
	}

	private TraceViews.@Nullable TableDiff replayDiff(int pid, long from, long to) throws IOException {
		TraceReplay replay = replayFrom(from);
		replay.run(from);
		TraceViews.TableAt before = tableOf(replay, pid, from);
		replay.run(to);
		TraceViews.TableAt after = tableOf(replay, pid, to);
		this.kept.keep(replay);
		return (before != null && after != null) ? diff(before, after) : null;
	}

	/** Returns a replay that has not passed a line, the furthest that there is. */
	private TraceReplay replayFrom(long line) {
		TraceReplay replay = this.kept.take(Math.max(0, line));
		return (replay != null) ? replay : replay(Allocator.WORD_FIRST, SILENT);
	}

	private static TraceViews.TableDiff diff(TraceViews.TableAt before, TraceViews.TableAt after) {
		Map<Integer, TraceViews.Slot> old = new TreeMap<>();
		before.fds().forEach((slot) -> old.put(slot.fd(), slot));
		List<TraceViews.Slot> opened = new ArrayList<>();
		List<TraceViews.Slot> changed = new ArrayList<>();
		for (TraceViews.Slot slot : after.fds()) {
			TraceViews.Slot former = old.remove(slot.fd());
			if (former == null) {
				opened.add(slot);
			}
			else if (!former.equals(slot)) {
				changed.add(slot);
			}
		}
		return new TraceViews.TableDiff(before.pid(), before.line(), after.line(), opened, List.copyOf(old.values()),
				changed);
	}

	private TraceViews.@Nullable TableAt tableOf(TraceReplay replay, int pid, long line) throws IOException {
		TracedProcess process = replay.find(pid);
		if (process == null) {
			return null;
		}
		CallLog.Reader reader = this.log.reader();
		List<TraceViews.Slot> slots = new ArrayList<>();
		for (FdEntry entry : process.table.files.entries(0, TraceReplay.NR_OPEN)) {
			slots.add(slot(process, reader, entry));
		}
		return new TraceViews.TableAt(pid, line, command(process, reader), slots);
	}

	private TraceViews.Slot slot(TracedProcess process, CallLog.Reader reader, FdEntry entry) throws IOException {
		return new TraceViews.Slot(entry.fd(), entry.isReserved() ? "RESERVED" : "INSTALLED", entry.closeOnExec(),
				entry.isReserved() ? reserver(process, reader, entry.fd())
						: Findings.origin(this.log, reader, process.table, entry));
	}

	private TraceReport.Origin reserver(TracedProcess process, CallLog.Reader reader, int fd) throws IOException {
		for (CallUnderWay underWay : process.table.underWay) {
			if (underWay.reserved == fd) {
				Call call = this.log.at(reader, underWay.call.offset);
				return new TraceReport.Origin(underWay.startLine, underWay.process.pid, underWay.call.type.name(),
						(call != null) ? Findings.textOf(call) : null);
			}
		}
		return new TraceReport.Origin(null, null, "untraced", null);
	}

	private @Nullable String command(TracedProcess process, CallLog.Reader reader) throws IOException {
		Call call = this.log.at(reader, process.leader.program);
		return (call != null) ? Findings.textOf(call) : null;
	}

	/**
	 * Returns who held a number in a process, and when.
	 * @param pid the process
	 * @param fd the number
	 * @return an empty history if nobody did
	 * @throws IOException if the temporary file cannot be read
	 */
	public TraceViews.History history(int pid, int fd) throws IOException {
		DescriptorHistory history = new DescriptorHistory(this.log, pid, fd);
		inTurn(() -> replay(Allocator.WORD_FIRST, history).run(Long.MAX_VALUE));
		return history.result();
	}

	/**
	 * Returns which call of each process would have been the first to fail.
	 * @param nofile a soft RLIMIT_NOFILE that no process raises
	 * @return at most {@value Findings#MAX} processes, in the order of their failures
	 * @throws IOException if the temporary file cannot be read
	 */
	public TraceViews.UnderLimit underLimit(int nofile) throws IOException {
		LimitProbe probe = new LimitProbe(nofile);
		inTurn(() -> replay(Allocator.WORD_FIRST, probe).run(Long.MAX_VALUE));
		CallLog.Reader reader = this.log.reader();
		List<TraceViews.Failure> failures = new ArrayList<>();
		for (LimitProbe.Hit hit : probe.hits()) {
			Call program = this.log.at(reader, hit.program());
			failures.add(new TraceViews.Failure(hit.pid(), (program != null) ? Findings.textOf(program) : null,
					hit.line(), hit.call(), hit.fd(), hit.errno()));
		}
		return new TraceViews.UnderLimit(nofile, failures);
	}

	/**
	 * Returns what the searches for free numbers cost with each strategy.
	 * @return one entry for each of {@link Allocator}
	 * @throws IOException if the temporary file cannot be read
	 */
	public TraceViews.SearchCosts searchCosts() throws IOException {
		List<TraceViews.SearchCost> costs = new ArrayList<>();
		for (Allocator allocator : Allocator.values()) {
			costs.add(inTurn(() -> searchCost(allocator)));
		}
		return new TraceViews.SearchCosts(costs);
	}

	private TraceViews.SearchCost searchCost(Allocator allocator) throws IOException {
		SearchMeter meter = new SearchMeter();
		TraceReplay replay = replay(allocator, meter);
		replay.run(Long.MAX_VALUE);
		replay.finish();
		return new TraceViews.SearchCost(allocator.name(), meter.searches(), meter.wordsRead());
	}

	private TraceReplay replay(Allocator allocator, ReplayListener listener) {
		return new TraceReplay(this.log, allocator, this.initial, listener);
	}

	/** Returns how many replays are kept. */
	int keptReplays() {
		return this.kept.size();
	}

	@Override
	public void close() {
		this.kept.close();
		try {
			this.log.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
