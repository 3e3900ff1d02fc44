package io.fdtable.trace;

import org.jspecify.annotations.Nullable;

/**
 * A call that has begun and not ended: anything it does may have happened already.
 */
final class CallUnderWay {

	/** The descriptor reserved for it if there is none. */
	static final int NONE = -1;

	/** Who makes it; an exec in another thread makes that the first one. */
	TracedProcess process;

	final TracedTable table;

	/** The whole call, the answer included if the log has one further down. */
	final Call call;

	final long startLine;

	/** The number that it holds while it blocks. */
	int reserved = NONE;

	/** Whether what it does has been done. */
	boolean isApplied;

	/** The table that a fork has copied meanwhile. */
	@Nullable TracedTable copy;

	CallUnderWay(TracedProcess process, Call call, long startLine) {
		this.process = process;
		this.table = process.table;
		this.call = call;
		this.startLine = startLine;
	}

	/** Tells whether it is known which number the call will get. */
	boolean isCertain() {
		return this.call.succeeded();
	}

}
