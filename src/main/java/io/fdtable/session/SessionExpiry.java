package io.fdtable.session;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

import io.fdtable.syscall.Syscall;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Lets sessions exit that nobody uses any more, gives descriptors back whose reservation
 * has expired, and forgets answers that nobody owns.
 */
@Component
class SessionExpiry {

	private static final Log log = LogFactory.getLog(SessionExpiry.class);

	private final SessionRegistry registry;

	private final SyscallExecutor executor;

	private final InstantSource clock;

	SessionExpiry(SessionRegistry registry, SyscallExecutor executor, InstantSource clock) {
		this.registry = registry;
		this.executor = executor;
		this.clock = clock;
	}

	@Scheduled(fixedDelayString = "PT1S")
	void sweep() {
		Instant now = this.clock.instant();
		this.registry.forgetExpiredAnswers(now);
		for (Session session : this.registry.expired(now)) {
			attempt(session, () -> execute(session, new Syscall.Exit(), new Precondition.Unused()));
		}
		this.registry.all().forEach((session) -> attempt(session, () -> release(session, session.expiredLeases(now))));
	}

	/** What is wrong with one session must not keep all others. */
	private static void attempt(Session session, Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			log.error("Session " + session.id() + " could not be swept", ex);
		}
	}

	private void release(Session session, List<Lease> leases) {
		for (Lease lease : leases) {
			execute(session, new Syscall.Release(lease.fd(), lease.generation()),
					new Precondition.Lapsed(lease.fd(), lease.generation()));
		}
	}

	private void execute(Session session, Syscall call, Precondition precondition) {
		try {
			this.executor.execute(new Request(session.id(), call, precondition, null));
		}
		catch (RequestRefusedException ex) {
			// Somebody has used it in the last moment.
		}
	}

}
