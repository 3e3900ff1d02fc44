package io.fdtable.kernel;

import org.jspecify.annotations.Nullable;

/**
 * A process: the limits, the table it points to, and the system calls that act on both.
 *
 * <p>
 * As in the kernel, where a task is one thread, the calls of one task are made one after
 * another; tasks that share a table may call at the same time. A call on a task that has
 * exited answers ESRCH.
 */
public final class Task {

	private final ProcessTree tree;

	private final int pid;

	private final int parentPid;

	private volatile @Nullable FilesStruct files;

	private volatile Rlimit nofile;

	private final MessageQueue messages;

	Task(ProcessTree tree, int pid, int parentPid, FilesStruct files, Rlimit nofile) {
		this.tree = tree;
		this.pid = pid;
		this.parentPid = parentPid;
		this.files = files;
		this.nofile = nofile;
		this.messages = new MessageQueue(tree.sysctl(), tree.inFlight());
	}

	public int pid() {
		return this.pid;
	}

	/**
	 * Returns who forked this process.
	 * @return a pid, or 0 for the first process of a tree
	 */
	public int parentPid() {
		return this.parentPid;
	}

	/**
	 * Returns the table that the process uses at the moment.
	 * @return the same object for all that share it
	 * @throws SyscallException ESRCH if the process has exited
	 */
	public FilesStruct files() {
		FilesStruct current = this.files;
		if (current == null) {
			throw Errno.ESRCH.exception();
		}
		return current;
	}

	/** Returns the table, or null if the process has exited. */
	@Nullable FilesStruct filesOrNull() {
		return this.files;
	}

	public boolean hasExited() {
		return this.files == null;
	}

	/**
	 * Returns the process's RLIMIT_NOFILE.
	 * @return the limits that the next call will read
	 */
	public Rlimit nofile() {
		return this.nofile;
	}

	/**
	 * Returns the calls that read, write and move positions.
	 * @return calls of this process
	 */
	public FileIo io() {
		return new FileIo(this, this.tree);
	}

	/**
	 * Returns the calls that pass open files between processes.
	 * @return calls of this process
	 */
	public FdTransfer transfer() {
		return new FdTransfer(this, this.tree);
	}

	/**
	 * Returns the calls on sockets.
	 * @return calls of this process
	 */
	public SocketCalls sockets() {
		return new SocketCalls(this, this.tree);
	}

	MessageQueue messages() {
		return this.messages;
	}

	private int limit() {
		return this.nofile.soft();
	}

	// Making descriptors

	/**
	 * Opens a file, like {@code openat} of a path, {@code socket} or {@code eventfd2}
	 * according to its kind. The number is reserved before the path is walked, so EMFILE
	 * comes before what is wrong with the path.
	 * @param path the path, or null for a file without a name
	 * @param kind what the file is; a path that the tree knows keeps its own kind
	 * @param flags a combination of {@link OpenFlags}
	 * @param label a note of the caller's
	 * @return the lowest free descriptor
	 * @throws SyscallException EINVAL if the flags contradict each other or the kind;
	 * ENAMETOOLONG if the path takes 4096 bytes or more; EMFILE if no number below the
	 * soft limit is free; ENFILE at file-max; ENOENT if the path is empty; EEXIST, EISDIR
	 * and ENOTDIR as for {@code open(2)}; ENOMEM if the memory budget is spent
	 */
	public int open(@Nullable String path, FileKind kind, int flags, @Nullable String label) {
		int checked = checkOpen(path, kind, flags);
		FilesStruct table = files();
		int fd = table.allocFd(0, limit(), (checked & OpenFlags.O_CLOEXEC) != 0);
		try {
			table.fdInstall(fd, this.tree.openFile(path, kind, checked, label));
		}
		catch (SyscallException ex) {
			table.putUnusedFd(fd);
			throw ex;
		}
		return fd;
	}

