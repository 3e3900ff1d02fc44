package io.fdtable.session;

import java.time.Instant;
import java.time.InstantSource;

import io.fdtable.syscall.Syscall;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Lets sessions exit that nobody uses any more, and answers that nobody owns run out.
 */
@Component
class SessionExpiry {

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
			try {
				this.executor.execute(new Request(session.id(), new Syscall.Exit(), new Precondition.Unused(), null));
			}
			catch (RequestRefusedException ex) {
				// Somebody has used it in the last moment.
			}
		}
	}

}
