package io.fdtable.kernel;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The paths that the processes of one tree have opened.
 *
 * <p>
 * There is no disk behind it. An {@code open} without O_CREAT states that its path
 * exists, and from then on it does, with the kind that was stated; with O_CREAT an
 * unknown path is created as a regular file. Paths are compared as strings. All of it is
 * guarded by its own monitor.
 */
final class Namespace {

	/** PATH_MAX: the longest path in bytes, its terminating zero included. */
	private static final int PATH_MAX = 4096;

	/** What an entry takes beside its inode and the characters of its path, in bytes. */
	private static final int ENTRY_BYTES = 80;

	private final Sysctl sysctl;

	private final Map<String, Inode> inodes = new HashMap<>();

	private long charged;

	Namespace(Sysctl sysctl) {
		this.sysctl = sysctl;
	}

	/**
	 * The outcome of a path walk.
	 *
	 * @param inode what the path leads to, with a reference of the caller's
	 * @param created whether this walk made it
	 */
	record Walk(Inode inode, boolean created) {
	}

	/**
	 * Checks what Linux checks of a path before it reserves a descriptor.
	 * @param path the path as given
	 * @throws SyscallException ENOENT if the path is empty; ENAMETOOLONG if it takes 4096
	 * bytes of UTF-8 or more
	 */
	static void checkName(String path) {
		if (path.isEmpty()) {
			throw Errno.ENOENT.exception();
		}
		if (utf8Length(path) >= PATH_MAX) {
			throw Errno.ENAMETOOLONG.exception();
		}
	}

	/**
	 * Walks to a path and creates it where the flags ask for it.
	 * @param path a path that {@link #checkName} accepts
	 * @param kind what the caller says the path is, if this tree does not know it yet
	 * @param flags as {@link OpenFlags#checkForPath} returns them
	 * @return what the path leads to
	 * @throws SyscallException EEXIST if O_CREAT and O_EXCL meet a known path; EISDIR if
	 * a directory is to be created or written; ENOTDIR if O_DIRECTORY meets something
	 * else or a parent of the path is none; ENOMEM if the memory budget is spent
	 */
	synchronized Walk walk(String path, FileKind kind, int flags) {
		checkParents(path);
		boolean create = (flags & OpenFlags.O_CREAT) != 0;
		Inode known = this.inodes.get(path);
		if (known != null) {
			if (create && (flags & OpenFlags.O_EXCL) != 0) {
				throw Errno.EEXIST.exception();
			}
			checkKind(known.kind(), flags);
			return new Walk(known.acquire(), false);
		}
		FileKind actual = kind;
		if (kind == FileKind.OPAQUE && create) {
			actual = FileKind.REGULAR;
		}
		else if (kind == FileKind.OPAQUE && (flags & OpenFlags.O_DIRECTORY) != 0) {
			actual = FileKind.DIRECTORY;
		}
		checkKind(actual, flags);
		long bytes = ENTRY_BYTES + actual.inodeBytes() + 2L * path.length();
		this.sysctl.charge(bytes);
		this.charged += bytes;
		Inode inode = new Inode(actual, this.sysctl);
		this.inodes.put(path, inode);
		return new Walk(inode.acquire(), create && actual == FileKind.REGULAR);
	}

	/** Forgets every path, when the last process of the tree has gone. */
	synchronized void clear() {
		this.inodes.values().forEach(Inode::release);
		this.inodes.clear();
		this.sysctl.uncharge(this.charged);
		this.charged = 0;
	}

	private void checkParents(String path) {
		for (int slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
			@Nullable Inode parent = this.inodes.get(path.substring(0, slash));
			if (parent != null && parent.kind() != FileKind.DIRECTORY && parent.kind() != FileKind.OPAQUE) {
				throw Errno.ENOTDIR.exception();
			}
		}
	}

	private static void checkKind(FileKind kind, int flags) {
		boolean path = (flags & OpenFlags.O_PATH) != 0;
		if (kind == FileKind.DIRECTORY) {
			if (!path && OpenFlags.createsOrWrites(flags)) {
				throw Errno.EISDIR.exception();
			}
		}
		else if ((flags & OpenFlags.O_DIRECTORY) != 0 && kind != FileKind.OPAQUE) {
			throw Errno.ENOTDIR.exception();
		}
	}

	private static int utf8Length(String path) {
		return (path.length() >= PATH_MAX) ? path.length()
				: path.codePoints().map((c) -> (c < 0x80) ? 1 : (c < 0x800) ? 2 : (c < 0x10000) ? 3 : 4).sum();
	}

}
