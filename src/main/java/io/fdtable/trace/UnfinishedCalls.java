package io.fdtable.trace;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The first parts of calls that another process interrupted, each kept until strace
 * resumes it. Their number and their bytes are bounded.
 *
 * <p>
 * Tested by StraceParserTest, line by line.
 */
final class UnfinishedCalls {

	private static final int MAX_PENDING = 65_536;

	private static final int MAX_PENDING_BYTES = 16 << 20;

	private final Map<Integer, Pending> pending = new HashMap<>();

	private long pendingBytes;

	/**
	 * The first part of a call that is under way.
	 */
	static final class Pending {

		final long line;

		final byte[] text;

		/** Where the call log holds the first part. */
		long offset;

		Pending(long line, byte[] text) {
			this.line = line;
			this.text = text;
		}

	}

	/** Returns how many bytes are kept. */
	long bytes() {
		return this.pendingBytes;
	}

	@Nullable Pending get(int pid) {
		return this.pending.get(pid);
	}

	boolean hasRoom(int length) {
		return this.pending.size() < MAX_PENDING && this.pendingBytes + length <= MAX_PENDING_BYTES;
	}

	/** Keeps a first part, in the place of one that never ended. */
	void put(int pid, long line, byte[] text) {
		forget(pid);
		this.pending.put(pid, new Pending(line, text));
		this.pendingBytes += text.length;
	}

	/** Hands what one thread has under way to the one that gets its number. */
	void handOver(int from, int to) {
		Pending theirs = this.pending.remove(from);
		if (theirs != null) {
			forget(to);
			this.pending.put(to, theirs);
		}
	}

	void forget(int pid) {
		Pending old = this.pending.remove(pid);
		if (old != null) {
			this.pendingBytes -= old.text.length;
		}
	}

}
