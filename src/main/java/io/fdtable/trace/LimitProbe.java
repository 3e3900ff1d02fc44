package io.fdtable.trace;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the first call of each process that a lower soft limit would have failed: the
 * limit bounds the number that a call hands out, and nothing else.
 */
final class LimitProbe implements ReplayListener {

	private final int nofile;

	private final List<Hit> hits = new ArrayList<>();

	private final Set<TracedProcess> hit = new HashSet<>();

	/**
	 * A call that would have failed.
	 *
	 * @param pid the process
	 * @param program the exec of what it was running
	 * @param line the line
	 * @param call the call
	 * @param fd the number that it got
	 * @param errno the error that it would have got
	 */
	record Hit(int pid, long program, long line, String call, int fd, String errno) {
	}

	LimitProbe(int nofile) {
		this.nofile = nofile;
	}

	List<Hit> hits() {
		return this.hits;
	}

	@Override
	public void made(TracedProcess process, int fd, Call call) {
		if (fd >= this.nofile && this.hits.size() < Findings.MAX && this.hit.add(process.leader)) {
			this.hits
				.add(new Hit(process.leader.pid, process.leader.program, call.line, call.type.name(), fd, errno(call)));
		}
	}

	private String errno(Call call) {
		return switch (call.op) {
			case DUP2, DUP3 -> "EBADF";
			case DUP_FROM -> (call.arg >= this.nofile) ? "EINVAL" : "EMFILE";
			default -> "EMFILE";
		};
	}

	@Override
	public void ending(TracedProcess process, long line) {
		this.hit.remove(process);
	}

}
