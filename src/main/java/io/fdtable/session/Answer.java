package io.fdtable.session;

import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.OpenFile;
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

	/** What a descriptor or an ended accept takes, in bytes. */
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
			case SyscallResult.Received received -> received.entries().stream().mapToLong(Answer::bytes).sum();
			case SyscallResult.Descriptor made -> bytes(made.entry());
			case SyscallResult.Installed installed -> bytes(installed.entry());
			case SyscallResult.Pipe pipe -> bytes(pipe.read()) + bytes(pipe.write());
			case SyscallResult.Woke woke -> (long) ELEMENT_BYTES * woke.ended().size();
			default -> 0;
		};
		return bytes + ((this.lease != null) ? Leases.BYTES : 0);
	}

	/** Counts the open file, too, which the answer keeps in memory when it has closed. */
	private static long bytes(FdEntry entry) {
		OpenFile file = entry.file();
		return ELEMENT_BYTES + ((file != null) ? file.bytes() : 0);
	}

}
