package io.fdtable.trace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.OpenFile;
import org.jspecify.annotations.Nullable;

/**
 * Collects from a replay what a person wants to know of a log. Bounded: what goes beyond
 * a bound is left out, and the report says so.
 */
final class Findings implements ReplayListener {

	/** How many findings of each kind, and how many processes, are kept. */
	static final int MAX = 10_000;

	/** Shorter runs of closes are no loop. */
	private static final int LOOP = 16;

	private static final int MAX_ALSO = 32;

	private final CallLog log;

	private final CallLog.Reader reader;

	private final List<TraceReport.ProcessSummary> processes = new ArrayList<>();

	private final List<TraceReport.Divergence> divergences = new ArrayList<>();

	private final List<TraceReport.Leak> leaks = new ArrayList<>();

	private final List<TraceReport.Inherited> inherited = new ArrayList<>();

	private final List<TraceReport.DoubleClose> doubleCloses = new ArrayList<>();

	private final List<TraceReport.CloseLoop> closeLoops = new ArrayList<>();

	private final List<TraceReport.Nofile> limits = new ArrayList<>();

	private final Set<String> capped = new LinkedHashSet<>();

	private final Map<TracedProcess, CloseRun> runs = new HashMap<>();

	private final PeakMeter peak = new PeakMeter();

	private long undecided;

	private @Nullable TraceReplay replay;

	Findings(CallLog log) {
		this.log = log;
		this.reader = log.reader();
	}

	void watch(TraceReplay watched) {
		this.replay = watched;
	}

	/** Closes of ascending numbers, one after another. */
	private static final class CloseRun {

		private final long firstLine;

		private final int firstFd;

		private long lastLine;

		private int nextFd;

		private int calls;

		private int closed;

		private final List<TraceReport.DoubleClose> failures = new ArrayList<>();

		CloseRun(long line, int fd) {
			this.firstLine = line;
			this.firstFd = fd;
			this.nextFd = fd;
		}

	}

	// Processes

	@Override
	public void began(TracedProcess process, @Nullable Call call) {
		// Its first call may be a close.
		notePeak(process, process.firstLine);
	}

	private void notePeak(TracedProcess process, long line) {
		TracedProcess leader = process.leader;
		if (process.table.open > leader.peakOpen) {
			leader.peakOpen = process.table.open;
			leader.peakOpenLine = line;
		}
		if (this.replay != null) {
			this.peak.record(line, this.replay.open());
		}
	}

	@Override
	public void made(TracedProcess process, int fd, Call call) {
		TracedProcess leader = process.leader;
		if (fd > leader.highWater) {
			leader.highWater = fd;
			leader.highWaterLine = call.line;
		}
		leader.survivors.clear(fd);
	}

	@Override
	public void after(TracedProcess process, Call call) {
		notePeak(process, call.line);
		if (call.op == Op.LIMIT && call.succeeded() && call.phase != Call.Phase.START) {
			add(this.limits, "limits", new TraceReport.Nofile(process.pid, call.line, call.arg, call.type.name()));
		}
		else if (call.failedWith("EMFILE") && call.phase != Call.Phase.START) {
			add(this.limits, "limits",
					new TraceReport.Nofile(process.pid, call.line, process.task.nofile().soft(), call.type.name()));
		}
	}

	@Override
	public void ending(TracedProcess process, long line) {
		if (!process.isLeader()) {
			return;
		}
		flushRun(process);
		flushSurvivors(process);
		if (process.table.sharers == 1) {
			leaks(process, line != 0);
		}
		add(this.processes, "processes",
				new TraceReport.ProcessSummary(process.pid, process.parentPid, text(process.program), process.firstLine,
						(line != 0) ? line : null, process.threadCount, process.calls, process.table.open,
						process.highWater, (process.highWater >= 0) ? process.highWaterLine : null, process.peakOpen,
						process.peakOpenLine));
	}

	private void leaks(TracedProcess process, boolean atExit) {
		TracedTable table = process.table;
		for (FdEntry entry : table.files.entries(3, MAX)) {
			Call made = call(table.made(entry.fd()));
			if (made != null && made.line >= process.firstLine && entry.file() != null) {
				add(this.leaks, "leaks", new TraceReport.Leak(process.pid, entry.fd(), origin(table, entry), atExit));
			}
		}
	}

	// What goes through an exec

	@Override
	public void executing(TracedProcess process, Call call) {
		flushRun(process.leader);
		flushSurvivors(process.leader);
	}

	@Override
	public void executed(TracedProcess process, Call call) {
		TracedProcess leader = process.leader;
		leader.execLine = call.line;
		for (FdEntry entry : process.table.files.entries(3, MAX)) {
			if (!entry.isReserved() && process.table.made(entry.fd()) != TracedTable.INITIAL) {
				leader.survivors.set(entry.fd());
			}
		}
	}

	@Override
	public void used(TracedProcess process, int fd, Call call) {
		process.leader.survivors.clear(fd);
	}

	private void flushSurvivors(TracedProcess leader) {
		for (int fd = leader.survivors.nextSetBit(0); fd >= 0; fd = leader.survivors.nextSetBit(fd + 1)) {
			FdEntry entry = leader.table.files.entry(fd);
			if (entry != null) {
				Call cleared = call(leader.table.cleared(fd));
				add(this.inherited, "inherited descriptors", new TraceReport.Inherited(leader.pid, text(leader.program),
						leader.execLine, fd, origin(leader.table, entry), (cleared != null) ? cleared.line : null));
			}
		}
		leader.survivors.clear();
	}

	// Closing

