package io.fdtable.trace;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * A report as a person reads it in a terminal.
 */
public final class TraceSummary {

	/** How many items of each kind are printed. */
	private static final int MAX = 40;

	private final StringBuilder text = new StringBuilder();

	private TraceSummary() {
	}

	/**
	 * Writes a report as text.
	 * @param report the report
	 * @return lines of at most some 120 characters, the last one ended too
	 */
	public static String of(TraceReport report) {
		TraceSummary summary = new TraceSummary();
		summary.write(report);
		return summary.text.toString();
	}

	private void write(TraceReport report) {
		line("%,d lines, %,d calls, %d processes; %,d lines could not be read; %d divergences", report.lines(),
				report.calls(), report.processes().size(), report.unparsed(), report.divergences().size());
		inherited(report.inherited());
		leaks(report);
		doubleCloses(report);
		processes(report);
		divergences(report);
		for (TraceReport.UnreadableLine unreadable : report.unreadable()) {
			line("! line %d: %s: %s", unreadable.line(), unreadable.reason(), unreadable.text());
		}
		report.limits().capped().forEach((cap) -> line("! bound met: %s", cap));
		report.notes().forEach((note) -> line("! %s", note));
	}

	private void inherited(List<TraceReport.Inherited> inherited) {
		heading("Leaked through exec (open in the new program, and not used by it)", inherited.size());
		long exec = 0;
		for (TraceReport.Inherited item : first(inherited)) {
			if (item.execLine() != exec) {
				line("  into %s (pid %d, exec at line %d)", orUnknown(item.command()), item.pid(), item.execLine());
				exec = item.execLine();
			}
			line("    %4d  %s%s", item.fd(), origin(item.origin()), (item.clearedLine() != null)
					? "; close-on-exec taken off at line " + item.clearedLine() : "; opened without close-on-exec");
		}
		more(inherited);
	}

	private void leaks(TraceReport report) {
		heading("Never closed by the process that opened them", report.leaks().size());
		for (TraceReport.Leak leak : first(report.leaks())) {
			line("  pid %d  %4d  %s", leak.pid(), leak.fd(), origin(leak.origin()));
		}
		more(report.leaks());
	}

	private void doubleCloses(TraceReport report) {
		heading("Used or closed after close", report.doubleCloses().size());
		for (TraceReport.DoubleClose item : first(report.doubleCloses())) {
			line("  line %d: pid %d %s(%d) got EBADF; closed at line %d", item.line(), item.pid(), item.call(),
					item.fd(), item.closedLine());
		}
		more(report.doubleCloses());
		for (TraceReport.CloseLoop loop : first(report.closeLoops())) {
			line("  lines %d-%d: pid %d closes %d to %d one by one, %d of them open; close_range saves %d calls",
					loop.firstLine(), loop.lastLine(), loop.pid(), loop.firstFd(), loop.lastFd(), loop.closed(),
					loop.saved());
		}
		more(report.closeLoops());
	}

	private void processes(TraceReport report) {
		heading("Processes", report.processes().size());
		line("      pid   parent  highest fd  most open  at end  command");
		for (TraceReport.ProcessSummary process : first(report.processes())) {
			line("  %7d  %7s  %10s  %9d  %6d  %s", process.pid(),
					(process.parent() != null) ? process.parent().toString() : "-",
					(process.highWater() >= 0) ? Integer.toString(process.highWater()) : "-", process.peakOpen(),
					process.openAtEnd(), orUnknown(process.command()));
		}
		more(report.processes());
		line("  most open in all: %d, at line %d", report.peak().open(), report.peak().line());
		if (!report.initial().isEmpty()) {
			StringBuilder fds = new StringBuilder();
			for (TraceReport.Initial initial : first(report.initial())) {
				fds.append(' ').append(initial.fd());
			}
			line("  open from the start:%s", fds);
		}
	}

	private void divergences(TraceReport report) {
		heading("Divergences", report.divergences().size());
		for (TraceReport.Divergence item : first(report.divergences())) {
			line("  line %d: pid %d %s: expected %s, log has %s (%d times)", item.line(), item.pid(), item.call(),
					item.expected(), item.actual(), item.count());
			line("    likely: %s", item.reason());
		}
		more(report.divergences());
		if (report.undecided() > 0) {
			line("  undecided: %,d calls that overlapped with too many others to try every order", report.undecided());
		}
	}

	private static String origin(TraceReport.Origin origin) {
		String file = (origin.file() != null) ? " " + origin.file() : "";
		return (origin.line() != null) ? origin.call() + file + ", line " + origin.line() : origin.call() + file;
	}

	private static String orUnknown(@Nullable String command) {
		return (command != null) ? command : "(unknown)";
	}

	private static <T> List<T> first(List<T> items) {
		return items.subList(0, Math.min(items.size(), MAX));
	}

	private void more(List<?> items) {
		if (items.size() > MAX) {
			line("  ... and %,d more", items.size() - MAX);
		}
	}

	private void heading(String title, int count) {
		line("");
		line("%s: %s", title, (count == 0) ? "none" : Integer.toString(count));
	}

	@SuppressWarnings("AnnotateFormatMethod") // its annotation is in a library of its own
	private void line(String format, Object... arguments) {
		// Whatever a log contains, the terminal must not act on it.
		String line = String.format(Locale.ROOT, format, arguments).replaceAll("\\p{Cntrl}", "?");
		this.text.append(line).append('\n');
	}

}
