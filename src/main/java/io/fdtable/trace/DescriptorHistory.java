package io.fdtable.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.fdtable.kernel.FdEntry;
import org.jspecify.annotations.Nullable;

/**
 * Writes down who holds one number of one process.
 */
final class DescriptorHistory implements ReplayListener {

	private final CallLog log;

	private final CallLog.Reader reader;

	private final int pid;

	private final int fd;

	private final List<TraceViews.Tenure> tenures = new ArrayList<>();

	private boolean isTruncated;

	private long made;

	private long from;

	private TraceReport.@Nullable Origin origin;

	DescriptorHistory(CallLog log, int pid, int fd) {
		this.log = log;
		this.reader = log.reader();
		this.pid = pid;
		this.fd = fd;
	}

	@Override
	public void began(TracedProcess process, @Nullable Call call) {
		if (process.pid == this.pid) {
			look(process, process.firstLine);
		}
	}

	@Override
	public void after(TracedProcess process, Call call) {
		// Any thread that shares the table may have changed it.
		TracedProcess watched = (process.pid == this.pid) ? process : sharer(process);
		if (watched != null) {
			look(watched, call.line);
		}
	}

	private @Nullable TracedProcess sharer(TracedProcess process) {
		for (TracedProcess thread : process.leader.threads) {
			if (thread.pid == this.pid && Objects.equals(thread.table, process.table)) {
				return thread;
			}
		}
		return null;
	}

	@Override
	public void ending(TracedProcess process, long line) {
		if (process.pid == this.pid) {
			end((line != 0) ? line : null);
		}
	}

	private void look(TracedProcess process, long line) {
		long now = process.table.made(this.fd);
		if (now == this.made) {
			return;
		}
		end(line);
		FdEntry entry = process.table.files.entry(this.fd);
		if (now != 0 && entry != null) {
			this.made = now;
			this.from = line;
			this.origin = Findings.origin(this.log, this.reader, process.table, entry);
		}
	}

	private void end(@Nullable Long line) {
		if (this.made == 0 || this.origin == null) {
			return;
		}
		if (this.tenures.size() < Findings.MAX) {
			this.tenures.add(new TraceViews.Tenure(this.from, line, this.origin));
		}
		else {
			this.isTruncated = true;
		}
		this.made = 0;
	}

	TraceViews.History result() {
		end(null);
		return new TraceViews.History(this.pid, this.fd, this.tenures, this.isTruncated);
	}

}
