package io.fdtable.kernel;

import java.util.Arrays;

/**
 * The system calls of one process that give open files to, and take them from, other
 * processes of its tree.
 */
public final class FdTransfer {

	/** SCM_MAX_FD. */
	static final int MAX_FDS = 253;

	private final Task task;

	private final ProcessTree tree;

	FdTransfer(Task task, ProcessTree tree) {
		this.task = task;
		this.tree = tree;
	}

	/**
	 * Duplicates a descriptor of another process, like {@code pidfd_getfd}.
	 * @param fromPid the process that has it
	 * @param fd its number there, unsigned
	 * @return the lowest free descriptor, with FD_CLOEXEC, of the same open file
	 * @throws SyscallException ESRCH if there is no such process or it has exited; EBADF
	 * if the descriptor is not installed there; EMFILE and ENOMEM as for {@link Task#dup}
	 */
	public int pidfdGetfd(int fromPid, int fd) {
		FilesStruct own = this.task.files();
		OpenFile file = fget(living(fromPid), fd);
		try {
			int received = own.allocFd(0, this.task.nofile().soft(), true);
			own.fdInstall(received, file);
			return received;
		}
		catch (SyscallException ex) {
			file.release();
			throw ex;
		}
	}

	private static OpenFile fget(Task target, int fd) {
		FilesStruct table = target.files();
		try {
			return table.fget(fd);
		}
		catch (SyscallException ex) {
			// What exits meanwhile has no descriptors: the process is what is missing.
			throw target.hasExited() ? Errno.ESRCH.exception() : ex;
		}
	}

	private Task living(int pid) {
		Task found = this.tree.find(pid);
		if (found == null) {
			throw Errno.ESRCH.exception();
		}
		return found;
	}

	/**
	 * Sends open files, like {@code sendmsg} with SCM_RIGHTS. Each gets a reference that
	 * lasts until it is received or dropped.
	 * @param toPid the process that may receive them
	 * @param fds 1 to 253 descriptors, unsigned; the same one may stand there twice
	 * @throws SyscallException EINVAL for another number of descriptors; EBADF if any is
	 * not installed; ESRCH if there is no such process or it has exited; ETOOMANYREFS if
	 * more files than the soft limit are on their way in the tree already; EAGAIN if 256
	 * messages wait there; ENOMEM if the memory budget is spent; nothing is sent then
	 */
	public void sendmsg(int toPid, int[] fds) {
		FilesStruct table = this.task.files();
		if (fds.length == 0 || fds.length > MAX_FDS) {
			throw Errno.EINVAL.exception();
		}
		OpenFile[] files = new OpenFile[fds.length];
		int taken = 0;
		try {
			for (int fd : fds) {
				files[taken] = table.fget(fd);
				taken++;
			}
			Task receiver = living(toPid);
			if (this.tree.inFlight().get() > this.task.nofile().soft()) {
				throw Errno.ETOOMANYREFS.exception();
			}
			receiver.messages().add(files);
		}
		catch (SyscallException ex) {
			release(files, 0, taken);
			throw ex;
		}
	}

	private static void release(OpenFile[] files, int from, int to) {
		for (int i = from; i < to; i++) {
			files[i].release();
		}
	}

	/**
	 * What {@link FdTransfer#recvmsg} received.
	 *
	 * @param fds the new descriptors in the order in which they were sent
	 * @param truncated whether some did not fit and were dropped, like MSG_CTRUNC
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record Received(int[] fds, boolean truncated) {
	}

	/**
	 * Receives the oldest message, like {@code recvmsg}. The files are installed one by
	 * one on the lowest free descriptors; the first that finds none, and all behind it,
	 * are dropped, and the call succeeds.
	 * @param maxFds how many descriptors there is room for, not negative
	 * @param closeOnExec whether exec will close them
	 * @return the new descriptors
	 * @throws SyscallException EINVAL if the room is negative; EAGAIN if no message waits
	 */
	public Received recvmsg(int maxFds, boolean closeOnExec) {
		FilesStruct table = this.task.files();
		if (maxFds < 0) {
			throw Errno.EINVAL.exception();
		}
		OpenFile[] files = this.task.messages().poll();
		if (files == null) {
			throw Errno.EAGAIN.exception();
		}
		int[] fds = new int[Math.min(maxFds, files.length)];
		int received = 0;
		try {
			while (received < fds.length) {
				int fd = table.allocFd(0, this.task.nofile().soft(), closeOnExec);
				table.fdInstall(fd, files[received]);
				fds[received] = fd;
				received++;
			}
		}
		catch (SyscallException ex) {
			// No number or no memory for this one: Linux says no more than MSG_CTRUNC.
			fds = Arrays.copyOf(fds, received);
		}
		release(files, received, files.length);
		return new Received(fds, received < files.length);
	}

}
