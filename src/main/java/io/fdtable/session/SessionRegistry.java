package io.fdtable.session;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.ProcessTree;
import io.fdtable.kernel.Sysctl;
import io.fdtable.kernel.SyscallException;
import io.fdtable.kernel.Task;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Knows every session of the service. Safe from any thread.
 */
@Component
public class SessionRegistry {

	private static final SessionId BEFORE_ALL = new SessionId("", 0);

	private final FdtableProperties properties;

	private final EventProperties eventProperties;

	private final InstantSource clock;

	private final Sysctl sysctl;

	private final EventMemory eventMemory;

	private final TreeIdGenerator treeIds = new TreeIdGenerator();

	private final ConcurrentNavigableMap<String, SessionTree> trees = new ConcurrentSkipListMap<>();

	private final CallCounters calls = new CallCounters();

	/** The answers to requests that create sessions; guards itself. */
	private final IdempotencyLedger ledger;

	private final LastAnswers lastAnswers;

	SessionRegistry(FdtableProperties properties, EventProperties eventProperties, InstantSource clock) {
		this.properties = properties;
		this.eventProperties = eventProperties;
		this.clock = clock;
		this.sysctl = properties.sysctl();
		this.eventMemory = new EventMemory(this.sysctl);
		// No session owns these, so the memory budget is their only bound.
		this.ledger = ledger(Integer.MAX_VALUE);
		this.lastAnswers = new LastAnswers(ledger(Integer.MAX_VALUE));
	}

	/**
	 * What creating a session has come to.
	 *
	 * @param session the new session, or null if it could not be made
	 * @param errno why not, or null
	 * @param isReplayed whether it was made for an earlier request with the same key
	 */
	public record Created(@Nullable SessionSnapshot session, @Nullable Errno errno,
			boolean isReplayed) implements IdempotencyLedger.Keepable<Created> {

		@Override
		public Created replayed() {
			return new Created(this.session, this.errno, true);
		}

		@Override
		public long bytes() {
			return 0;
		}

	}

	/**
	 * Starts the first process of a new tree.
	 * @param request what it is to be like
	 * @param idempotencyKey under which the outcome is kept for retries, or null
	 * @return the session, or an errno: ENFILE when {@code fdtable.session.max} sessions
	 * or {@code fdtable.file-max} files exist; ENOMEM when the memory budget is spent;
	 * EINVAL and EPERM for limits that setrlimit would refuse
	 * @throws RequestRefusedException if the key cannot be used
	 */
	public Created create(SessionRequest request, @Nullable String idempotencyKey) {
		Instant now = this.clock.instant();
		if (idempotencyKey == null) {
			return create(request, now);
		}
		synchronized (this.ledger) {
			return this.ledger.answer(idempotencyKey, request, now, () -> create(request, now));
		}
	}

	private Created create(SessionRequest request, Instant now) {
		SessionTree tree = new SessionTree(this.treeIds.next(), new ProcessTree(this.sysctl),
				request.options().allocator());
		Task task;
		try {
			task = tree.processes().init(request.soft(), request.hard(), request.stdio(), request.options());
		}
		catch (SyscallException ex) {
			return new Created(null, ex.errno(), false);
		}
		Duration ttl = Objects.requireNonNullElse(request.ttl(), this.properties.session().ttl());
		Session session = new Session(tree, task, request.label(), now, ttl, ledger(), events(task),
				new Leases(this.sysctl));
		tree.sessions().put(task.pid(), session);
		this.trees.put(tree.id(), tree);
		return new Created(session.snapshot(), null, false);
	}

	/**
	 * Finds a session.
	 * @param id its name
	 * @return the session, or null if there is none or it has exited
	 */
	public @Nullable Session find(SessionId id) {
		SessionTree tree = this.trees.get(id.tree());
		return (tree != null) ? tree.sessions().get(id.pid()) : null;
	}

