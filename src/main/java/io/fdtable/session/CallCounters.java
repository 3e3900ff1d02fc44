package io.fdtable.session;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.fdtable.kernel.Errno;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.jspecify.annotations.Nullable;

/**
 * Counts the system calls of all sessions by name and outcome. Safe from any thread.
 *
 * @see CallCounts
 */
public final class CallCounters {

	private static final String OK = "ok";

	private final Map<Outcome, LongAdder> counts = new ConcurrentHashMap<>();

	private record Outcome(String call, String outcome) {
	}

	void count(Syscall call, SyscallResult result) {
		Outcome outcome = new Outcome(call.name(), outcome(result.errno()));
		this.counts.computeIfAbsent(outcome, (absent) -> new LongAdder()).increment();
	}

	static String outcome(@Nullable Errno errno) {
		return (errno != null) ? errno.name() : OK;
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
