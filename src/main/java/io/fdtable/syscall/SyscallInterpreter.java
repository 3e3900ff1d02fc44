package io.fdtable.syscall;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.SyscallException;
import io.fdtable.kernel.Task;

/**
 * Runs a {@link Syscall} on a process: the one switch that every call passes.
 *
 * <p>
 * The calls of one process tree must be made one after another, by whoever decides on
 * their order; a result then describes the state right after its call.
 */
public final class SyscallInterpreter {

	private static final SyscallResult ZERO = new SyscallResult.Value(0);

	/**
	 * Runs a call.
	 * @param task the process that makes it
	 * @param call the call
	 * @return its answer, an errno included
	 */
	public SyscallResult interpret(Task task, Syscall call) {
		try {
			return run(task, call);
		}
		catch (SyscallException ex) {
			return new SyscallResult.Failure(ex.errno());
		}
	}

	private SyscallResult run(Task task, Syscall call) {
		return switch (call) {
			case Syscall.Open open ->
				descriptor(task, task.open(open.path(), open.kind(), open.flags(), open.label()), false);
			case Syscall.Close close -> {
				task.close(close.fd());
				yield ZERO;
			}
			case Syscall.CloseRange range ->
				new SyscallResult.Closed(task.closeRange(range.first(), range.last(), range.flags()));
			case Syscall.Dup dup -> descriptor(task, task.dup(dup.oldFd()), false);
			case Syscall.Dup2 dup -> {
				boolean replaced = task.dup2(dup.oldFd(), dup.newFd());
				yield descriptor(task, dup.newFd(), replaced);
			}
			case Syscall.Dup3 dup -> {
				boolean replaced = task.dup3(dup.oldFd(), dup.newFd(), dup.flags());
				yield descriptor(task, dup.newFd(), replaced);
			}
			case Syscall.Fcntl fcntl -> fcntl(task, fcntl);
			case Syscall.Fork fork -> new SyscallResult.Forked(task.fork(fork.shareFiles()).pid());
			case Syscall.Unshare unshare -> new SyscallResult.Unshared(task.unshare());
			case Syscall.Execve execve -> {
				Task.Exec exec = task.exec();
				yield new SyscallResult.Executed(exec.closed(), exec.unshared());
			}
			case Syscall.Exit exit -> {
				task.exit();
				yield ZERO;
			}
			case Syscall.Prlimit prlimit -> {
				task.setNofile(prlimit.soft(), prlimit.hard());
				yield ZERO;
			}
		};
	}

	private static SyscallResult fcntl(Task task, Syscall.Fcntl call) {
		long ret = task.fcntl(call.fd(), call.cmd(), call.arg());
		return switch (call.cmd()) {
			case io.fdtable.kernel.Fcntl.F_DUPFD, io.fdtable.kernel.Fcntl.F_DUPFD_CLOEXEC ->
				descriptor(task, (int) ret, false);
			default -> new SyscallResult.Value(ret);
		};
	}

	private static SyscallResult descriptor(Task task, int fd, boolean replaced) {
		FdEntry entry = task.files().entry(fd);
		// Only possible if the calls of a tree were not made one after another.
		return (entry != null) ? new SyscallResult.Descriptor(entry, replaced) : new SyscallResult.Failure(Errno.EBADF);
	}

}