	/**
	 * Finds a session that somebody wants to look at, which counts as using it.
	 * @param id its name
	 * @return the session
	 * @throws SyscallException ESRCH if there is none or it has exited
	 */
	public Session use(SessionId id) {
		Session session = find(id);
		if (session == null) {
			throw Errno.ESRCH.exception();
		}
		session.touch(this.clock.instant());
		return session;
	}

	/**
	 * Tells whether a batch has ended its session, so that a retry can be answered all
	 * the same.
	 * @param id the session
	 * @param key the Idempotency-Key of the batch
	 * @param calls how many calls it has, which is also the cost
	 * @return whether an answer to one of them is kept
	 */
	public boolean wasEndedBy(SessionId id, String key, int calls) {
		return find(id) == null && this.lastAnswers.hasAny(id, key, calls, this.clock.instant());
	}

	/**
	 * Lists sessions in the order of their ids.
	 * @param after list only what comes after this id, or null to begin at the first
	 * @param max how many to list at most
	 * @return their states
	 */
	public List<SessionSnapshot> list(@Nullable SessionId after, int max) {
		List<SessionSnapshot> page = new ArrayList<>();
		SessionId start = Objects.requireNonNullElse(after, BEFORE_ALL);
		for (SessionTree tree : this.trees.tailMap(start.tree(), true).values()) {
			int afterPid = tree.id().equals(start.tree()) ? start.pid() : 0;
			for (Session session : tree.sessions().tailMap(afterPid, false).values()) {
				if (page.size() == max) {
					return page;
				}
				session.trySnapshot().ifPresent(page::add);
			}
		}
		return page;
	}

	/**
	 * Returns the settings and counters that all sessions share.
	 * @return live values
	 */
	public Sysctl sysctl() {
		return this.sysctl;
	}

	/**
	 * Returns how often each system call of any session has ended in what way.
	 * @return live counters
	 */
	public CallCounters calls() {
		return this.calls;
	}

	/** Returns the sessions that have been unused for longer than their ttl. */
	List<Session> expired(Instant now) {
		return all().filter((session) -> session.isExpired(now)).toList();
	}

	/** Returns every session that has not exited. */
	Stream<Session> all() {
		return this.trees.values().stream().flatMap((tree) -> tree.sessions().values().stream());
	}

	/** Forgets the answers that have been kept long enough and that no session owns. */
	void forgetExpiredAnswers(Instant now) {
		synchronized (this.ledger) {
			this.ledger.forgetExpired(now);
		}
		this.lastAnswers.forgetExpired(now);
	}

	LastAnswers lastAnswers() {
		return this.lastAnswers;
	}

	void count(Session session, Syscall call, SyscallResult result) {
		session.calls().count(call, result);
		this.calls.count(call, result);
	}

	/** Makes a forked process reachable; called under the lock of its tree. */
	Session adopt(Session parent, int pid, @Nullable String label, Instant now) {
		SessionTree tree = parent.tree();
		Task task = Objects.requireNonNull(tree.processes().find(pid), "the child that was just forked");
		Session session = new Session(tree, task, label, now, parent.ttl(), ledger(), events(task),
				new Leases(this.sysctl));
		tree.sessions().put(pid, session);
		return session;
	}

	/** Forgets a session that has exited; called under the lock of its tree. */
	void remove(Session session) {
		SessionTree tree = session.tree();
		session.ledger().clear();
		tree.sessions().remove(session.id().pid());
		if (tree.sessions().isEmpty()) {
			this.trees.remove(tree.id());
		}
	}

	private EventLog events(Task task) {
		return new EventLog(this.eventProperties, this.eventMemory, task.pid());
	}

	private IdempotencyLedger ledger() {
		return ledger(this.properties.idempotency().maxKeys());
	}

	private IdempotencyLedger ledger(int capacity) {
		return new IdempotencyLedger(this.properties.idempotency(), capacity, this.sysctl);
	}

}
