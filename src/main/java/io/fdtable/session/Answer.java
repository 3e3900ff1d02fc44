package io.fdtable.session;

import io.fdtable.kernel.Rlimit;
import io.fdtable.syscall.SyscallResult;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Request} has come to. Immutable, so that a retry gets the very same.
 *
 * @param result what the call answered
 * @param nofile the limits that the session had after the call
 * @param child the session that the call has made, or null
 * @param lease the lease on the descriptor that the call has reserved, or null
 * @param isReplayed whether the call was made for an earlier request with the same key
 */
public record Answer(SyscallResult result, Rlimit nofile, @Nullable SessionSnapshot child, @Nullable Lease lease,
		boolean isReplayed) implements IdempotencyLedger.Keepable<Answer> {

	public Answer(SyscallResult result, Rlimit nofile, @Nullable SessionSnapshot child, boolean isReplayed) {
		this(result, nofile, child, null, isReplayed);
	}

	@Override
	public Answer replayed() {
		return new Answer(this.result, this.nofile, this.child, this.lease, true);
	}

	@Override
	public long bytes() {
		long closed = (this.result instanceof SyscallResult.Executed executed) ? 4L * executed.closed().length : 0;
		return closed + ((this.lease != null) ? Leases.BYTES : 0);
	}

}
