package io.fdtable.syscall;

import io.fdtable.kernel.FileKind;
import org.jspecify.annotations.Nullable;

/**
 * A system call as data: all that changes a table is one of these, whether it came as a
 * request, a line of a batch or a line of a trace.
 *
 * <p>
 * Descriptor numbers are unsigned 32-bit in an {@code int}; flags and commands have the
 * values of Linux on x86-64. What each call does and which errnos it answers stands at
 * the method of {@link io.fdtable.kernel.Task} that {@link SyscallInterpreter} hands it
 * to.
 */
public sealed interface Syscall {

	/**
	 * Returns the name of the call.
	 * @return as in the kernel's table of system calls; as in the wire format for the
	 * calls that Linux only makes as a part of others
	 */
	String name();

	/**
	 * Opens a file on the lowest free descriptor.
	 *
	 * @param path its path, or null for a file without a name
	 * @param kind what it is
	 * @param flags flags of open(2)
	 * @param label a note of the caller's
	 */
	record Open(@Nullable String path, FileKind kind, int flags, @Nullable String label) implements Syscall {

		@Override
		public String name() {
			return switch (this.kind) {
				case SOCKET -> "socket";
				case EVENTFD -> "eventfd2";
				default -> "openat";
			};
		}

	}

	/**
	 * Frees a descriptor.
	 *
	 * @param fd the descriptor
	 */
	record Close(int fd) implements Syscall {

		@Override
		public String name() {
			return "close";
		}

	}

	/**
	 * Closes or marks a range.
	 *
	 * @param first the lowest descriptor
	 * @param last the highest descriptor, inclusive
	 * @param flags flags of close_range(2)
	 */
	record CloseRange(int first, int last, int flags) implements Syscall {

		@Override
		public String name() {
			return "close_range";
		}

	}

	/**
	 * Duplicates onto the lowest free descriptor.
	 *
	 * @param oldFd the descriptor to duplicate
	 */
	record Dup(int oldFd) implements Syscall {

		@Override
		public String name() {
			return "dup";
		}

	}

	/**
	 * Duplicates onto a given descriptor.
	 *
	 * @param oldFd the descriptor to duplicate
	 * @param newFd the number to give it
	 */
	record Dup2(int oldFd, int newFd) implements Syscall {

		@Override
		public String name() {
			return "dup2";
		}

	}

	/**
	 * Duplicates onto a given descriptor with flags.
	 *
	 * @param oldFd the descriptor to duplicate
	 * @param newFd the number to give it
	 * @param flags 0 or O_CLOEXEC
	 */
	record Dup3(int oldFd, int newFd, int flags) implements Syscall {

		@Override
		public String name() {
			return "dup3";
		}

	}

	/**
	 * Runs a command on a descriptor.
	 *
	 * @param fd the descriptor
	 * @param cmd a command of fcntl(2)
	 * @param arg its argument
	 */
	record Fcntl(int fd, int cmd, long arg) implements Syscall {

		@Override
		public String name() {
			return "fcntl";
		}

	}

	/**
	 * Makes a child.
	 *
	 * @param shareFiles whether it shares the table, as with CLONE_FILES
	 * @param label a note of the caller's on the child, which no table depends on
	 */
	record Fork(boolean shareFiles, @Nullable String label) implements Syscall {

		@Override
		public String name() {
			return "clone";
		}

	}

	/** Makes the table private. */
	record Unshare() implements Syscall {

		@Override
		public String name() {
			return "unshare";
		}

	}

	/** Closes what is marked close-on-exec. */
	record Execve() implements Syscall {

		@Override
		public String name() {
			return "execve";
		}

	}

	/** Ends the process. */
	record Exit() implements Syscall {

		@Override
		public String name() {
			return "exit_group";
		}

	}

	/**
	 * Sets RLIMIT_NOFILE.
	 *
	 * @param soft the soft limit, unsigned 64-bit
	 * @param hard the hard limit, unsigned 64-bit
	 */
	record Prlimit(long soft, long hard) implements Syscall {

		@Override
		public String name() {
			return "prlimit64";
		}

	}

}
