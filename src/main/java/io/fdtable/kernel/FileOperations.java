package io.fdtable.kernel;

/**
 * What a file does when it is used, like {@code struct file_operations}. All open files
 * of one {@link Inode} share one object. Safe from any thread, and never called under a
 * {@code fileLock}.
 *
 * <p>
 * Nothing here ever blocks: where a call of Linux would wait, it answers EAGAIN as with
 * O_NONBLOCK.
 */
interface FileOperations {

	/** Takes note of one more open file. */
	default void opened(OpenFile file) {
	}

	/** Takes note that an open file has lost its last reference. */
	default void released(OpenFile file) {
	}

	/**
	 * Frees what the file has taken, when neither a path nor an open file leads to it any
	 * more.
	 */
	default void evict() {
	}

	/** Empties the file, as O_TRUNC asks for; only regular files have a length. */
	default void truncate() {
	}

	/**
	 * Reads at the file's position and moves it.
	 * @param count how many bytes at most, not negative
	 * @return the bytes; none at the end of the file
	 */
	byte[] read(OpenFile file, int count);

	/**
	 * Writes at the file's position and moves it.
	 * @return how many bytes were taken
	 */
	int write(OpenFile file, byte[] data);

	/**
	 * Moves the file's position.
	 * @param whence one of {@link Seek}
	 * @return the new position
	 */
	long llseek(OpenFile file, long offset, int whence);

}
