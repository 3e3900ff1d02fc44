package io.fdtable.session;

import java.time.Instant;
import java.util.List;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FilesStruct;
import io.fdtable.kernel.Task;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallInterpreter;
import io.fdtable.syscall.SyscallResult;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls, and keeps the leases in step with them: grants them, demands them, and
 * gives reserved numbers back whose session can no longer use them, as the opens end that
 * a dying process has under way. All under the lock of the tree.
 */
final class LeasedCalls {

	private final SyscallInterpreter interpreter = new SyscallInterpreter();

	/** Makes the call of a request. */
	SyscallResult make(Session session, Request request, Instant now) {
		FilesStruct table = session.task().files();
		SyscallResult result = switch (request.lease()) {
			case LeaseTerms.Grant grant -> grant(session, request.call(), grant, now);
			case LeaseTerms.Claim claim -> claim(session, request.call(), claim, now);
			case null -> this.interpreter.interpret(session.task(), request.call());
		};
		forgetUsed(session, request, result);
		if (!session.leases().isEmpty() && hasLeft(session.task(), request.call(), table)) {
			giveBack(session, table);
		}
		return result;
	}

	private SyscallResult grant(Session session, Syscall call, LeaseTerms.Grant grant, Instant now) {
		Leases leases = session.leases();
		if (!leases.tryCharge()) {
			return new SyscallResult.Failure(Errno.ENOMEM);
		}
		SyscallResult result = this.interpreter.interpret(session.task(), call);
		if (result instanceof SyscallResult.Descriptor reserved) {
			leases.add(new Lease(reserved.entry().fd(), reserved.entry().generation(), grant.token(),
					now.plus(grant.length())));
		}
		else {
			leases.uncharge();
		}
		return result;
	}

	private SyscallResult claim(Session session, Syscall call, LeaseTerms.Claim claim, Instant now) {
		int fd = fd(call);
		Lease lease = session.leases().find(fd);
		if (lease == null || !lease.isHeldBy(claim.token())) {
			return new SyscallResult.Failure(whyNot(session.task().files().entry(fd)));
		}
		// The sweep gives the number back.
		return lease.isExpired(now) ? new SyscallResult.Failure(Errno.ESTALE)
				: this.interpreter.interpret(session.task(), of(call, lease.generation()));
	}

	private static Errno whyNot(@Nullable FdEntry entry) {
		if (entry == null) {
			return Errno.EBADF;
		}
		return entry.isReserved() ? Errno.ESTALE : Errno.EBUSY;
	}

	private static int fd(Syscall call) {
		return switch (call) {
			case Syscall.Install install -> install.fd();
			case Syscall.Release release -> release.fd();
			default -> throw new IllegalArgumentException("no lease is on the descriptor of " + call.name());
		};
	}

	private static Syscall of(Syscall call, long generation) {
		return (call instanceof Syscall.Install install) ? new Syscall.Install(install.fd(), generation, install.path(),
				install.kind(), install.flags(), install.label()) : new Syscall.Release(fd(call), generation);
	}

	/** A lease ends with its reservation, or when the sweep has found it expired. */
	private static void forgetUsed(Session session, Request request, SyscallResult result) {
		Syscall call = request.call();
		boolean uses = call instanceof Syscall.Install || call instanceof Syscall.Release;
		if (uses && (result.errno() == null || request.precondition() instanceof Precondition.Lapsed)) {
			session.leases().remove(fd(call));
		}
	}

	/** Exec counts: it ends all other threads, and whatever they have under way. */
	private static boolean hasLeft(Task task, Syscall call, FilesStruct table) {
		return task.hasExited() || call instanceof Syscall.Execve || task.files() != table;
	}

	private void giveBack(Session session, FilesStruct table) {
		List<Lease> leases = session.leases().removeAll();
		Task user = anyUserOf(table, session.tree());
		if (user != null) {
			leases.forEach(
					(lease) -> this.interpreter.interpret(user, new Syscall.Release(lease.fd(), lease.generation())));
		}
	}

	private static @Nullable Task anyUserOf(FilesStruct table, SessionTree tree) {
		for (Session session : tree.sessions().values()) {
			Task task = session.task();
			if (!task.hasExited() && task.files() == table) {
				return task;
			}
		}
		return null;
	}

}
