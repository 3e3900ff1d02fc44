package io.fdtable.web.problem;

import io.fdtable.kernel.Errno;
import io.fdtable.syscall.Syscall;
import org.jspecify.annotations.Nullable;

/**
 * Says in one sentence why a call has failed and what to do about it.
 */
final class ErrnoDetail {

	private ErrnoDetail() {
	}

	static String of(SyscallFailedException ex) {
		Syscall call = ex.call();
		return switch (ex.errno()) {
			case EBADF -> badDescriptor(call, ex);
			case EMFILE -> tooManyFiles(call, ex);
			case EINVAL -> invalid(call, ex);
			case EBUSY -> (call instanceof Syscall.Dup2 || call instanceof Syscall.Dup3)
					? "the new descriptor is reserved by a call that has not installed its file yet: try again when it has"
					: "the descriptor is installed already: a reservation can be used once";
			case EPERM -> (call instanceof Syscall.Prlimit) || call == null
					? "the hard limit can only be lowered, and never be above nr_open: ask for less"
					: "the operation is not permitted for this session: open files are shared inside a tree only";
			case ESRCH ->
				"no such session: it has exited, expired, or never existed; create one with POST /v1/sessions";
			case ENOENT -> "the path is empty: name a path, or leave the member out for a file without a name";
			case EEXIST -> "the path exists and O_CREAT with O_EXCL wants to create it: drop O_EXCL or choose another";
			case EISDIR -> "the path is a directory: open it with O_RDONLY and without O_CREAT";
			case ENOTDIR -> "the path, or a parent of it, is not a directory: drop O_DIRECTORY or correct the path";
			case ENAMETOOLONG -> "the path takes 4096 bytes or more: shorten it";
			case ENFILE -> "the service has as many sessions or open files as it may have: "
					+ "close some, let some exit, or try again later";
			case ENOMEM -> "the service's memory budget for tables and files is spent: close some, or try again later";
			case EAGAIN -> again(call);
			case EPIPE -> "nobody can read what would be written: the other end is closed or was never connected";
			case ESPIPE -> "the file is a stream and has no position";
			case EFBIG -> "the position is at or beyond the longest file that the service keeps";
			case ENXIO -> "there is no data, or no hole, at or after the offset";
			case ESTALE -> "the reservation has expired, or the token is another's: reserve a number anew";
			case ENOTSOCK -> "the file is no socket: open one with the kind SOCKET";
			case ENOTCONN -> "the socket is not connected: connect it first";
			case EISCONN -> "the socket is connected or listening already";
			case ECONNREFUSED -> "no listening socket is there, or its last reference has gone";
			case ETOOMANYREFS -> "more open files are on their way in this tree than the RLIMIT_NOFILE soft limit, "
					+ ex.nofile().soft() + ": receive some first";
			case ENOSYS -> "Linux has this command and this model does not: see the documentation of fcntl";
			default -> ex.errno().message();
		};
	}

	private static String again(@Nullable Syscall call) {
		return switch (call) {
			case Syscall.Recvmsg message -> "no message waits: have one sent first";
			case Syscall.Sendmsg message -> "256 messages wait there: have some received first";
			case Syscall.Write write -> "the pipe or counter is full: have some read first";
			case Syscall.Accept4 accept -> "no connection waits and the socket is O_NONBLOCK";
			case Syscall.Connect connect -> "as many connections wait as the backlog allows: have some accepted first";
			case null, default -> "there is nothing to read yet, and a virtual call never blocks: try again later";
		};
	}

	private static String badDescriptor(@Nullable Syscall call, SyscallFailedException ex) {
		return switch (call) {
			case Syscall.Dup2(int oldFd, int newFd) -> badTarget(oldFd, newFd, ex);
			case Syscall.Dup3(int oldFd, int newFd, int flags) -> badTarget(oldFd, newFd, ex);
			case Syscall.Close(int fd) -> notOpen(fd);
			case Syscall.Dup(int fd) -> notOpen(fd);
			case Syscall.Fcntl(int fd, int cmd, long arg) ->
				notOpen(fd) + ", or its file is O_PATH and takes no such command";
			case Syscall.Install install -> notReserved(install.fd());
			case Syscall.Release release -> notReserved(release.fd());
			case null, default -> "the descriptor is not open: list those that are with GET …/fds";
		};
	}

	private static String notOpen(int fd) {
		return "descriptor " + Integer.toUnsignedString(fd) + " is not open";
	}

	private static String notReserved(int fd) {
		return "descriptor " + Integer.toUnsignedString(fd)
				+ " is free: its reservation has been given back, or there was none";
	}

	private static String badTarget(int oldFd, int newFd, SyscallFailedException ex) {
		int limit = ex.nofile().soft();
		return (Integer.compareUnsigned(newFd, limit) >= 0)
				? "descriptor " + Integer.toUnsignedString(newFd) + " is not below " + limit
						+ ", the RLIMIT_NOFILE soft limit: choose a lower one or raise the limit"
				: notOpen(oldFd) + ", or the table may not grow to the new descriptor";
	}

	private static String tooManyFiles(@Nullable Syscall call, SyscallFailedException ex) {
		return switch (call) {
			case Syscall.Fork fork -> copyTooWide();
			case Syscall.Unshare unshare -> copyTooWide();
			case Syscall.Execve execve -> copyTooWide() + "; past the point of no return, so the session has died";
			case Syscall.CloseRange range -> copyTooWide();
			case null, default -> "every descriptor below " + ex.nofile().soft()
					+ ", the RLIMIT_NOFILE soft limit, is taken: close one or raise the limit";
		};
	}

	private static String copyTooWide() {
		return "a copy of the table needs more descriptors than nr_open allows";
	}

	private static String invalid(@Nullable Syscall call, SyscallFailedException ex) {
		return switch (call) {
			case Syscall.Dup3 dup when dup.oldFd() == dup.newFd() ->
				"old and new descriptor are the same, which only dup2 accepts";
			case Syscall.Dup3 dup -> "dup3 takes no flag but O_CLOEXEC";
			case Syscall.CloseRange range when Integer.compareUnsigned(range.first(), range.last()) > 0 ->
				"first is above last, both taken as unsigned: swap them";
			case Syscall.CloseRange range ->
				"close_range takes no flags but CLOSE_RANGE_UNSHARE and CLOSE_RANGE_CLOEXEC";
			case Syscall.Fcntl(int fd, int cmd, long arg) when cmd == io.fdtable.kernel.Fcntl.F_DUPFD
					|| cmd == io.fdtable.kernel.Fcntl.F_DUPFD_CLOEXEC ->
				"the minimum is not below " + ex.nofile().soft() + ", the RLIMIT_NOFILE soft limit";
			case Syscall.Fcntl fcntl -> "the command is unknown, or the file cannot do what is asked of it";
			case Syscall.Pipe2 pipe -> "a pipe takes no flags but O_CLOEXEC, O_NONBLOCK and O_DIRECT";
			case Syscall.Lseek seek -> "whence is none of SEEK_SET to SEEK_HOLE, or the position would be negative";
			case Syscall.Sendmsg message -> "a message carries 1 to 253 descriptors";
			case Syscall.Accept4 accept ->
				"the socket is not listening, or there is another flag than O_CLOEXEC and" + " O_NONBLOCK";
			case Syscall.Open open -> "the flags contradict each other or the kind of the file";
			case Syscall.Install install -> "the flags contradict each other or the kind of the file";
			case Syscall.Prlimit limit -> "the soft limit is above the hard limit";
			case null -> "the soft limit is above the hard limit";
			default -> Errno.EINVAL.message();
		};
	}

}
