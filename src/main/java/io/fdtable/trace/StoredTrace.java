package io.fdtable.trace;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A trace that the service keeps, or is about to.
 */
public final class StoredTrace implements TraceProgress {

	private final String id;

	private volatile Instant lastUse;

	private volatile long lines;

	private volatile long bytes;

	private volatile @Nullable Trace trace;

	private final TraceMemory memory;

	StoredTrace(String id, Instant now, TraceMemory memory) {
		this.id = id;
		this.memory = memory;
		this.lastUse = now;
	}

	public String id() {
		return this.id;
	}

	/**
	 * Returns how far the reading is.
	 * @return lines, all of them once the log is read
	 */
	public long lines() {
		return this.lines;
	}

	/**
	 * Returns how far the reading is.
	 * @return bytes, uncompressed
	 */
	public long bytes() {
		return this.bytes;
	}

	/**
	 * Returns the log.
	 * @return null while it is being read
	 */
	public @Nullable Trace trace() {
		return this.trace;
	}

	TraceMemory memory() {
		return this.memory;
	}

	Instant lastUse() {
		return this.lastUse;
	}

	void use(Instant now) {
		this.lastUse = now;
	}

	void complete(Trace read) {
		this.trace = read;
	}

	@Override
	public void read(long lineCount, long byteCount) {
		this.lines = lineCount;
		this.bytes = byteCount;
	}

}
