package io.fdtable.session;

import java.time.Instant;
import java.util.List;

import io.fdtable.kernel.FdEntry;

/**
 * What must be true of a session, right before a call, for the call to be made.
 */
public sealed interface Precondition {

	/** Tells whether it is true; called under the lock of the tree. */
	boolean holds(Session session, Instant now);

	/** Tells whether a call with this condition is a client's, which keeps a session. */
	default boolean isUse() {
		return true;
	}

	/**
	 * A descriptor is still the one that the client has seen, like {@code If-Match} (RFC
	 * 9110, section 13.1.1).
	 *
	 * @param fd the descriptor, unsigned
	 * @param versions the versions of which it must have one; empty means any version, so
	 * that the descriptor only has to be installed
	 */
	record Unchanged(int fd, List<SlotVersion> versions) implements Precondition, IdempotencyLedger.Sized {

		/** What a version and the reference to it take, in bytes. */
		private static final int VERSION_BYTES = 40;

		@Override
		public long bytes() {
			return (long) VERSION_BYTES * this.versions.size();
		}

		@Override
		public boolean holds(Session session, Instant now) {
			FdEntry entry = session.files().entry(this.fd);
			if (entry == null || entry.isReserved()) {
				return false;
			}
			return this.versions.isEmpty() || this.versions.contains(SlotVersion.of(entry));
		}

	}

	/** Nobody has used the session for longer than its ttl. */
	record Unused() implements Precondition {

		@Override
		public boolean holds(Session session, Instant now) {
			return session.isExpired(now);
		}

		@Override
		public boolean isUse() {
			return false;
		}

	}

	/**
	 * The lease on a reserved descriptor has expired.
	 *
	 * @param fd the descriptor
	 * @param generation which handing-out of the number it is
	 */
	record Lapsed(int fd, long generation) implements Precondition {

		@Override
		public boolean holds(Session session, Instant now) {
			Lease lease = session.leases().find(this.fd);
			return lease != null && lease.generation() == this.generation && lease.isExpired(now);
		}

		@Override
		public boolean isUse() {
			return false;
		}

	}

}
