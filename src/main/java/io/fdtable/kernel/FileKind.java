package io.fdtable.kernel;

/**
 * What an open file is, as far as descriptor rules depend on it.
 */
public enum FileKind {

	/** A regular file: seekable, its position guarded when shared. */
	REGULAR,

	/** A directory: seekable, its position always guarded. */
	DIRECTORY,

	/** One end of a pipe, or a FIFO: a stream without a position. */
	PIPE,

	/** A socket: a stream without a position. */
	SOCKET,

	/** An event counter made by eventfd: its position is 0 whatever is sought. */
	EVENTFD,

	/** A character device, such as a terminal: a stream without a position. */
	DEVICE,

	/** A file of which the caller has said nothing; behaves like a regular one. */
	OPAQUE;

	/**
	 * Tells whether {@code open} makes such a file from a path; the others come from a
	 * call of their own, like {@code socket}, and take only O_CLOEXEC and O_NONBLOCK.
	 * @return true for everything but sockets and event counters
	 */
	public boolean opensByPath() {
		return this != SOCKET && this != EVENTFD;
	}

	/**
	 * Tells whether such a file can bypass the page cache (FMODE_CAN_ODIRECT), and so be
	 * opened with O_DIRECT.
	 */
	boolean takesDirect() {
		return this == REGULAR || this == OPAQUE;
	}

	/**
	 * Returns what lies behind an open file of this kind in memory, in bytes: with 12
	 * bytes of header and 4 of pointer for each object, rounded to 8. A socket has room
	 * for the most that it can come to: a listener, or a connection whose other end has
	 * closed, and an accept that waits for it.
	 */
	int inodeBytes() {
		return switch (this) {
			case REGULAR, OPAQUE -> 96;
			case DIRECTORY, DEVICE -> 56;
			case EVENTFD -> 64;
			case PIPE -> 184;
			case SOCKET -> 448;
		};
	}

	/** Tells whether such a file has a position that is locked (FMODE_ATOMIC_POS). */
	boolean guardsPosition() {
		return this == REGULAR || this == DIRECTORY || this == OPAQUE;
	}

	/** Tells whether O_ASYNC may be switched on such a file ({@code f_op->fasync}). */
	boolean takesAsync() {
		return this == PIPE || this == SOCKET;
	}

}