	private static int checkOpen(@Nullable String path, FileKind kind, int flags) {
		int checked = kind.opensByPath() ? OpenFlags.checkForPath(flags) : OpenFlags.checkForAnonymous(flags);
		if (path != null && kind.opensByPath()) {
			Namespace.checkName(path);
		}
		return checked;
	}

	/**
	 * Reserves the lowest free descriptor, as every call that makes one does first.
	 * @param minFd the lowest acceptable number, unsigned
	 * @param closeOnExec whether exec will close it
	 * @return the reserved descriptor
	 * @throws SyscallException EMFILE if no acceptable number below the soft limit is
	 * free; ENOMEM if the memory budget is spent
	 */
	public int reserve(int minFd, boolean closeOnExec) {
		int limit = limit();
		if (Integer.compareUnsigned(minFd, limit) >= 0) {
			throw Errno.EMFILE.exception();
		}
		return files().allocFd(minFd, limit, closeOnExec);
	}

	/**
	 * Opens a file into a reserved descriptor. FD_CLOEXEC was decided when the number was
	 * reserved, so O_CLOEXEC is ignored here.
	 * @param fd the reserved descriptor, unsigned
	 * @param generation which reservation it must be, or 0 for any
	 * @param path as for {@link #open}
	 * @param kind as for {@link #open}
	 * @param flags as for {@link #open}
	 * @param label as for {@link #open}
	 * @throws SyscallException ESTALE if the number has been handed out again since;
	 * EBADF if it is free; EBUSY if it is installed already or an accept waits with it;
	 * ENFILE, ENOENT, EEXIST, EISDIR, ENOTDIR, ENAMETOOLONG, EINVAL and ENOMEM as for
	 * {@link #open}, the reservation staying
	 */
	public void install(int fd, long generation, @Nullable String path, FileKind kind, int flags,
			@Nullable String label) {
		FilesStruct table = files();
		requireReserved(table, fd, generation);
		if (this.tree.sockets().isPending(table, fd)) {
			throw Errno.EBUSY.exception();
		}
		table.fdInstall(fd, this.tree.openFile(path, kind, checkOpen(path, kind, flags), label));
	}

	/**
	 * Gives a reserved descriptor back; an accept that waits with it ends, as if a signal
	 * had interrupted it.
	 * @param fd the reserved descriptor, unsigned
	 * @param generation which reservation it must be, or 0 for any
	 * @throws SyscallException ESTALE, EBADF and EBUSY as for {@link #install}
	 */
	public void release(int fd, long generation) {
		FilesStruct table = files();
		requireReserved(table, fd, generation);
		if (!this.tree.sockets().cancel(table, fd)) {
			table.putUnusedFd(fd);
		}
	}

	private static void requireReserved(FilesStruct table, int fd, long generation) {
		FdEntry entry = table.entry(fd);
		if (generation != 0 && (entry == null || entry.generation() != generation)) {
			throw Errno.ESTALE.exception();
		}
		if (entry == null) {
			throw Errno.EBADF.exception();
		}
		if (!entry.isReserved()) {
			throw Errno.EBUSY.exception();
		}
	}

	/**
	 * Duplicates a descriptor, like {@code dup}.
	 * @param oldFd the descriptor, unsigned
	 * @return the lowest free descriptor, without FD_CLOEXEC
	 * @throws SyscallException EBADF if {@code oldFd} is not installed; EMFILE if no
	 * number below the soft limit is free; ENOMEM if the memory budget is spent
	 */
	public int dup(int oldFd) {
		return files().dup(oldFd, 0, limit(), false);
	}

	/**
	 * Duplicates a descriptor onto a number, like {@link FilesStruct#dup2} with the soft
	 * limit of the process.
	 * @param oldFd the descriptor, unsigned
	 * @param newFd the number, unsigned
	 * @return whether another file was replaced
	 * @throws SyscallException EBADF, EBUSY and ENOMEM as for {@link FilesStruct#dup2}
	 */
	public boolean dup2(int oldFd, int newFd) {
		return files().dup2(oldFd, newFd, limit());
	}

