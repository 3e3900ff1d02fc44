package io.fdtable.syscall;

import java.util.List;

import io.fdtable.kernel.AcceptOutcome;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import org.jspecify.annotations.Nullable;

/**
 * What a system call answered: a value, or an errno. One call on equal states answers the
 * same numbers; open files and arrays inside a result compare by identity.
 */
public sealed interface SyscallResult {

	/**
	 * Returns what the call returns in C.
	 * @return -1 if it failed
	 */
	long ret();

	/**
	 * Returns the error.
	 * @return null if the call succeeded
	 */
	default @Nullable Errno errno() {
		return null;
	}

	/**
	 * A failure.
	 *
	 * @param errno why; the call has changed nothing but what Linux changes too
	 */
	record Failure(Errno errno) implements SyscallResult {

		@Override
		public long ret() {
			return -1;
		}

	}

	/**
	 * A plain return value.
	 *
	 * @param ret the value
	 */
	record Value(long ret) implements SyscallResult {
	}

	/**
	 * A descriptor that the call has made or changed.
	 *
	 * @param entry the descriptor as the call left it
	 * @param replaced whether it referred to another file before
	 */
	record Descriptor(FdEntry entry, boolean replaced) implements SyscallResult {

		@Override
		public long ret() {
			return this.entry.fd();
		}

	}

	/**
	 * Descriptors closed by a range.
	 *
	 * @param closed how many
	 */
	record Closed(int closed) implements SyscallResult {

		@Override
		public long ret() {
			return 0;
		}

	}

	/**
	 * A child process.
	 *
	 * @param pid its number
	 */
	record Forked(int pid) implements SyscallResult {

		@Override
		public long ret() {
			return this.pid;
		}

	}

	/**
	 * A table that the call has made private.
	 *
	 * @param copied whether it was shared before
	 */
	record Unshared(boolean copied) implements SyscallResult {

		@Override
		public long ret() {
			return 0;
		}

	}

	/**
	 * A process image replaced.
	 *
	 * @param closed the descriptors that were marked close-on-exec, ascending
	 * @param unshared whether the table was shared before
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Executed(int[] closed, boolean unshared) implements SyscallResult {

		@Override
		public long ret() {
			return 0;
		}

	}

	/**
	 * A reserved descriptor that has got its file.
	 *
	 * @param entry the descriptor
	 */
	record Installed(FdEntry entry) implements SyscallResult {

		@Override
		public long ret() {
			return 0;
		}

	}

	/**
	 * A pipe.
	 *
	 * @param read the end to read from
	 * @param write the end to write to
	 */
	record Pipe(FdEntry read, FdEntry write) implements SyscallResult {

		@Override
		public long ret() {
			return 0;
		}

	}

	/**
	 * Open files received in a message.
	 *
	 * @param entries the descriptors they were given, ascending
	 * @param truncated whether the message had more, which are dropped (MSG_CTRUNC)
	 */
	record Received(List<FdEntry> entries, boolean truncated) implements SyscallResult {

		@Override
		public long ret() {
			return this.entries.size();
		}

	}

	/**
	 * Bytes read.
	 *
	 * @param bytes none at the end of the file
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Data(byte[] bytes) implements SyscallResult {

		@Override
		public long ret() {
			return this.bytes.length;
		}

	}

	/**
	 * A call on a socket that may have ended pending accepts.
	 *
	 * @param ended how each of them ended, in the order in which they were made
	 */
	record Woke(List<AcceptOutcome> ended) implements SyscallResult {

		@Override
		public long ret() {
			return 0;
		}

	}

}
