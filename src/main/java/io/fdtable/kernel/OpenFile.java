package io.fdtable.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import org.jspecify.annotations.Nullable;

/**
 * An open file description, like {@code struct file}: what all descriptors made by dup,
 * fork, descriptor passing and {@code pidfd_getfd} from one {@code open} share.
 *
 * <p>
 * It lives as long as somebody holds a reference: each slot of each table it is installed
 * in, each message it travels in, and each call that is using it. Dropping the last
 * reference closes it, once. Safe from any thread.
 */
public final class OpenFile {

	private static final VarHandle COUNT;

	private static final VarHandle STATUS_FLAGS;

	static {
		try {
			MethodHandles.Lookup lookup = MethodHandles.lookup();
			COUNT = lookup.findVarHandle(OpenFile.class, "count", int.class);
			STATUS_FLAGS = lookup.findVarHandle(OpenFile.class, "statusFlags", int.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	/** What an open file takes alone, in bytes. */
	private static final int OBJECT_BYTES = 64;

	private final long id;

	private final @Nullable Inode inode;

	private final FileKind kind;

	private final @Nullable String path;

	private final @Nullable String label;

	private final boolean created;

	private final @Nullable Sysctl sysctl;

	/** What F_SETFL can change. */
	private final int settable;

	private volatile long position;

	private volatile int statusFlags;

	private volatile int count = 1;

	/**
	 * Creates an open file with one reference, which belongs to the caller.
	 * @param sysctl where the caller has counted the file against file-max; the file
	 * takes itself off that count when it closes
	 * @param id the number of the file within its tree, from 1
	 * @param inode what the file is, with a reference that becomes the file's
	 * @param path the path it was opened by, if any
	 * @param label a note of the caller's
	 * @param statusFlags what F_GETFL shows
	 * @param created whether this open created the file
	 * @throws SyscallException ENOMEM if the memory budget is spent
	 */
	OpenFile(Sysctl sysctl, long id, Inode inode, @Nullable String path, @Nullable String label, int statusFlags,
			boolean created) {
		this(id, inode, inode.kind(), path, label, statusFlags, created, sysctl);
		sysctl.charge(bytes());
		if (!isPath()) {
			inode.operations().opened(this);
		}
	}

	private OpenFile(long id, @Nullable Inode inode, FileKind kind, @Nullable String path, @Nullable String label,
			int statusFlags, boolean created, @Nullable Sysctl sysctl) {
		this.id = id;
		this.inode = inode;
		this.kind = kind;
		this.path = path;
		this.label = label;
		this.settable = settable(kind, statusFlags);
		this.statusFlags = statusFlags;
		this.created = created;
		this.sysctl = sysctl;
	}

	private static int settable(FileKind kind, int flags) {
		// An O_ASYNC given to open is in no hook's list, and so never taken off one.
		boolean async = kind.takesAsync() && (flags & OpenFlags.O_ASYNC) == 0;
		return async ? OpenFlags.SETTABLE | OpenFlags.O_ASYNC : OpenFlags.SETTABLE;
	}

	/** Returns an object that is no file, to be recognised by identity. */
	static OpenFile marker() {
		return new OpenFile(0, null, FileKind.OPAQUE, null, null, 0, false, null);
	}

	public long id() {
		return this.id;
	}

	public FileKind kind() {
		return this.kind;
	}

	public @Nullable String path() {
		return this.path;
	}

	public @Nullable String label() {
		return this.label;
	}

	/**
	 * Tells whether the open that made this file also created what it opened, like
	 * F_CREATED_QUERY.
	 * @return the same for every descriptor of the file
	 */
	public boolean isCreated() {
		return this.created;
	}

	/**
	 * Returns the access mode and the status flags, like F_GETFL.
	 * @return a combination of {@link OpenFlags}
	 */
	public int statusFlags() {
		return this.statusFlags;
	}

	/**
	 * Returns how many references exist. Wide tables that come from one fork share slots
	 * until they differ, and such a slot has one reference for all of them;
	 * {@link ProcessTree#references} counts it once for each.
	 * @return 0 once the file is closed for good
	 */
	public int count() {
		return this.count;
	}

	/** Tells whether the file only names a location and cannot be read or written. */
	boolean isPath() {
		return (this.statusFlags & OpenFlags.O_PATH) != 0;
	}

	/**
	 * Tells whether the file was opened for reading (FMODE_READ); access mode 3 is not.
	 */
	boolean isReadable() {
		return !isPath() && ((this.statusFlags + 1) & 1) != 0;
	}

	/** Tells whether the file was opened for writing (FMODE_WRITE). */
	boolean isWritable() {
		return !isPath() && ((this.statusFlags + 1) & 2) != 0;
	}

	boolean isAppending() {
		return (this.statusFlags & OpenFlags.O_APPEND) != 0;
	}

	boolean isNonBlocking() {
		return (this.statusFlags & OpenFlags.O_NONBLOCK) != 0;
	}

	boolean isDirect() {
		return (this.statusFlags & OpenFlags.O_DIRECT) != 0;
	}

	/**
	 * Returns where the next read or write begins, like {@code f_pos}; all descriptors of
	 * the file share it.
	 * @return bytes from the start; 0 for a stream
	 */
	public long position() {
		return this.position;
	}

	void setPosition(long position) {
		this.position = position;
	}

	FileOperations operations() {
		return inode().operations();
	}

	private Inode inode() {
		if (this.inode == null) {
			throw new IllegalStateException("a marker is no file");
		}
		return this.inode;
	}

	/**
	 * Replaces the changeable status flags, like {@code setfl}.
	 * @param arg the new flags; what cannot be changed is ignored
	 * @throws SyscallException EINVAL if O_DIRECT is asked of a file that cannot do it
	 */
	void setStatusFlags(int arg) {
		// On a pipe O_DIRECT means packet mode.
		if ((arg & OpenFlags.O_DIRECT) != 0 && !this.kind.takesDirect() && this.kind != FileKind.PIPE) {
			throw Errno.EINVAL.exception();
		}
		int old;
		do {
			old = this.statusFlags;
		}
		while (!STATUS_FLAGS.compareAndSet(this, old, (arg & this.settable) | (old & ~this.settable)));
	}

	/** Takes a reference that somebody else's reference keeps possible. */
	void acquire() {
		COUNT.getAndAdd(this, 1);
	}

	/**
	 * Takes a reference unless the file is closed already, like {@code get_file_rcu}.
	 * @return false if the last reference has gone
	 */
	boolean tryAcquire() {
		int current;
		do {
			current = this.count;
			if (current == 0) {
				return false;
			}
		}
		while (!COUNT.compareAndSet(this, current, current + 1));
		return true;
	}

	/**
	 * Drops a reference, like {@code fput}; the last one closes the file. Never called
	 * under a {@code fileLock}.
	 */
	void release() {
		int before = (int) COUNT.getAndAdd(this, -1);
		if (before == 1) {
			close();
		}
		else if (before <= 0) {
			throw new IllegalStateException("I9: file " + this.id + " was released more often than acquired");
		}
	}

	private void close() {
		if (this.sysctl != null) {
			if (!isPath()) {
				operations().released(this);
			}
			inode().release();
			this.sysctl.removeFile();
			this.sysctl.uncharge(bytes());
		}
	}

	/**
	 * Returns what the file takes of the memory budget while it is open, content and
	 * waiting connections apart.
	 * @return bytes
	 */
	public long bytes() {
		return OBJECT_BYTES + this.kind.inodeBytes() + 2L * (length(this.path) + length(this.label));
	}

	private static int length(@Nullable String text) {
		return (text != null) ? text.length() : 0;
	}

}
