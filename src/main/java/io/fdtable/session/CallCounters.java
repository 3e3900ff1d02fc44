package io.fdtable.session;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.fdtable.kernel.Errno;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;

/**
 * Counts system calls by name and outcome. Safe from any thread.
 */
public final class CallCounters {

	private static final String OK = "ok";

	private final Map<Outcome, LongAdder> counts = new ConcurrentHashMap<>();

	private record Outcome(String call, String outcome) {
	}

	void count(Syscall call, SyscallResult result) {
		Errno errno = result.errno();
		Outcome outcome = new Outcome(call.name(), (errno != null) ? errno.name() : OK);
		this.counts.computeIfAbsent(outcome, (absent) -> new LongAdder()).increment();
	}

	/**
	 * Returns the counts.
	 * @return by name of the call, then by "ok" or the name of the errno, both sorted
	 */
	public Map<String, Map<String, Long>> asMap() {
		Map<String, Map<String, Long>> map = new TreeMap<>();
		this.counts.forEach((outcome, count) -> map.computeIfAbsent(outcome.call(), (absent) -> new TreeMap<>())
			.put(outcome.outcome(), count.sum()));
		return map;
	}

}