	@Override
	public void closing(TracedProcess process, int fd, Call call) {
		process.leader.survivors.clear(fd);
		if (call.op == Op.CLOSE) {
			extendRun(process, fd, call).closed++;
		}
	}

	@Override
	public void notOpen(TracedProcess process, int fd, Call call) {
		Call closed = call(process.table.closed(fd));
		TraceReport.DoubleClose failure = (closed == null || call.op == Op.GET_CLOEXEC) ? null
				: new TraceReport.DoubleClose(call.line, process.pid, call.type.name(), fd, closed.line);
		if (call.op == Op.CLOSE) {
			CloseRun run = extendRun(process, fd, call);
			if (failure != null && run.failures.size() < LOOP) {
				run.failures.add(failure);
			}
		}
		else if (failure != null) {
			add(this.doubleCloses, "double closes", failure);
		}
	}

	private CloseRun extendRun(TracedProcess process, int fd, Call call) {
		CloseRun run = this.runs.get(process.leader);
		if (run == null || run.nextFd != fd) {
			flushRun(process.leader);
			run = new CloseRun(call.line, fd);
			this.runs.put(process.leader, run);
		}
		run.nextFd = fd + 1;
		run.lastLine = call.line;
		run.calls++;
		return run;
	}

	private void flushRun(TracedProcess leader) {
		CloseRun run = this.runs.remove(leader);
		if (run == null) {
			return;
		}
		if (run.calls >= LOOP && run.closed * 2 <= run.calls) {
			add(this.closeLoops, "close loops", new TraceReport.CloseLoop(leader.pid, run.firstLine, run.lastLine,
					run.firstFd, run.nextFd - 1, run.calls, run.closed, run.calls - 1));
		}
		else {
			run.failures.forEach((failure) -> add(this.doubleCloses, "double closes", failure));
		}
	}

	// Divergences

	@Override
	public void diverged(TraceReport.Divergence divergence) {
		add(this.divergences, "divergences", divergence);
	}

	@Override
	public void divergedAgain(int number, int fd) {
		if (number > this.divergences.size()) {
			return;
		}
		TraceReport.Divergence first = this.divergences.get(number - 1);
		List<Integer> also = new ArrayList<>(first.alsoFds());
		if (fd != first.fd() && !also.contains(fd) && also.size() < MAX_ALSO) {
			also.add(fd);
		}
		this.divergences.set(number - 1,
				new TraceReport.Divergence(first.line(), first.pid(), first.call(), first.kind(), first.fd(),
						first.expected(), first.actual(), first.model(), first.log(), first.reason(), List.copyOf(also),
						first.count() + 1));
	}

	@Override
	public void undecided() {
		this.undecided++;
	}

	@Override
	public void capped(String what) {
		this.capped.add(what);
	}

	private <T> void add(List<T> list, String what, T item) {
		if (list.size() < MAX) {
			list.add(item);
		}
		else {
			this.capped.add(what + ": " + MAX);
		}
	}

	// Where things come from

	private TraceReport.Origin origin(TracedTable table, FdEntry entry) {
		return origin(this.log, this.reader, table, entry);
	}

	static TraceReport.Origin origin(CallLog log, CallLog.Reader reader, TracedTable table, FdEntry entry) {
		try {
			long at = table.made(entry.fd());
			Call made = log.at(reader, at);
			Call named = log.at(reader, table.named(entry.fd()));
			OpenFile file = entry.file();
			String label = (file != null) ? file.label() : null;
			Call opened = (label != null) ? log.at(reader, Long.parseLong(label)) : null;
			String text = (named != null) ? textOf(named) : (opened != null) ? textOf(opened) : null;
			if (made == null) {
				return new TraceReport.Origin(null, null, (at == TracedTable.INITIAL) ? "initial" : "untraced", text);
			}
			return new TraceReport.Origin((made.phase == Call.Phase.END) ? made.startLine : made.line, made.pid,
					made.type.name(), text);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static @Nullable String textOf(Call call) {
		return (call.textLength > 0) ? StraceText.unescape(call.textAsString()) : null;
	}

	private @Nullable Call call(long offset) {
		try {
			return this.log.at(this.reader, offset);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private @Nullable String text(long offset) {
		Call call = call(offset);
		return (call != null) ? textOf(call) : null;
	}

	TraceReport report(StraceParser parser, InitialDescriptors initial, List<String> notes) {
		List<TraceReport.Initial> open = new ArrayList<>();
		for (int root = 0; root < initial.roots() && open.size() < MAX; root++) {
			int at = root;
			initial.of(root)
				.stream()
				.limit(MAX - open.size())
				.forEach((fd) -> open.add(new TraceReport.Initial(initial.pid(at), fd, initial.isCloseOnExec(at, fd),
						initial.line(at, fd))));
		}
		this.processes.sort(Comparator.comparingLong(TraceReport.ProcessSummary::firstLine));
		this.inherited.sort(Comparator.comparingLong(TraceReport.Inherited::execLine));
		this.doubleCloses.sort(Comparator.comparingLong(TraceReport.DoubleClose::line));
		return new TraceReport(parser.lines(), parser.calls(), parser.ignored(), parser.unparsed(),
				List.copyOf(parser.samples()), List.copyOf(this.processes), open, List.copyOf(this.divergences),
				this.undecided, List.copyOf(this.leaks), List.copyOf(this.inherited), List.copyOf(this.doubleCloses),
				List.copyOf(this.closeLoops), this.peak.peak(),
				new TraceReport.Limits(List.copyOf(this.limits), List.copyOf(this.capped)), notes);
	}

}
