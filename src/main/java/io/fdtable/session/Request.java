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
 * @param lease what the call has to do with a lease on its descriptor, or null
 */
public record Request(SessionId session, Syscall call, @Nullable Precondition precondition,
		@Nullable String idempotencyKey, @Nullable LeaseTerms lease) implements IdempotencyLedger.Sized {

	public Request(SessionId session, Syscall call, @Nullable Precondition precondition,
			@Nullable String idempotencyKey) {
		this(session, call, precondition, idempotencyKey, null);
	}

	/**
	 * Creates a request that demands nothing.
	 * @param session the session that makes the call
	 * @param call the call
	 * @return the request
	 */
	public static Request of(SessionId session, Syscall call) {
		return new Request(session, call, null, null);
	}

	@Override
	public long bytes() {
		long bytes = switch (this.call) {
			case Syscall.Write write -> write.data().length;
			case Syscall.Sendmsg message -> (long) Integer.BYTES * message.fds().length;
			case Syscall.Open open -> bytesOf(open.path()) + bytesOf(open.label());
			case Syscall.Install install -> bytesOf(install.path()) + bytesOf(install.label());
			case Syscall.Fork fork -> bytesOf(fork.label());
			default -> 0;
		};
		bytes += (this.precondition instanceof Precondition.Unchanged unchanged) ? unchanged.bytes() : 0;
		return bytes + ((this.lease instanceof LeaseTerms.Claim claim) ? bytesOf(claim.token()) : 0);
	}

	static long bytesOf(@Nullable String text) {
		return (text != null) ? 2L * text.length() : 0;
	}

	/**
	 * Returns what a retry has in common with the first try: all but the token that was
	 * drawn for it.
	 */
	Request fingerprint() {
		return (this.lease instanceof LeaseTerms.Grant grant) ? new Request(this.session, this.call, this.precondition,
				this.idempotencyKey, new LeaseTerms.Grant("", grant.length())) : this;
	}

}
