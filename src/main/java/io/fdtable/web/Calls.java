package io.fdtable.web;

import java.util.function.IntFunction;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Rlimit;
import io.fdtable.session.Answer;
import io.fdtable.session.LeaseTerms;
import io.fdtable.session.Precondition;
import io.fdtable.session.Request;
import io.fdtable.session.Session;
import io.fdtable.session.SessionId;
import io.fdtable.session.SessionRegistry;
import io.fdtable.session.SyscallExecutor;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import io.fdtable.web.problem.SyscallFailedException;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Makes the calls of controllers and turns an errno into the exception that becomes its
 * problem.
 */
@Component
class Calls {

	private final SyscallExecutor executor;

	private final SessionRegistry registry;

	Calls(SyscallExecutor executor, SessionRegistry registry) {
		this.executor = executor;
		this.registry = registry;
	}

	/**
	 * Makes a call that depends on no descriptor the client has seen.
	 * @throws SyscallFailedException if it answers an errno
	 */
	Answer make(String id, Syscall call, CallContext context) {
		return make(id, call, null, null, context);
	}

	/**
	 * Makes a call that grants or uses up a lease.
	 * @throws SyscallFailedException if it answers an errno
	 */
	Answer make(String id, Syscall call, LeaseTerms lease, CallContext context) {
		return make(id, call, null, lease, context);
	}

	/**
	 * Makes a call unless the descriptor has changed hands.
	 * @throws SyscallFailedException if it answers an errno
	 */
	Answer make(String id, FdNumber fd, Syscall call, CallContext context) {
		return make(id, call, context.precondition(fd), null, context);
	}

	private Answer make(String id, Syscall call, @Nullable Precondition precondition, @Nullable LeaseTerms lease,
			CallContext context) {
		SessionId session = SessionId.parse(id);
		if (session == null) {
			throw SyscallFailedException.noSuchSession();
		}
		Answer answer = this.executor
			.execute(new Request(session, call, precondition, context.idempotencyKey(), lease));
		if (answer.isReplayed()) {
			context.markReplayed();
		}
		if (answer.result() instanceof SyscallResult.Failure failure) {
			throw (failure.errno() == Errno.ESRCH && this.registry.find(session) == null)
					? SyscallFailedException.noSuchSession()
					: new SyscallFailedException(failure.errno(), call, answer.nofile());
		}
		return answer;
	}

	/**
	 * Returns a call that names another process of the same tree by its pid. Open files
	 * are never shared across trees.
	 * @throws SyscallFailedException ESRCH if no session can have that id; EPERM if it
	 * belongs to another tree
	 */
	Syscall inTree(String id, String other, IntFunction<Syscall> call) {
		SessionId own = SessionId.parse(id);
		SessionId peer = SessionId.parse(other);
		if (own == null || peer == null || this.registry.find(own) == null) {
			throw SyscallFailedException.noSuchSession();
		}
		if (!peer.tree().equals(own.tree())) {
			throw new SyscallFailedException(Errno.EPERM, call.apply(peer.pid()), Rlimit.DEFAULT);
		}
		return call.apply(peer.pid());
	}

	/**
	 * Finds a session to look at.
	 * @throws SyscallFailedException ESRCH if there is none
	 */
	Session look(String id) {
		SessionId session = SessionId.parse(id);
		if (session == null) {
			throw SyscallFailedException.noSuchSession();
		}
		return this.registry.use(session);
	}

}
