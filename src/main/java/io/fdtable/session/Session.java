package io.fdtable.session;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.FilesStruct;
import io.fdtable.kernel.OpenFile;
import io.fdtable.kernel.SyscallException;
import io.fdtable.kernel.Task;
import org.jspecify.annotations.Nullable;

/**
 * A process that clients can reach: the {@link Task} and what the service knows of it
 * beside the kernel's state.
 *
 * <p>
 * Reading is safe from any thread; the task is changed only by a {@link SyscallExecutor}.
 */
public final class Session {

	private final SessionId id;

	private final SessionTree tree;

	private final Task task;

	private final @Nullable String label;

	private final Instant createdAt;

	private final Duration ttl;

	private final CallCounts calls = new CallCounts();

	private final IdempotencyLedger ledger;

	private final EventLog events;

	private final Leases leases;

	private volatile Instant lastUsedAt;

	Session(SessionTree tree, Task task, @Nullable String label, Instant now, Duration ttl, IdempotencyLedger ledger,
			EventLog events, Leases leases) {
		this.id = new SessionId(tree.id(), task.pid());
		this.tree = tree;
		this.task = task;
		this.label = label;
		this.createdAt = now;
		this.lastUsedAt = now;
		this.ttl = ttl;
		this.ledger = ledger;
		this.events = events;
		this.leases = leases;
	}

	public SessionId id() {
		return this.id;
	}

	/**
	 * Returns the table that the session uses at the moment, to look at.
	 * @return the same object for all sessions that share it
	 * @throws SyscallException ESRCH if the session has exited
	 */
	public FilesStruct files() {
		return this.task.files();
	}

	/**
	 * Counts the slots, messages and calls that refer to an open file of the session's
	 * tree.
	 * @param file the open file
	 * @return the number that Linux would count
	 */
	public int references(OpenFile file) {
		return this.tree.processes().references(file);
	}

	/**
	 * Returns how often each system call of this session has ended in what way.
	 * @return live counters
	 */
	public CallCounts calls() {
		return this.calls;
	}

	/**
	 * Describes the session.
	 * @return its state at one moment
	 * @throws SyscallException ESRCH if it has exited
	 */
	public SessionSnapshot snapshot() {
		return new SessionSnapshot(this.id, this.task.parentPid(), this.label, this.task.nofile(), allocator(),
				files().count(), this.createdAt, this.lastUsedAt.plus(this.ttl), this.ttl);
	}

	/** Describes the session unless it has exited. */
	Optional<SessionSnapshot> trySnapshot() {
		try {
			return Optional.of(snapshot());
		}
		catch (SyscallException ex) {
			return Optional.empty();
		}
	}

	SessionTree tree() {
		return this.tree;
	}

	Task task() {
		return this.task;
	}

	Duration ttl() {
		return this.ttl;
	}

	/** Returns the answers kept for retries; guarded by the lock of the tree. */
	IdempotencyLedger ledger() {
		return this.ledger;
	}

	/** Returns what has happened to the session. */
	EventLog events() {
		return this.events;
	}

	/** Returns the leases on descriptors that the session has reserved. */
	Leases leases() {
		return this.leases;
	}

	/** Returns the leases that have expired. */
	List<Lease> expiredLeases(Instant now) {
		if (!this.leases.mayHaveExpired(now)) {
			return List.of();
		}
		this.tree.lock().lock();
		try {
			return this.leases.expired(now);
		}
		finally {
			this.tree.lock().unlock();
		}
	}

	void touch(Instant now) {
		this.lastUsedAt = now;
	}

	boolean isExpired(Instant now) {
		return now.isAfter(this.lastUsedAt.plus(this.ttl));
	}

	private Allocator allocator() {
		return this.tree.allocator();
	}

}
