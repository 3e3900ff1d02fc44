package io.fdtable.kernel;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The flags of {@code open(2)} with the values of Linux on x86-64.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/open.2.html">open(2)</a>
 */
public final class OpenFlags {

	public static final int O_RDONLY = 0;

	public static final int O_WRONLY = 1;

	public static final int O_RDWR = 2;

	/** The mask of the three access modes above. */
	public static final int O_ACCMODE = 3;

	public static final int O_CREAT = 0_100;

	public static final int O_EXCL = 0_200;

	public static final int O_NOCTTY = 0_400;

	public static final int O_TRUNC = 0_1000;

	public static final int O_APPEND = 0_2000;

	public static final int O_NONBLOCK = 0_4000;

	public static final int O_DSYNC = 0_10000;

	public static final int O_ASYNC = 0_20000;

	public static final int O_DIRECT = 0_40000;

	public static final int O_LARGEFILE = 0_100000;

	public static final int O_DIRECTORY = 0_200000;

	public static final int O_NOFOLLOW = 0_400000;

	public static final int O_NOATIME = 0_1000000;

	public static final int O_CLOEXEC = 0_2000000;

	/** Includes O_DSYNC, as in C. */
	public static final int O_SYNC = 0_4010000;

	public static final int O_PATH = 0_10000000;

	/** Includes O_DIRECTORY, as in C. */
	public static final int O_TMPFILE = 0_20200000;

	/** The flags other than access modes by their names in C, in the order of C. */
	private static final Map<String, Integer> BY_NAME = byName();

	/** All that {@code open} knows; it ignores every other bit. */
	static final int VALID = O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_DSYNC
			| O_ASYNC | O_DIRECT | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC | O_SYNC | O_PATH
			| O_TMPFILE;

	/** All that counts beside O_PATH; {@code open} drops the rest. */
	static final int VALID_WITH_PATH = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

	/** Acted on while opening and then forgotten: F_GETFL never shows them. */
	static final int CREATION = O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC;

	/** What F_SETFL changes on every file; O_ASYNC goes through the file's own hook. */
	static final int SETTABLE = O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME;

	private static final int TMPFILE_BIT = O_TMPFILE & ~O_DIRECTORY;

	private static final int SYNC_BIT = O_SYNC & ~O_DSYNC;

	private OpenFlags() {
	}

	private static Map<String, Integer> byName() {
		Map<String, Integer> flags = new LinkedHashMap<>();
		flags.put("O_CREAT", O_CREAT);
		flags.put("O_EXCL", O_EXCL);
		flags.put("O_NOCTTY", O_NOCTTY);
		flags.put("O_TRUNC", O_TRUNC);
		flags.put("O_APPEND", O_APPEND);
		flags.put("O_NONBLOCK", O_NONBLOCK);
		flags.put("O_SYNC", O_SYNC);
		flags.put("O_DSYNC", O_DSYNC);
		flags.put("O_ASYNC", O_ASYNC);
		flags.put("O_DIRECT", O_DIRECT);
		flags.put("O_LARGEFILE", O_LARGEFILE);
		flags.put("O_TMPFILE", O_TMPFILE);
		flags.put("O_DIRECTORY", O_DIRECTORY);
		flags.put("O_NOFOLLOW", O_NOFOLLOW);
		flags.put("O_NOATIME", O_NOATIME);
		flags.put("O_CLOEXEC", O_CLOEXEC);
		flags.put("O_PATH", O_PATH);
		return Collections.unmodifiableMap(flags);
	}

	/**
	 * Returns every flag that is not an access mode.
	 * @return the values by their names in C; a flag that includes another comes before
	 * it
	 */
	public static Map<String, Integer> flagsByName() {
		return BY_NAME;
	}

	/**
	 * Brings the flags of an {@code open} of a path into the form that the call works
	 * with, like {@code build_open_flags}: unknown bits are dropped, O_LARGEFILE is added
	 * as for every 64-bit caller, the bit of O_SYNC brings O_DSYNC along, and beside
	 * O_PATH only what goes with it is kept.
	 * @param flags as the caller gave them
	 * @return the flags to open with, O_CLOEXEC included
	 * @throws SyscallException EINVAL if O_CREAT stands with O_DIRECTORY, or O_TMPFILE
	 * without write access
	 */
	static int checkForPath(int flags) {
		int valid = flags & VALID;
		if ((valid & O_PATH) != 0) {
			return valid & VALID_WITH_PATH;
		}
		if ((valid & TMPFILE_BIT) != 0) {
			if ((valid & O_DIRECTORY) == 0 || (valid & O_CREAT) != 0 || (valid & O_ACCMODE) == O_RDONLY) {
				throw Errno.EINVAL.exception();
			}
		}
		else if ((valid & O_CREAT) != 0 && (valid & O_DIRECTORY) != 0) {
			throw Errno.EINVAL.exception();
		}
		return valid | O_LARGEFILE | (((valid & SYNC_BIT) != 0) ? O_DSYNC : 0);
	}

	/**
	 * Checks the flags of {@code socket} or {@code eventfd2}.
	 * @param flags as the caller gave them
	 * @return the flags with the O_RDWR that such files always have
	 * @throws SyscallException EINVAL for anything but O_CLOEXEC, O_NONBLOCK and an
	 * access mode
	 */
	static int checkForAnonymous(int flags) {
		if ((flags & ~(O_CLOEXEC | O_NONBLOCK | O_ACCMODE)) != 0) {
			throw Errno.EINVAL.exception();
		}
		return (flags & ~O_ACCMODE) | O_RDWR;
	}

	/**
	 * Tells whether the flags ask for what no directory allows: truncation writes too.
	 */
	static boolean createsOrWrites(int flags) {
		return (flags & (O_CREAT | O_TRUNC | O_ACCMODE)) != 0;
	}

	/** Tells whether the path is only the directory for a file without a name. */
	static boolean isTmpfile(int flags) {
		return (flags & TMPFILE_BIT) != 0;
	}

	/** Returns what F_GETFL will show of a file opened with {@code flags}. */
	static int statusOf(int flags) {
		return flags & ~(CREATION | O_CLOEXEC);
	}

}
