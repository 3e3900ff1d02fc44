package io.fdtable.kernel;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * The processes that descend from one: pids count from 1 and are never reused, and open
 * files are numbered in the order in which they are opened.
 *
 * <p>
 * Open files are shared within a tree and never across trees. Safe from any thread.
 */
public final class ProcessTree {

	private final Sysctl sysctl;

	private final Namespace namespace;

	private final ConcurrentSkipListMap<Integer, Task> tasks = new ConcurrentSkipListMap<>();

	private final Sockets sockets;

	/** Files in messages that nobody has received yet. */
	private final AtomicLong inFlight = new AtomicLong();

	private final AtomicInteger lastPid = new AtomicInteger();

	private final AtomicLong lastFileId = new AtomicLong();

	/**
	 * Creates a tree without a process.
	 * @param sysctl the settings and counters of the service
	 */
	public ProcessTree(Sysctl sysctl) {
		this.sysctl = sysctl;
		this.namespace = new Namespace(sysctl);
		this.sockets = new Sockets(sysctl);
	}

	Sockets sockets() {
		return this.sockets;
	}

	AtomicLong inFlight() {
		return this.inFlight;
	}

	Sysctl sysctl() {
		return this.sysctl;
	}

	/**
	 * Starts the first process.
	 * @param soft its soft RLIMIT_NOFILE, unsigned 64-bit
	 * @param hard its hard RLIMIT_NOFILE, unsigned 64-bit
	 * @param stdio whether 0, 1 and 2 are open, as when a shell starts a program
	 * @param allocator how its table, and all that are copied from it, search
	 * @return the process, with pid 1
	 * @throws SyscallException EINVAL if {@code soft > hard}; EPERM if {@code hard} is
	 * above nr_open; ENFILE at threads-max or file-max; ENOMEM if the memory budget is
	 * spent
	 */
	public Task init(long soft, long hard, boolean stdio, Allocator allocator) {
		return init(soft, hard, stdio, new AllocatorOptions(allocator, true));
	}

	/**
	 * Starts the first process.
	 * @param soft its soft RLIMIT_NOFILE, unsigned 64-bit
	 * @param hard its hard RLIMIT_NOFILE, unsigned 64-bit
	 * @param stdio whether 0, 1 and 2 are open, as when a shell starts a program
	 * @param options how its table, and all that are copied from it, search
	 * @return the process, with pid 1
	 * @throws SyscallException as for {@link #init(long, long, boolean, Allocator)}
	 */
	public Task init(long soft, long hard, boolean stdio, AllocatorOptions options) {
		Rlimit nofile = Rlimit.checked(soft, hard, Integer.MAX_VALUE, this.sysctl.nrOpen());
		this.sysctl.addThread();
		FilesStruct files = new FilesStruct(this.sysctl, options);
		try {
			if (stdio) {
				openStdio(files);
			}
		}
		catch (SyscallException ex) {
			files.put();
			this.namespace.clear();
			this.sysctl.removeThread();
			throw ex;
		}
		return start(0, files, nofile);
	}

	private void openStdio(FilesStruct files) {
		openStdio(files, "/dev/stdin", OpenFlags.O_RDONLY);
		openStdio(files, "/dev/stdout", OpenFlags.O_WRONLY);
		openStdio(files, "/dev/stderr", OpenFlags.O_WRONLY);
	}

	private void openStdio(FilesStruct files, String path, int flags) {
		OpenFile file = openFile(path, FileKind.DEVICE, OpenFlags.checkForPath(flags), null);
		files.fdInstall(files.allocFd(0, FilesStruct.NR_OPEN_DEFAULT, false), file);
	}

	private Task start(int parentPid, FilesStruct files, Rlimit nofile) {
		Task task = new Task(this, this.lastPid.incrementAndGet(), parentPid, files, nofile);
		this.tasks.put(task.pid(), task);
		return task;
	}

	Task fork(Task parent, boolean shareFiles) {
		FilesStruct files = parent.files();
		this.sysctl.addThread();
		try {
			return start(parent.pid(), shareFiles ? files.share() : files.dupFd(null), parent.nofile());
		}
		catch (SyscallException ex) {
			this.sysctl.removeThread();
			throw ex;
		}
	}

	/** Forgets a process that has exited. */
	void reap(Task task) {
		this.tasks.remove(task.pid());
		this.sysctl.removeThread();
		if (this.tasks.isEmpty()) {
			this.namespace.clear();
		}
	}

