package io.fdtable.session;

import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.fdtable.kernel.Sysctl;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the answers to requests with an Idempotency-Key, so that a retry changes nothing
 * and gets the same answer.
 *
 * <p>
 * An answer is promised for a fixed time, and no promise is dropped to make room: when as
 * many as may be are live, or the memory budget is spent, further keyed requests are
 * refused. Guarded by whatever lock makes the requests of its owner one after another, so
 * that looking up, acting and keeping are one step.
 *
 * @see <a href=
 * "https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">The
 * Idempotency-Key HTTP Header Field</a>
 */
final class IdempotencyLedger {

	/** What a kept answer takes beside its key and its list of descriptors, in bytes. */
	private static final int ENTRY_BYTES = 400;

	private final FdtableProperties.Idempotency bounds;

	private final int capacity;

	private final Sysctl sysctl;

	/**
	 * In the order of their keeping, which is also that of their expiry; made when
	 * needed.
	 */
	private @Nullable Map<String, Kept<?>> answers;

	private record Kept<T>(Object fingerprint, T answer, Instant until, long bytes) {
	}

	/** An answer that can be kept. */
	interface Keepable<T> {

		/** Returns the same answer, marked as given before. */
		T replayed();

		/** Returns what its variable part takes in memory, in bytes. */
		long bytes();

	}

	IdempotencyLedger(FdtableProperties.Idempotency bounds, int capacity, Sysctl sysctl) {
		this.bounds = bounds;
		this.capacity = capacity;
		this.sysctl = sysctl;
	}

	/**
	 * Answers a request: with what is kept under its key, or else by carrying it out.
	 * @param <T> the type of the answer
	 * @param key the key, or null for a request without one
	 * @param fingerprint equal for equal requests
	 * @param now the time of the request
	 * @param action carries the request out; nothing is kept if it throws or makes the
	 * owner go
	 * @return the answer
	 * @throws RequestRefusedException if the key belongs to a different request, or no
	 * further answer can be kept
	 */
	<T extends Keepable<T>> T answer(@Nullable String key, Object fingerprint, Instant now, Supplier<T> action) {
		if (key == null) {
			return action.get();
		}
		Map<String, Kept<?>> live = live(now);
		Kept<?> kept = live.get(key);
		if (kept != null) {
			if (!kept.fingerprint().equals(fingerprint)) {
				throw new RequestRefusedException(RequestRefusedException.Reason.KEY_REUSED);
			}
			@SuppressWarnings("unchecked") // equal fingerprints have answers of one type
			T answer = (T) kept.answer();
			return answer.replayed();
		}
		long bytes = ENTRY_BYTES + 2L * key.length() + ((fingerprint instanceof Request request) ? request.bytes() : 0);
		if (live.size() >= this.capacity || !this.sysctl.tryCharge(bytes)) {
			throw new RequestRefusedException(RequestRefusedException.Reason.LEDGER_FULL);
		}
		return keep(live, key, fingerprint, now, action, bytes);
	}

	private <T extends Keepable<T>> T keep(Map<String, Kept<?>> live, String key, Object fingerprint, Instant now,
			Supplier<T> action, long bytes) {
		try {
			T answer = action.get();
			if (this.answers == null) {
				// The action has made the owner go, and with it whoever could ask again.
				this.sysctl.uncharge(bytes);
				return answer;
			}
			// The budget may be overdrawn by one answer: the call has been made, so its
			// answer must be kept.
			long variable = answer.bytes();
			this.sysctl.uncharge(-variable);
			live.put(key, new Kept<>(fingerprint, answer, now.plus(this.bounds.retention()), bytes + variable));
			return answer;
		}
		catch (RuntimeException ex) {
			this.sysctl.uncharge(bytes);
			throw ex;
		}
	}

	/** Forgets everything, when the owner has gone. */
	void clear() {
		if (this.answers != null) {
			this.answers.values().forEach((kept) -> this.sysctl.uncharge(kept.bytes()));
			this.answers = null;
		}
	}

	private Map<String, Kept<?>> live(Instant now) {
		Map<String, Kept<?>> map = this.answers;
		if (map == null) {
			map = new LinkedHashMap<>();
			this.answers = map;
		}
		Iterator<Kept<?>> oldest = map.values().iterator();
		while (oldest.hasNext()) {
			Kept<?> kept = oldest.next();
			if (kept.until().isAfter(now)) {
				break;
			}
			oldest.remove();
			this.sysctl.uncharge(kept.bytes());
		}
		return map;
	}

}
