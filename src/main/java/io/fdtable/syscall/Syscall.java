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

	/**
	 * Reserves the lowest free descriptor, as every call that makes one does first.
	 *
	 * @param minFd the lowest acceptable number
	 * @param closeOnExec whether exec will close it
	 */
	record Reserve(int minFd, boolean closeOnExec) implements Syscall {

		@Override
		public String name() {
			return "reserve";
		}

	}

	/**
	 * Opens a file into a reserved descriptor.
	 *
	 * @param fd the reserved descriptor
	 * @param generation which reservation it must be, or 0 for any
	 * @param path as for {@link Open}
	 * @param kind as for {@link Open}
	 * @param flags as for {@link Open}; O_CLOEXEC is ignored
	 * @param label as for {@link Open}
	 */
	record Install(int fd, long generation, @Nullable String path, FileKind kind, int flags,
			@Nullable String label) implements Syscall {

		@Override
		public String name() {
			return "install";
		}

	}

	/**
	 * Gives a reserved descriptor back.
	 *
	 * @param fd the reserved descriptor
	 * @param generation which reservation it must be, or 0 for any
	 */
	record Release(int fd, long generation) implements Syscall {

		@Override
		public String name() {
			return "release";
		}

	}

	/**
	 * Makes a pipe.
	 *
	 * @param flags a combination of O_CLOEXEC, O_NONBLOCK and O_DIRECT
	 */
	record Pipe2(int flags) implements Syscall {

		@Override
		public String name() {
			return "pipe2";
		}

	}

	/**
	 * Duplicates a descriptor of another process of the tree.
	 *
	 * @param fromPid the process that has it
	 * @param fd its number there
	 */
	record PidfdGetfd(int fromPid, int fd) implements Syscall {

		@Override
		public String name() {
			return "pidfd_getfd";
		}

	}

	/**
	 * Sends open files to a process of the tree, as a message with SCM_RIGHTS does.
	 *
	 * @param toPid the process that may receive them
	 * @param fds the descriptors of the sender
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Sendmsg(int toPid, int[] fds) implements Syscall {

		@Override
		public String name() {
			return "sendmsg";
		}

	}

	/**
	 * Receives the open files of the oldest message.
	 *
	 * @param maxFds how many there is room for
	 * @param closeOnExec whether exec will close them (MSG_CMSG_CLOEXEC)
	 */
	record Recvmsg(int maxFds, boolean closeOnExec) implements Syscall {

		@Override
		public String name() {
			return "recvmsg";
		}

	}

	/**
	 * Reads at the position of the file.
	 *
	 * @param fd the descriptor
	 * @param count how many bytes at most
	 */
	record Read(int fd, long count) implements Syscall {

		@Override
		public String name() {
			return "read";
		}

	}

	/**
	 * Writes at the position of the file.
	 *
	 * @param fd the descriptor
	 * @param data the bytes; never changed after the call is made
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Write(int fd, byte[] data) implements Syscall {

		@Override
		public String name() {
			return "write";
		}

	}

	/**
	 * Moves the position of the file.
	 *
	 * @param fd the descriptor
	 * @param offset where to, as {@code whence} says
	 * @param whence a constant of lseek(2), 0 to 4
	 */
	record Lseek(int fd, long offset, int whence) implements Syscall {

		@Override
		public String name() {
			return "lseek";
		}

	}

	/**
	 * Makes a socket accept connections.
	 *
	 * @param fd the socket
	 * @param backlog how many connections may wait for an accept
	 */
	record Listen(int fd, int backlog) implements Syscall {

		@Override
		public String name() {
			return "listen";
		}

	}

	/**
	 * Accepts a connection. Where none is waiting the call stays pending: its number is
	 * reserved and its listening socket pinned until a {@link Connect} installs the
	 * connection, or a {@link Shutdown} or {@link Release} gives the number back.
	 *
	 * @param fd the listening socket
	 * @param flags a combination of O_CLOEXEC and O_NONBLOCK
	 */
	record Accept4(int fd, int flags) implements Syscall {

		@Override
		public String name() {
			return "accept4";
		}

	}

	/**
	 * Connects a socket to a listening one, which need not have a descriptor any more.
	 *
	 * @param fd the socket to connect
	 * @param file the {@linkplain io.fdtable.kernel.OpenFile#id() number} of the
	 * listening socket's open file
	 */
	record Connect(int fd, long file) implements Syscall {

		@Override
		public String name() {
			return "connect";
		}

	}

	/**
	 * Shuts a socket down.
	 *
	 * @param fd the socket
	 * @param how 0 for reading, 1 for writing, 2 for both
	 */
	record Shutdown(int fd, int how) implements Syscall {

		@Override
		public String name() {
			return "shutdown";
		}

	}

}