	/**
	 * Duplicates a descriptor onto a number, like {@link FilesStruct#dup3} with the soft
	 * limit of the process.
	 * @param oldFd the descriptor, unsigned
	 * @param newFd the number, unsigned
	 * @param flags 0 or O_CLOEXEC
	 * @return whether another file was replaced
	 * @throws SyscallException EINVAL, EBADF, EBUSY and ENOMEM as for
	 * {@link FilesStruct#dup3}
	 */
	public boolean dup3(int oldFd, int newFd, int flags) {
		return files().dup3(oldFd, newFd, flags, limit());
	}

	// Descriptors that exist

	/**
	 * Closes a descriptor.
	 * @param fd the descriptor, unsigned
	 * @throws SyscallException EBADF if it is not installed
	 */
	public void close(int fd) {
		files().close(fd);
	}

	/**
	 * Acts on a range of descriptors, like {@code close_range}.
	 * @param first the lowest descriptor, unsigned
	 * @param last the highest descriptor, unsigned, inclusive
	 * @param flags a combination of {@link CloseRange} flags
	 * @return how many descriptors were closed
	 * @throws SyscallException EINVAL if there is any other flag or {@code first > last};
	 * EMFILE and ENOMEM if the private copy cannot be made, in which case nothing has
	 * been closed
	 */
	public int closeRange(int first, int last, int flags) {
		boolean mark = (flags & CloseRange.CLOSE_RANGE_CLOEXEC) != 0;
		if ((flags & ~(CloseRange.CLOSE_RANGE_UNSHARE | CloseRange.CLOSE_RANGE_CLOEXEC)) != 0
				|| Integer.compareUnsigned(first, last) > 0) {
			throw Errno.EINVAL.exception();
		}
		FdRange range = new FdRange(first, last);
		FilesStruct shared = files();
		FilesStruct table = shared;
		if ((flags & CloseRange.CLOSE_RANGE_UNSHARE) != 0 && shared.count() > 1) {
			// What is only marked is kept, so it must not be left out of the copy.
			table = shared.dupFd(mark ? null : range);
		}
		int closed = 0;
		if (mark) {
			table.setCloseOnExec(range);
		}
		else {
			closed = table.closeRange(range);
		}
		switchTo(table);
		return closed;
	}

	private void switchTo(FilesStruct table) {
		FilesStruct old = files();
		if (table != old) {
			this.files = table;
			// Their numbers are in the table that is left behind.
			this.tree.sockets().cancel(this);
			old.put();
		}
	}

	/**
	 * Does what the command says, like {@code fcntl}.
	 * @param fd the descriptor, unsigned
	 * @param cmd one of {@link Fcntl}
	 * @param arg the argument; commands that take an {@code int} use the lower 32 bits
	 * @return what the command returns in C
	 * @throws SyscallException EBADF if {@code fd}, or the argument of F_DUPFD_QUERY, is
	 * not installed, or the file is O_PATH and the command not for such; EINVAL for an
	 * unknown command, an F_DUPFD minimum at or above the soft limit, or O_DIRECT on a
	 * file that cannot do it; EMFILE and ENOMEM as for {@link #dup}; ENOSYS for a command
	 * of Linux that this model does not have
	 */
	public long fcntl(int fd, int cmd, long arg) {
		return switch (cmd) {
			case Fcntl.F_DUPFD -> dupFrom(fd, (int) arg, false);
			case Fcntl.F_DUPFD_CLOEXEC -> dupFrom(fd, (int) arg, true);
			case Fcntl.F_GETFD -> files().closeOnExec(fd) ? Fcntl.FD_CLOEXEC : 0;
			case Fcntl.F_SETFD -> {
				files().setCloseOnExec(fd, (arg & Fcntl.FD_CLOEXEC) != 0);
				yield 0;
			}
			default -> {
				OpenFile file = files().fget(fd);
				try {
					yield fcntl(file, cmd, arg);
				}
				finally {
					file.release();
				}
			}
		};
	}

