package io.fdtable.kernel;

/**
 * The commands of {@code fcntl(2)} with the values of Linux.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/fcntl.2.html">fcntl(2)</a>
 */
public final class Fcntl {

	public static final int F_DUPFD = 0;

	public static final int F_GETFD = 1;

	public static final int F_SETFD = 2;

	public static final int F_GETFL = 3;

	public static final int F_SETFL = 4;

	public static final int F_DUPFD_QUERY = 1027;

	public static final int F_CREATED_QUERY = 1028;

	public static final int F_DUPFD_CLOEXEC = 1030;

	/** The only bit that F_SETFD looks at. */
	public static final int FD_CLOEXEC = 1;

	private Fcntl() {
	}

	/** Tells whether an O_PATH file takes the command, like {@code check_fcntl_cmd}. */
	static boolean worksOnPath(int cmd) {
		return switch (cmd) {
			case F_DUPFD, F_DUPFD_CLOEXEC, F_DUPFD_QUERY, F_CREATED_QUERY, F_GETFD, F_SETFD, F_GETFL -> true;
			default -> false;
		};
	}

	/**
	 * Tells whether Linux has the command and this model does not: locks, owners,
	 * signals, leases, notification, pipe sizes, seals and write hints. Answering EINVAL
	 * to those would be an untruth.
	 */
	static boolean isOutsideModel(int cmd) {
		return (cmd >= 5 && cmd <= 11) || (cmd >= 15 && cmd <= 17) || (cmd >= 36 && cmd <= 38)
				|| (cmd >= 1024 && cmd <= 1026) || (cmd >= 1031 && cmd <= 1040);
	}

}
