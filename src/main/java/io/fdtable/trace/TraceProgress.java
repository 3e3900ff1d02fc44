package io.fdtable.trace;

/**
 * Gets to know how far the reading of a log is.
 */
@FunctionalInterface
public interface TraceProgress {

	/** Nobody wants to know. */
	TraceProgress NONE = (lines, bytes) -> {
	};

	/**
	 * Called now and then while a log is read.
	 * @param lines how many lines have been read
	 * @param bytes how many bytes have been read
	 */
	void read(long lines, long bytes);

}
