package io.fdtable.syscall;

import java.util.Arrays;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FdTransfer;
import io.fdtable.kernel.FileIo;
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
			case Syscall.Reserve reserve ->
				descriptor(task, task.reserve(reserve.minFd(), reserve.closeOnExec()), false);
			case Syscall.Install install -> {
				task.install(install.fd(), install.generation(), install.path(), install.kind(), install.flags(),
						install.label());
				yield new SyscallResult.Installed(entry(task, install.fd()));
			}
			case Syscall.Release release -> {
				task.release(release.fd(), release.generation());
				yield ZERO;
			}
			case Syscall.Pipe2 pipe -> {
				FileIo.PipeEnds ends = task.io().pipe2(pipe.flags());
				yield new SyscallResult.Pipe(entry(task, ends.read()), entry(task, ends.write()));
			}
			case Syscall.PidfdGetfd getfd ->
				descriptor(task, task.transfer().pidfdGetfd(getfd.fromPid(), getfd.fd()), false);
			case Syscall.Sendmsg send -> {
				task.transfer().sendmsg(send.toPid(), send.fds());
				yield ZERO;
			}
			case Syscall.Recvmsg receive -> {
				FdTransfer.Received received = task.transfer().recvmsg(receive.maxFds(), receive.closeOnExec());
				yield new SyscallResult.Received(
						Arrays.stream(received.fds()).mapToObj((fd) -> entry(task, fd)).toList(), received.truncated());
			}
			case Syscall.Read read -> new SyscallResult.Data(task.io().read(read.fd(), read.count()));
			case Syscall.Write write -> new SyscallResult.Value(task.io().write(write.fd(), write.data()));
			case Syscall.Lseek lseek ->
				new SyscallResult.Value(task.io().lseek(lseek.fd(), lseek.offset(), lseek.whence()));
			case Syscall.Listen listen -> {
				task.sockets().listen(listen.fd(), listen.backlog());
				yield ZERO;
			}
			case Syscall.Accept4 accept -> descriptor(task, task.sockets().accept4(accept.fd(), accept.flags()), false);
			case Syscall.Connect connect ->
				new SyscallResult.Woke(task.sockets().connect(connect.fd(), connect.file()));
			case Syscall.Shutdown shutdown ->
				new SyscallResult.Woke(task.sockets().shutdown(shutdown.fd(), shutdown.how()));
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
		return new SyscallResult.Descriptor(entry(task, fd), replaced);
	}

	private static FdEntry entry(Task task, int fd) {
		FdEntry entry = task.files().entry(fd);
		// Only possible if the calls of a tree were not made one after another.
		if (entry == null) {
			throw Errno.EBADF.exception();
		}
		return entry;
	}

}
