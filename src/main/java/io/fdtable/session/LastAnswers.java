package io.fdtable.session;

import java.time.Instant;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the answers to calls that have ended their session, and to the earlier calls of
 * the same batch, since the session's own ledger goes with it. Safe from any thread.
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
			return this.ledger.find(key, request.fingerprint(), now);
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
			promised = this.ledger.promise(key, request.fingerprint(), now);
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
				this.ledger.keep(key, request.fingerprint(), answer, now, promised);
			}
			else {
				this.ledger.withdraw(promised);
			}
		}
	}

	/** Takes over what a batch has been answered before it ended its session. */
	void adopt(Session session, Request last, Instant now) {
		String batch = BatchKey.prefix(last.idempotencyKey());
		if (batch != null) {
			synchronized (this.ledger) {
				this.ledger.adopt(session.ledger(), batch, prefix(session.id()), now);
			}
		}
	}

	/** Tells whether any of the calls of a batch has its answer here. */
	boolean hasAny(SessionId session, String batch, int calls, Instant now) {
		synchronized (this.ledger) {
			return IntStream.range(0, calls)
				.anyMatch((i) -> this.ledger.has(prefix(session) + BatchKey.of(batch, i), now));
		}
	}

	void forgetExpired(Instant now) {
		synchronized (this.ledger) {
			this.ledger.forgetExpired(now);
		}
	}

	private static @Nullable String key(Request request) {
		String key = request.idempotencyKey();
		return (key != null) ? prefix(request.session()) + key : null;
	}

	private static String prefix(SessionId session) {
		return session + " ";
	}

}