	/**
	 * Finds a process.
	 * @param pid its number
	 * @return the process, or null if there is none or it has exited
	 */
	public @Nullable Task find(int pid) {
		return this.tasks.get(pid);
	}

	/**
	 * Returns the processes that have not exited.
	 * @return a live view in the order of their pids
	 */
	public Collection<Task> tasks() {
		return Collections.unmodifiableCollection(this.tasks.values());
	}

	/**
	 * Counts the references to a file as Linux does: one for each slot of each table,
	 * each message it travels in, and each call that uses it.
	 * @param file an open file of this tree
	 * @return the number, exact if no call is being made meanwhile
	 */
	public int references(OpenFile file) {
		Set<FilesStruct> tables = Collections.newSetFromMap(new IdentityHashMap<>());
		Set<SlotChunk> seen = Collections.newSetFromMap(new IdentityHashMap<>());
		int references = file.count();
		for (Task task : this.tasks.values()) {
			FilesStruct files = task.filesOrNull();
			if (files != null && tables.add(files)) {
				references += files.uncountedUses(file, seen);
			}
		}
		return references;
	}

	/**
	 * Makes an open file, as the calls that create descriptors do between reserving the
	 * number and installing the file.
	 * @param flags as {@link OpenFlags} has checked them
	 */
	OpenFile openFile(@Nullable String path, FileKind kind, int flags, @Nullable String label) {
		// Linux allocates the file before it walks the path: ENFILE comes first.
		this.sysctl.addFile();
		try {
			Namespace.Walk walk = walk(path, kind, flags);
			return openFile(walk, path, flags, label);
		}
		catch (SyscallException ex) {
			this.sysctl.removeFile();
			throw ex;
		}
	}

	private OpenFile openFile(Namespace.Walk walk, @Nullable String path, int flags, @Nullable String label) {
		Inode inode = walk.inode();
		try {
			if ((flags & OpenFlags.O_DIRECT) != 0 && !inode.kind().takesDirect()) {
				throw Errno.EINVAL.exception();
			}
			OpenFile file = newFile(inode, path, label, OpenFlags.statusOf(flags), walk.created());
			if ((flags & OpenFlags.O_TRUNC) != 0) {
				inode.operations().truncate();
			}
			return file;
		}
		catch (SyscallException ex) {
			inode.release();
			throw ex;
		}
	}

	private OpenFile newFile(Inode inode, @Nullable String path, @Nullable String label, int status, boolean created) {
		return new OpenFile(this.sysctl, this.lastFileId.incrementAndGet(), inode, path, label, status, created);
	}

	private Namespace.Walk walk(@Nullable String path, FileKind kind, int flags) {
		if (OpenFlags.isTmpfile(flags)) {
			if (path != null) {
				this.namespace.walk(path, FileKind.DIRECTORY, OpenFlags.O_DIRECTORY).inode().release();
			}
			return new Namespace.Walk(new Inode(FileKind.REGULAR, this.sysctl), false);
		}
		if (kind == FileKind.SOCKET) {
			return new Namespace.Walk(new Inode(kind, this.sockets.create()), false);
		}
		if (path == null || !kind.opensByPath()) {
			return new Namespace.Walk(new Inode(kind, this.sysctl), false);
		}
		return this.namespace.walk(path, kind, flags);
	}

	/**
	 * The open files of a pipe's ends, with a reference each.
	 *
	 * @param read the end to read from
	 * @param write the end to write to
	 */
	record PipeFiles(OpenFile read, OpenFile write) {
	}

	/**
	 * Makes a pipe; only its writing end shows O_DIRECT, as in Linux.
	 * @param flags checked by the caller
	 */
	PipeFiles openPipe(int flags) {
		int shared = flags & OpenFlags.O_NONBLOCK;
		Inode inode = new Inode(FileKind.PIPE, this.sysctl);
		try {
			OpenFile write = pipeEnd(inode, OpenFlags.O_WRONLY | shared | (flags & OpenFlags.O_DIRECT));
			try {
				return new PipeFiles(pipeEnd(inode, OpenFlags.O_RDONLY | shared), write);
			}
			catch (SyscallException ex) {
				write.release();
				throw ex;
			}
		}
		finally {
			inode.release();
		}
	}

	private OpenFile pipeEnd(Inode inode, int status) {
		this.sysctl.addFile();
		try {
			inode.acquire();
			return newFile(inode, null, null, status, false);
		}
		catch (SyscallException ex) {
			inode.release();
			this.sysctl.removeFile();
			throw ex;
		}
	}

}
