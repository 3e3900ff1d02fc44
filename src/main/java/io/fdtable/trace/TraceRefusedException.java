package io.fdtable.trace;

import java.io.IOException;

/**
 * A log cannot be taken.
 */
@SuppressWarnings("serial")
public final class TraceRefusedException extends IOException {

	/**
	 * Why.
	 */
	public enum Reason {

		/** The log is larger than a log may be. */
		TOO_LARGE,

		/** The traces take as much as they may. */
		TOO_MANY

	}

	private final Reason reason;

	TraceRefusedException(Reason reason, String message) {
		super(message);
		this.reason = reason;
	}

	public Reason reason() {
		return this.reason;
	}

}
