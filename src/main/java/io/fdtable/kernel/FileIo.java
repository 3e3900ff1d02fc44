package io.fdtable.kernel;

import java.util.function.Supplier;

/**
 * The system calls of one process that read, write and move positions. None of them ever
 * blocks: where Linux would wait, it is EAGAIN.
 *
 * <p>
 * The position of a regular file or a directory is guarded by a lock of the open file,
 * which is taken only when somebody else might use the position at the same time.
 */
public final class FileIo {

	private final Task task;

	private final ProcessTree tree;

	FileIo(Task task, ProcessTree tree) {
		this.task = task;
		this.tree = tree;
	}

	/**
	 * Reads at the file's position and moves it, like {@code read}.
	 * @param fd the descriptor, unsigned
	 * @param count how many bytes at most; no call returns more than
	 * {@link Sysctl#fileMaxBytes}
	 * @return the bytes; none at the end of the file
	 * @throws SyscallException EBADF if the descriptor is not installed, O_PATH or not
	 * open for reading; EFAULT if the count is negative, since no buffer is so long;
	 * EISDIR for a directory; EINVAL for fewer than 8 bytes of an event counter; EAGAIN
	 * if there is nothing to read yet; ENOTCONN for an unconnected socket
	 */
	public byte[] read(int fd, long count) {
		return use(fd, (file) -> {
			if (!file.isReadable()) {
				throw Errno.EBADF.exception();
			}
			if (count < 0) {
				throw Errno.EFAULT.exception();
			}
			return file.operations().read(file, (int) Math.min(count, this.tree.sysctl().fileMaxBytes()));
		});
	}

	/**
	 * Writes at the file's position, or at its end with O_APPEND, and moves the position,
	 * like {@code write}.
	 * @param fd the descriptor, unsigned
	 * @param data the bytes
	 * @return how many were written, fewer than there are if the file or the pipe takes
	 * no more
	 * @throws SyscallException EBADF if the descriptor is not installed, O_PATH or not
	 * open for writing; EFBIG if the position is at or beyond the longest file; EAGAIN
	 * for a full pipe; EPIPE for a pipe without a reader or an unconnected socket; EINVAL
	 * if an event counter is given anything but 8 bytes; ENOMEM if the memory budget is
	 * spent
	 */
	public int write(int fd, byte[] data) {
		return use(fd, (file) -> {
			if (!file.isWritable()) {
				throw Errno.EBADF.exception();
			}
			return file.operations().write(file, data);
		});
	}

	/**
	 * Moves the file's position, like {@code lseek}.
	 * @param fd the descriptor, unsigned
	 * @param offset in bytes, counted from what {@code whence} says
	 * @param whence one of {@link Seek}
	 * @return the new position
	 * @throws SyscallException EBADF if the descriptor is not installed or O_PATH; EINVAL
	 * for another {@code whence} or a negative position; ESPIPE for a stream; ENXIO if
	 * SEEK_DATA or SEEK_HOLE find nothing
	 */
	public long lseek(int fd, long offset, int whence) {
		return use(fd, (file) -> {
			if (whence < Seek.SEEK_SET || whence > Seek.SEEK_HOLE) {
				throw Errno.EINVAL.exception();
			}
			return file.operations().llseek(file, offset, whence);
		});
	}

	private interface Use<T> {

		T of(OpenFile file);

	}

	private <T> T use(int fd, Use<T> use) {
		FilesStruct table = this.task.files();
		OpenFile file = table.fgetUsable(fd);
		try {
			return positioned(table, fd, file, () -> use.of(file));
		}
		finally {
			file.release();
		}
	}

	/** Takes the position lock where {@code fdget_pos} does. */
	private static <T> T positioned(FilesStruct table, int fd, OpenFile file, Supplier<T> call) {
		if (!file.kind().guardsPosition()) {
			return call.get();
		}
		if (mayBeShared(table, fd, file)) {
			table.positionLocks().countTaken();
			synchronized (file) {
				return call.get();
			}
		}
		table.positionLocks().countElided();
		return call.get();
	}

	private static boolean mayBeShared(FilesStruct table, int fd, OpenFile file) {
		// In a private table Linux borrows the slot's reference; this call has taken one.
		return file.kind() == FileKind.DIRECTORY || table.count() != 1 || table.sharesSlot(fd) || file.count() != 2;
	}

	/**
	 * The two ends of a new pipe.
	 *
	 * @param read the descriptor to read from
	 * @param write the descriptor to write to
	 */
	public record PipeEnds(int read, int write) {
	}

	/**
	 * Makes a pipe, like {@code pipe2}: two descriptors or none.
	 * @param flags a combination of O_CLOEXEC, O_NONBLOCK and O_DIRECT
	 * @return the two lowest free descriptors
	 * @throws SyscallException EINVAL if there is any other flag; ENFILE at file-max;
	 * EMFILE if there are no two free numbers below the soft limit; ENOMEM if the memory
	 * budget is spent
	 */
	public PipeEnds pipe2(int flags) {
		if ((flags & ~(OpenFlags.O_CLOEXEC | OpenFlags.O_NONBLOCK | OpenFlags.O_DIRECT)) != 0) {
			throw Errno.EINVAL.exception();
		}
		FilesStruct table = this.task.files();
		// As in Linux the files come first, so ENFILE before EMFILE.
		ProcessTree.PipeFiles files = this.tree.openPipe(flags);
		try {
			boolean closeOnExec = (flags & OpenFlags.O_CLOEXEC) != 0;
			int read = table.allocFd(0, this.task.nofile().soft(), closeOnExec);
			int write = allocSecond(table, read, closeOnExec);
			table.fdInstall(read, files.read());
			table.fdInstall(write, files.write());
			return new PipeEnds(read, write);
		}
		catch (SyscallException ex) {
			files.read().release();
			files.write().release();
			throw ex;
		}
	}

	private int allocSecond(FilesStruct table, int first, boolean closeOnExec) {
		try {
			return table.allocFd(0, this.task.nofile().soft(), closeOnExec);
		}
		catch (SyscallException ex) {
			table.putUnusedFd(first);
			throw ex;
		}
	}

}