	private int dupFrom(int fd, int minFd, boolean closeOnExec) {
		int limit = limit();
		if (Integer.compareUnsigned(minFd, limit) >= 0) {
			files().fget(fd).release();
			throw Errno.EINVAL.exception();
		}
		return files().dup(fd, minFd, limit, closeOnExec);
	}

	private long fcntl(OpenFile file, int cmd, long arg) {
		if (file.isPath() && !Fcntl.worksOnPath(cmd)) {
			throw Errno.EBADF.exception();
		}
		return switch (cmd) {
			case Fcntl.F_GETFL -> file.statusFlags();
			case Fcntl.F_SETFL -> {
				file.setStatusFlags((int) arg);
				yield 0;
			}
			case Fcntl.F_DUPFD_QUERY -> {
				OpenFile other = files().fget((int) arg);
				other.release();
				yield (other == file) ? 1 : 0;
			}
			case Fcntl.F_CREATED_QUERY -> file.isCreated() ? 1 : 0;
			default -> throw (Fcntl.isOutsideModel(cmd) ? Errno.ENOSYS : Errno.EINVAL).exception();
		};
	}

	// Processes

	/**
	 * Makes a child with the same limits, like {@code fork}.
	 * @param shareFiles whether the child uses the same table, as with CLONE_FILES,
	 * instead of a copy
	 * @return the child
	 * @throws SyscallException ENFILE at threads-max; EMFILE and ENOMEM as for
	 * {@link FilesStruct#dupFd}
	 */
	public Task fork(boolean shareFiles) {
		return this.tree.fork(this, shareFiles);
	}

	/**
	 * Gives the process a table of its own, like {@code unshare(CLONE_FILES)}; does
	 * nothing if it has one.
	 * @return whether a copy was made
	 * @throws SyscallException EMFILE and ENOMEM as for {@link FilesStruct#dupFd}
	 */
	public boolean unshare() {
		FilesStruct table = files();
		if (table.count() == 1) {
			return false;
		}
		switchTo(table.dupFd(null));
		return true;
	}

	/**
	 * What {@link Task#exec} did.
	 *
	 * @param closed the descriptors that it closed, ascending
	 * @param unshared whether the table was shared, and has been copied first
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record Exec(int[] closed, boolean unshared) {
	}

	/**
	 * Does to the table what {@code execve} does: makes it private, closes what is marked
	 * close-on-exec, and clears every mark. Others who shared the table keep theirs.
	 * @return what was closed
	 * @throws SyscallException EMFILE and ENOMEM if the copy cannot be made; that is past
	 * the point of no return, so the process has died
	 */
	public Exec exec() {
		boolean unshared;
		try {
			unshared = unshare();
		}
		catch (SyscallException ex) {
			exit();
			throw ex;
		}
		this.tree.sockets().cancel(this);
		return new Exec(files().doCloseOnExec(), unshared);
	}

	/**
	 * Ends the process. The last one to use a table closes all its descriptors.
	 * @throws SyscallException ESRCH if it has exited before
	 */
	public void exit() {
		FilesStruct table = files();
		this.files = null;
		this.tree.sockets().cancel(this);
		this.messages.close();
		table.put();
		this.tree.reap(this);
	}

	/**
	 * Sets RLIMIT_NOFILE, like {@code prlimit} without CAP_SYS_RESOURCE. Descriptors at
	 * or above a lowered limit stay open.
	 * @param soft the new soft limit, unsigned 64-bit
	 * @param hard the new hard limit, unsigned 64-bit
	 * @throws SyscallException EINVAL if {@code soft > hard}; EPERM if {@code hard} is
	 * above nr_open or above the present hard limit
	 */
	public void setNofile(long soft, long hard) {
		files();
		this.nofile = Rlimit.checked(soft, hard, this.nofile.hard(), this.tree.sysctl().nrOpen());
	}

}
