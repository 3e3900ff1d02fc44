package io.fdtable.kernel;

import java.util.List;

/**
 * The system calls of one process on stream sockets. A call never blocks a thread: an
 * accept that has to wait keeps its number reserved and its listening file referenced,
 * and some later call ends it.
 */
public final class SocketCalls {

	private final Task task;

	private final ProcessTree tree;

	SocketCalls(Task task, ProcessTree tree) {
		this.task = task;
		this.tree = tree;
	}

	/**
	 * Makes a socket accept connections, like {@code listen}. Repeated, it only changes
	 * the backlog.
	 * @param fd the socket, unsigned
	 * @param backlog how many connections may wait for an accept; unsigned, at most 4096
	 * count
	 * @throws SyscallException EBADF if the descriptor is not installed or O_PATH;
	 * ENOTSOCK if it is no socket; EINVAL if it is connected
	 */
	public void listen(int fd, int backlog) {
		OpenFile file = this.task.files().fgetUsable(fd);
		try {
			this.tree.sockets().listen(socketOf(file), file, backlog);
		}
		finally {
			file.release();
		}
	}

	/**
	 * Accepts a connection, like {@code accept4}. If none waits, the number stays
	 * reserved and the listening file referenced until a connect installs the connection.
	 * Closing or replacing the listener's number meanwhile changes nothing; shutting the
	 * socket down, releasing the reservation, exec, exit and giving up the table end it.
	 * @param fd the listening socket, unsigned
	 * @param flags 0 or a combination of O_CLOEXEC and O_NONBLOCK
	 * @return the new descriptor, installed if a connection was waiting
	 * @throws SyscallException EBADF if the descriptor is not installed or O_PATH; EINVAL
	 * if there is any other flag or the socket is not listening; EMFILE if no number
	 * below the soft limit is free; ENOTSOCK if it is no socket; ENFILE at file-max;
	 * EAGAIN if the socket is O_NONBLOCK and no connection waits; ENOMEM if the memory
	 * budget is spent
	 */
	public int accept4(int fd, int flags) {
		FilesStruct table = this.task.files();
		OpenFile file = table.fgetUsable(fd);
		try {
			if ((flags & ~(OpenFlags.O_CLOEXEC | OpenFlags.O_NONBLOCK)) != 0) {
				throw Errno.EINVAL.exception();
			}
			int accepted = table.allocFd(0, this.task.nofile().soft(), (flags & OpenFlags.O_CLOEXEC) != 0);
			try {
				accept(table, file, accepted, flags);
				return accepted;
			}
			catch (SyscallException ex) {
				table.putUnusedFd(accepted);
				throw ex;
			}
		}
		finally {
			file.release();
		}
	}

	private void accept(FilesStruct table, OpenFile file, int fd, int flags) {
		Socket listening = socketOf(file);
		FdEntry entry = table.entry(fd);
		if (entry == null) {
			throw new IllegalStateException("descriptor " + fd + " is not reserved");
		}
		OpenFile accepted = this.tree.openFile(null, FileKind.SOCKET, OpenFlags.O_RDWR | (flags & OpenFlags.O_NONBLOCK),
				null);
		try {
			this.tree.sockets()
				.accept(listening, socketOf(accepted),
						new Listener.PendingAccept(this.task, table, fd, entry.generation(), file, accepted));
		}
		catch (SyscallException ex) {
			accepted.release();
			throw ex;
		}
	}

	/**
	 * Connects a socket to a listening one of the tree, like {@code connect}. Completes
	 * the oldest accept that waits there, or joins the backlog.
	 * @param fd the socket, unsigned
	 * @param file the number of the listening open file, which needs no descriptor
	 * @return how the accept that was completed ended; empty if none waited
	 * @throws SyscallException EBADF if the descriptor is not installed or O_PATH;
	 * ENOTSOCK if it is no socket; EISCONN if it is connected or listening; ECONNREFUSED
	 * if nothing listens there; EAGAIN if the backlog is full; ENOMEM if the memory
	 * budget is spent
	 */
	public List<AcceptOutcome> connect(int fd, long file) {
		OpenFile own = this.task.files().fgetUsable(fd);
		try {
			return this.tree.sockets().connect(socketOf(own), file);
		}
		finally {
			own.release();
		}
	}

	/**
	 * Shuts a socket down, like {@code shutdown}. A listening one stops listening, which
	 * ends every accept that waits with EINVAL.
	 * @param fd the socket, unsigned
	 * @param how 0 for reading, 1 for writing, 2 for both
	 * @return how the accepts that waited ended
	 * @throws SyscallException EBADF if the descriptor is not installed or O_PATH;
	 * ENOTSOCK if it is no socket; EINVAL for another {@code how}; ENOTCONN if it is
	 * neither connected nor listening
	 */
	public List<AcceptOutcome> shutdown(int fd, int how) {
		OpenFile file = this.task.files().fgetUsable(fd);
		try {
			Socket socket = socketOf(file);
			if (how < 0 || how > 2) {
				throw Errno.EINVAL.exception();
			}
			return this.tree.sockets().shutdown(socket, file, how + 1);
		}
		finally {
			file.release();
		}
	}

	private static Socket socketOf(OpenFile file) {
		if (file.operations() instanceof Socket socket) {
			return socket;
		}
		throw Errno.ENOTSOCK.exception();
	}

}
