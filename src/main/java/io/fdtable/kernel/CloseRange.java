package io.fdtable.kernel;

/**
 * The flags of {@code close_range(2)} with the values of Linux.
 *
 * @see <a href=
 * "https://man7.org/linux/man-pages/man2/close_range.2.html">close_range(2)</a>
 */
public final class CloseRange {

	/** Gives the caller a private table first, as {@code unshare(CLONE_FILES)} does. */
	public static final int CLOSE_RANGE_UNSHARE = 2;

	/** Marks the range close-on-exec in place of closing it. */
	public static final int CLOSE_RANGE_CLOEXEC = 4;

	private CloseRange() {
	}

}
