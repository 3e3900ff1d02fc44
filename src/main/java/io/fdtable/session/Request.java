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
		@Nullable String idempotencyKey, @Nullable LeaseTerms lease) {

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

	/**
	 * Returns what a retry has in common with the first try: all but the token that was
	 * drawn for it.
	 */
	Request fingerprint() {
		return (this.lease instanceof LeaseTerms.Grant grant) ? new Request(this.session, this.call, this.precondition,
				this.idempotencyKey, new LeaseTerms.Grant("", grant.length())) : this;
	}

}
