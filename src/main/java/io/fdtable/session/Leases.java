package io.fdtable.session;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.fdtable.kernel.Sysctl;
import org.jspecify.annotations.Nullable;

/**
 * The leases that one session has granted. Guarded by the lock of the tree, except for
 * {@link #mayHaveExpired}.
 */
final class Leases {

	/** What a lease takes in memory, in bytes. */
	static final int BYTES = 240;

	private final Sysctl sysctl;

	/** By descriptor; made when needed. */
	private @Nullable Map<Integer, Lease> byFd;

	/** No lease expires before; read without the lock. */
	private volatile Instant earliest = Instant.MAX;

	Leases(Sysctl sysctl) {
		this.sysctl = sysctl;
	}

	/** Takes the memory of one more lease, or returns false if so much is not left. */
	boolean tryCharge() {
		return this.sysctl.tryCharge(BYTES);
	}

	/** Gives back the memory of a lease that has not been granted. */
	void uncharge() {
		this.sysctl.uncharge(BYTES);
	}

	/** Adds a lease that is paid for. */
	void add(Lease lease) {
		if (this.byFd == null) {
			this.byFd = new HashMap<>();
		}
		// What was there before was of a reservation that has ended without its token.
		if (this.byFd.put(lease.fd(), lease) != null) {
			uncharge();
		}
		if (lease.expiresAt().isBefore(this.earliest)) {
			this.earliest = lease.expiresAt();
		}
	}

	@Nullable Lease find(int fd) {
		return (this.byFd != null) ? this.byFd.get(fd) : null;
	}

	void remove(int fd) {
		if (this.byFd != null && this.byFd.remove(fd) != null) {
			uncharge();
		}
	}

	boolean isEmpty() {
		return this.byFd == null || this.byFd.isEmpty();
	}

	/** Removes all leases and returns them. */
	List<Lease> removeAll() {
		if (this.byFd == null) {
			return List.of();
		}
		List<Lease> all = List.copyOf(this.byFd.values());
		all.forEach((lease) -> uncharge());
		this.byFd = null;
		this.earliest = Instant.MAX;
		return all;
	}

	/** Tells whether it is worth the lock to look; safe from any thread. */
	boolean mayHaveExpired(Instant now) {
		return !now.isBefore(this.earliest);
	}

	/** Returns the leases that have expired, which stay until they are removed. */
	List<Lease> expired(Instant now) {
		if (this.byFd == null) {
			this.earliest = Instant.MAX;
			return List.of();
		}
		List<Lease> expired = this.byFd.values().stream().filter((lease) -> lease.isExpired(now)).toList();
		this.earliest = this.byFd.values()
			.stream()
			.filter((lease) -> !lease.isExpired(now))
			.map(Lease::expiresAt)
			.min(Instant::compareTo)
			.orElse(Instant.MAX);
		return expired;
	}

}
