package io.fdtable.kernel;

/**
 * What {@code lseek(2)} counts its offset from, with the values of Linux.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/lseek.2.html">lseek(2)</a>
 */
public final class Seek {

	public static final int SEEK_SET = 0;

	public static final int SEEK_CUR = 1;

	public static final int SEEK_END = 2;

	/** To the first byte at or after the offset that is not in a hole. */
	public static final int SEEK_DATA = 3;

	/** To the first hole at or after the offset; the end of the file is one. */
	public static final int SEEK_HOLE = 4;

	private Seek() {
	}

	/**
	 * Moves to a position that has been computed, like {@code vfs_setpos}.
	 * @throws SyscallException EINVAL if it is negative, as it also is after an overflow
	 */
	static long to(OpenFile file, long position) {
		if (position < 0) {
			throw Errno.EINVAL.exception();
		}
		file.setPosition(position);
		return position;
	}

}
