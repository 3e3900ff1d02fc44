package io.fdtable.session;

/**
 * A request that was not carried out because of what its client demands beside the call;
 * the model has not run and nothing has changed.
 */
@SuppressWarnings("serial")
public final class RequestRefusedException extends RuntimeException {

	private final Reason reason;

	/** Why a request is refused. */
	public enum Reason {

		/** What the request demands of the session, such as If-Match, is not true. */
		PRECONDITION_FAILED,

		/** The Idempotency-Key belongs to a different request. */
		KEY_REUSED,

		/** As many answers are being kept for retries as there may be. */
		LEDGER_FULL,

		/** The event after which a stream is to begin has not happened yet. */
		NO_SUCH_EVENT,

		/** Newer events have overwritten what a stream was to begin with. */
		EVENTS_GONE,

		/** There are as many streams of events as there may be. */
		TOO_MANY_STREAMS

	}

	RequestRefusedException(Reason reason) {
		super(reason.name(), null, false, false);
		this.reason = reason;
	}

	public Reason reason() {
		return this.reason;
	}

}
