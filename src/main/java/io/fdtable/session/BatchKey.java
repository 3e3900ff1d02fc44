package io.fdtable.session;

import org.jspecify.annotations.Nullable;

/**
 * The keys under which the answers to the calls of one batch are kept. A client may
 * choose such a key for a single call, too: then some answers are kept longer than
 * needed.
 */
public final class BatchKey {

	private static final char SEPARATOR = '#';

	private BatchKey() {
	}

	/**
	 * Returns the key of one call.
	 * @param batch the key of the batch
	 * @param index the position of the call
	 * @return the key of the call
	 */
	public static String of(String batch, int index) {
		return batch + SEPARATOR + index;
	}

	/** Returns what the keys of a call's batch begin with, or null if it is in none. */
	static @Nullable String prefix(@Nullable String key) {
		int end = (key != null) ? key.lastIndexOf(SEPARATOR) : -1;
		return (key != null && end >= 0) ? key.substring(0, end + 1) : null;
	}

}
