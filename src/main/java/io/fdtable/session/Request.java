package io.fdtable.session;

import io.fdtable.syscall.Syscall;
import org.jspecify.annotations.Nullable;

/**
 * A system call on its way to a session, with what its client demands beside it.
 *
 * @param session the session that makes the call
 * @param call the call
 * @param precondition what must be true of a descriptor for the call to be made, or null
 * @param idempotencyKey under which the answer is kept for retries, or null
 */
public record Request(SessionId session, Syscall call, @Nullable Precondition precondition,
		@Nullable String idempotencyKey) {

	/**
	 * Creates a request that demands nothing.
	 * @param session the session that makes the call
	 * @param call the call
	 * @return the request
	 */
	public static Request of(SessionId session, Syscall call) {
		return new Request(session, call, null, null);
	}

	/** Returns what the variable part of the call takes in memory, in bytes. */
	long bytes() {
		return switch (this.call) {
			case Syscall.Open open -> bytes(open.path());
			case Syscall.Install install -> bytes(install.path());
			case Syscall.Write write -> write.data().length;
			case Syscall.Sendmsg send -> 4L * send.fds().length;
			default -> 0;
		};
	}

	private static long bytes(@Nullable String path) {
		return (path != null) ? 2L * path.length() : 0;
	}

}
