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

	/** What a descriptor or an ended accept takes in a list. */
	private static final int ELEMENT_BYTES = 48;

	public Answer(SyscallResult result, Rlimit nofile, @Nullable SessionSnapshot child, boolean isReplayed) {
		this(result, nofile, child, null, isReplayed);
	}

	@Override
	public Answer replayed() {
		return new Answer(this.result, this.nofile, this.child, this.lease, true);
	}

	@Override
	public long bytes() {
		long bytes = switch (this.result) {
			case SyscallResult.Executed executed -> (long) Integer.BYTES * executed.closed().length;
			case SyscallResult.Data data -> data.bytes().length;
			case SyscallResult.Received received -> (long) ELEMENT_BYTES * received.entries().size();
			case SyscallResult.Woke woke -> (long) ELEMENT_BYTES * woke.ended().size();
			default -> 0;
		};
		return bytes + ((this.lease != null) ? Leases.BYTES : 0);
	}

}
