package io.fdtable.session;

import java.time.Instant;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the answers to calls that have ended their session, since the session's own
 * ledger goes with it. Safe from any thread.
 */
final class LastAnswers {

	/** Guards itself, so that no tree waits for the call of another. */
	private final IdempotencyLedger ledger;

	LastAnswers(IdempotencyLedger ledger) {
		this.ledger = ledger;
	}

	/**
	 * Answers a request to a session that is not there any more.
	 * @return what was answered to the same request under the same key, or null
	 * @throws RequestRefusedException if the key belongs to a different request
	 */
	@Nullable Answer replay(Request request, Instant now) {
		String key = key(request);
		if (key == null) {
			return null;
		}
		synchronized (this.ledger) {
			return this.ledger.find(key, request, now);
		}
	}

	/**
	 * Makes a call that may end its session, and keeps its answer if it has.
	 * @throws RequestRefusedException if no further answer can be kept; the call has not
	 * been made then
	 */
	Answer answer(Session session, Request request, Instant now, Supplier<Answer> call) {
		String key = key(request);
		if (key == null) {
			return call.get();
		}
		long promised;
		synchronized (this.ledger) {
			promised = this.ledger.promise(key, request, now);
		}
		Answer answer = null;
		try {
			answer = call.get();
			return answer;
		}
		finally {
			settle(key, request, session.task().hasExited() ? answer : null, now, promised);
		}
	}

	private void settle(String key, Request request, @Nullable Answer answer, Instant now, long promised) {
		synchronized (this.ledger) {
			if (answer != null) {
				this.ledger.keep(key, request, answer, now, promised);
			}
			else {
				this.ledger.withdraw(promised);
			}
		}
	}

	void forgetExpired(Instant now) {
		synchronized (this.ledger) {
			this.ledger.forgetExpired(now);
		}
	}

	private static @Nullable String key(Request request) {
		String key = request.idempotencyKey();
		return (key != null) ? request.session() + " " + key : null;
	}

}
