package io.fdtable.session;

import java.time.Instant;
import java.time.InstantSource;

import io.fdtable.kernel.AcceptOutcome;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Rlimit;
import io.fdtable.kernel.Task;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Makes calls at once, in memory, under the lock of their tree.
 *
 * <p>
 * Finding the answer of an earlier try, checking the precondition, making the call and
 * keeping the answer are one step under that lock.
 */
@Component
class LocalExecutor implements SyscallExecutor {

	private static final Answer NO_SUCH_PROCESS = new Answer(new SyscallResult.Failure(Errno.ESRCH), Rlimit.DEFAULT,
			null, false);

	private final SessionRegistry registry;

	private final InstantSource clock;

	private final LeasedCalls calls = new LeasedCalls();

	LocalExecutor(SessionRegistry registry, InstantSource clock) {
		this.registry = registry;
		this.clock = clock;
	}

	@Override
	public Answer execute(Request request) {
		Session session = this.registry.find(request.session());
		if (session == null) {
			return answerWithoutSession(request);
		}
		session.tree().lock().lock();
		try {
			if (session.task().hasExited()) {
				return answerWithoutSession(request);
			}
			Instant now = this.clock.instant();
			Answer answer = answer(session, request, now);
			// Only now, so that whoever finds no session finds the answer that ended it.
			if (session.task().hasExited()) {
				this.registry.lastAnswers().adopt(session, request, now);
				this.registry.remove(session);
			}
			return answer;
		}
		finally {
			session.tree().lock().unlock();
		}
	}

	private Answer answerWithoutSession(Request request) {
		Answer last = this.registry.lastAnswers().replay(request, this.clock.instant());
		return (last != null) ? last : NO_SUCH_PROCESS;
	}

	private Answer answer(Session session, Request request, Instant now) {
		return session.ledger()
			.answer(request.idempotencyKey(), request.fingerprint(), now,
					() -> mayEndItsSession(request.call())
							? this.registry.lastAnswers()
								.answer(session, request, now, () -> run(session, request, now))
							: run(session, request, now));
	}

	/** Tells apart what ends a process: exit always, execve when it fails. */
	private static boolean mayEndItsSession(Syscall call) {
		return call instanceof Syscall.Exit || call instanceof Syscall.Execve;
	}

	private Answer run(Session session, Request request, Instant now) {
		Precondition precondition = request.precondition();
		if (precondition != null && !precondition.holds(session, now)) {
			throw new RequestRefusedException(RequestRefusedException.Reason.PRECONDITION_FAILED);
		}
		if (precondition == null || precondition.isUse()) {
			session.touch(now);
		}
		Task task = session.task();
		SyscallResult result = this.calls.make(session, request, now);
		this.registry.count(session, request.call(), result);
		tell(session, request.call(), result, now);
		return new Answer(result, task.nofile(), child(session, request.call(), result, now),
				lease(session, request, result), false);
	}

	private static void tell(Session session, Syscall call, SyscallResult result, Instant now) {
		if (session.task().hasExited()) {
			session.events().end(now, Event.made(call, result));
		}
		else if (Event.isWorthTelling(call, result)) {
			session.events().append(now, Event.made(call, result));
		}
		if (result instanceof SyscallResult.Woke woke) {
			woke.ended().forEach((outcome) -> tell(session, outcome, now));
		}
	}

	/** Tells the session that has waited, whoever has ended its waiting. */
	private static void tell(Session by, AcceptOutcome outcome, Instant now) {
		Session waiting = by.tree().sessions().get(outcome.pid());
		if (waiting != null) {
			waiting.events().append(now, new Event.AcceptEnded(outcome, by.id().pid()));
		}
	}

	private static @Nullable Lease lease(Session session, Request request, SyscallResult result) {
		return (request.lease() instanceof LeaseTerms.Grant && result instanceof SyscallResult.Descriptor reserved)
				? session.leases().find(reserved.entry().fd()) : null;
	}

	private @Nullable SessionSnapshot child(Session parent, Syscall call, SyscallResult result, Instant now) {
		if (call instanceof Syscall.Fork fork && result instanceof SyscallResult.Forked forked) {
			return this.registry.adopt(parent, forked.pid(), fork.label(), now).snapshot();
		}
		return null;
	}

}
