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

	/** What a kept answer takes beside its key and what varies in size, in bytes. */
	private static final int ENTRY_BYTES = 400;

	private final FdtableProperties.Idempotency bounds;

	private final int capacity;

	private final Sysctl sysctl;

	/**
	 * In the order of their keeping, which is also that of their expiry; made when
	 * needed.
	 */
	private @Nullable Map<String, Kept<?>> answers;

	/** Places set aside for answers that are to come. */
	private int promises;

	private record Kept<T>(Object fingerprint, T answer, Instant until, long bytes) {

		Kept<T> keptUntil(Instant later, long added) {
			return new Kept<>(this.fingerprint, this.answer, later, this.bytes + added);
		}

	}

	/** What takes memory in proportion to what a client has sent or is told. */
	interface Sized {

		/** Returns what its variable part takes in memory, in bytes. */
		long bytes();

	}

	/** An answer that can be kept. */
	interface Keepable<T> extends Sized {

		/** Returns the same answer, marked as given before. */
		T replayed();

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
	 * @param action carries the request out; nothing is kept if it throws
	 * @return the answer
	 * @throws RequestRefusedException if the key belongs to a different request, or no
	 * further answer can be kept
	 */
	<T extends Keepable<T>> T answer(@Nullable String key, Object fingerprint, Instant now, Supplier<T> action) {
		if (key == null) {
			return action.get();
		}
		T kept = find(key, fingerprint, now);
		if (kept != null) {
			return kept;
		}
		long promised = promise(key, fingerprint, now);
		T answer = null;
		try {
			answer = action.get();
			return answer;
		}
		finally {
			if (answer != null) {
				keep(key, fingerprint, answer, now, promised);
			}
			else {
				withdraw(promised);
			}
		}
	}

	/**
	 * Finds what is kept under a key.
	 * @return the answer, marked as given before, or null
	 * @throws RequestRefusedException if the key belongs to a different request
	 */
	<T extends Keepable<T>> @Nullable T find(String key, Object fingerprint, Instant now) {
		Kept<?> kept = live(now).get(key);
		if (kept == null) {
			return null;
		}
		if (!kept.fingerprint().equals(fingerprint)) {
			throw new RequestRefusedException(RequestRefusedException.Reason.KEY_REUSED);
		}
		@SuppressWarnings("unchecked") // equal fingerprints have answers of one type
		T answer = (T) kept.answer();
		return answer.replayed();
	}

	/**
	 * Sets a place aside for an answer that is to come. Pair each success with one
	 * {@link #keep} or {@link #withdraw}.
	 * @return what the place is charged with, in bytes
	 * @throws RequestRefusedException if no further answer can be kept
	 */
	long promise(String key, Object fingerprint, Instant now) {
		long bytes = ENTRY_BYTES + 2L * key.length() + ((fingerprint instanceof Sized sized) ? sized.bytes() : 0);
		if (live(now).size() + this.promises >= this.capacity || !this.sysctl.tryCharge(bytes)) {
			throw new RequestRefusedException(RequestRefusedException.Reason.LEDGER_FULL);
		}
		this.promises++;
		return bytes;
	}

	/** Keeps an answer in a place set aside. */
	<T extends Keepable<T>> void keep(String key, Object fingerprint, T answer, Instant now, long promised) {
		// The budget may be overdrawn by one answer: the call has been made, so its
		// answer must be kept.
		long variable = answer.bytes();
		this.sysctl.overcharge(variable);
		this.promises--;
		live(now).put(key, new Kept<>(fingerprint, answer, now.plus(this.bounds.retention()), promised + variable));
	}

	/** Tells whether an answer is kept under a key. */
	boolean has(String key, Instant now) {
		return live(now).containsKey(key);
	}

	/**
	 * Takes answers over from a ledger that is about to be cleared, and keeps them from
	 * now on as long as new ones.
	 * @param other from where
	 * @param prefix what the keys begin with there
	 * @param before what is put before them here
	 */
	void adopt(IdempotencyLedger other, String prefix, String before, Instant now) {
		Instant until = now.plus(this.bounds.retention());
		Iterator<Map.Entry<String, Kept<?>>> entries = other.live(now).entrySet().iterator();
		while (entries.hasNext()) {
			Map.Entry<String, Kept<?>> entry = entries.next();
			String key = before + entry.getKey();
			if (entry.getKey().startsWith(prefix) && !has(key, now)) {
				long added = 2L * before.length();
				this.sysctl.overcharge(added);
				live(now).put(key, entry.getValue().keptUntil(until, added));
				entries.remove();
			}
		}
	}

	/** Gives a place back that no answer will take. */
	void withdraw(long promised) {
		this.sysctl.uncharge(promised);
		this.promises--;
	}

	/** Forgets what has been kept long enough. */
	void forgetExpired(Instant now) {
		live(now);
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
