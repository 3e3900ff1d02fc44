package io.fdtable.session;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

import io.fdtable.kernel.Errno;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.jspecify.annotations.Nullable;

/**
 * Counts the system calls of one session by name and outcome, in a few bytes for each
 * outcome that there has been: there are many sessions, and each sees few of them. Safe
 * from any thread; its session's calls come one after another, so writers never meet.
 *
 * @see CallCounters
 */
public final class CallCounts {

	private static final int STEP = 4;

	/** Guarded by this, as all below; as many as {@link #size} are in use. */
	private String[] calls = {};

	private @Nullable Errno[] errnos = {};

	private long[] counts = {};

	private int size;

	synchronized void count(Syscall call, SyscallResult result) {
		// Looked for first, since that may replace the array.
		int index = indexOf(call.name(), result.errno());
		this.counts[index]++;
	}

	private int indexOf(String call, @Nullable Errno errno) {
		for (int i = 0; i < this.size; i++) {
			if (this.errnos[i] == errno && this.calls[i].equals(call)) {
				return i;
			}
		}
		if (this.size == this.counts.length) {
			this.calls = Arrays.copyOf(this.calls, this.size + STEP);
			this.errnos = Arrays.copyOf(this.errnos, this.size + STEP);
			this.counts = Arrays.copyOf(this.counts, this.size + STEP);
		}
		this.calls[this.size] = call;
		this.errnos[this.size] = errno;
		return this.size++;
	}

	/**
	 * Returns the counts.
	 * @return by name of the call, then by "ok" or the name of the errno, both sorted
	 */
	public synchronized Map<String, Map<String, Long>> asMap() {
		Map<String, Map<String, Long>> map = new TreeMap<>();
		for (int i = 0; i < this.size; i++) {
			map.computeIfAbsent(this.calls[i], (absent) -> new TreeMap<>())
				.put(CallCounters.outcome(this.errnos[i]), this.counts[i]);
		}
		return map;
	}

}
