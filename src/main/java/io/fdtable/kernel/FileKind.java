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

	/** Tells whether such a file has a position that is locked (FMODE_ATOMIC_POS). */
	boolean guardsPosition() {
		return this == REGULAR || this == DIRECTORY || this == OPAQUE;
	}

	/** Tells whether O_ASYNC may be switched on such a file ({@code f_op->fasync}). */
	boolean takesAsync() {
		return this == PIPE || this == SOCKET;
	}

}
