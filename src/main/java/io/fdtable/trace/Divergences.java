package io.fdtable.trace;

import java.util.ArrayList;
import java.util.List;

import io.fdtable.kernel.FdEntry;
import io.fdtable.trace.TraceReport.Divergence;
import io.fdtable.trace.TraceReport.DivergenceKind;
import org.jspecify.annotations.Nullable;

/**
 * Reports where log and model differ. Differences that one and the same untraced call
 * explains count as one.
 *
 * <p>
 * Tested by TraceTest, on recorded logs and on parts of them.
 */
final class Divergences {

	private static final int MAX_DIVERGENCES = 100_000;

	private final ReplayListener listener;

	private int count;

	Divergences(ReplayListener listener) {
		this.listener = listener;
	}

	/** Reports a difference, or counts it with an earlier one of the same cause. */
	void diverge(TracedProcess process, Call call, DivergenceKind kind, int fd, String expected, String actual) {
		if (process.leader.isLost) {
			return;
		}
		TracedTable table = process.table;
		TracedTable.LastDivergence last = table.lastDivergences.get(kind);
		long since = (kind == DivergenceKind.OPEN_IN_LOG) ? table.closed(fd) : table.made(fd);
		if (last != null && since < last.offset() && kind != DivergenceKind.CLOSE_ON_EXEC) {
			this.listener.divergedAgain(last.number(), fd);
			return;
		}
		if (this.count == MAX_DIVERGENCES) {
			this.listener.capped("divergences: " + MAX_DIVERGENCES);
			return;
		}
		List<String> model = around(table, fd, null);
		List<String> inLog = around(table, fd, switch (kind) {
			case OPEN_IN_LOG -> "open";
			case FREE_IN_LOG -> "free";
			case CLOSE_ON_EXEC, LIMIT -> null;
		});
		this.count++;
		table.lastDivergences.put(kind, new TracedTable.LastDivergence(this.count, call.offset));
		this.listener.diverged(new Divergence(call.line, process.pid, call.type.name(), kind, fd, expected, actual,
				model, inLog, reason(process, kind, fd), List.of(), 1));
	}

	/** Reports that nobody can tell whether the log and the model differ. */
	void undecided(TracedProcess process) {
		if (!process.leader.isLost) {
			this.listener.undecided();
		}
	}

	private static List<String> around(TracedTable table, int fd, @Nullable String state) {
		List<String> slots = new ArrayList<>();
		for (int i = Math.max(0, fd - 3); i <= fd + 3; i++) {
			FdEntry entry = table.files.entry(i);
			String model = (entry == null) ? "free" : entry.isReserved() ? "reserved" : "open";
			slots.add(i + " " + ((i == fd && state != null) ? state : model));
		}
		return slots;
	}

	private static String reason(TracedProcess process, DivergenceKind kind, int fd) {
		if (kind == DivergenceKind.LIMIT) {
			return "the limit was changed outside the trace";
		}
		if (kind == DivergenceKind.CLOSE_ON_EXEC) {
			return "FD_CLOEXEC was changed by a call that is not in the log, such as ioctl or close_range";
		}
		String threads = (process.table.sharers > 1) ? ", or a thread did whose calls are not in the log" : "";
		if (kind == DivergenceKind.FREE_IN_LOG) {
			return "a call that is not in the log closed " + fd + ", such as close_range" + threads;
		}
		return (process.program == 0 && process.parentPid == null)
				? "the process was started with " + fd + " open, or a call that is not in the log opened it"
				: "a call that is not in the log opened " + fd + threads;
	}

}
