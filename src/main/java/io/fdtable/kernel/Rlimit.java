package io.fdtable.kernel;

/**
 * The pair of RLIMIT_NOFILE limits of one process, like {@code struct rlimit}.
 *
 * @param soft one past the highest descriptor that a call may hand out, 0 to {@code hard}
 * @param hard the ceiling of {@code soft}, at most {@linkplain Sysctl#nrOpen() nr_open}
 */
public record Rlimit(int soft, int hard) {

	/** What Linux gives the first process at boot: 1024 soft, 4096 hard. */
	public static final Rlimit DEFAULT = new Rlimit(1024, 4096);

	/**
	 * Checks a requested pair as {@code do_prlimit} does for a process without
	 * CAP_SYS_RESOURCE.
	 * @param soft the requested soft limit, unsigned 64-bit (-1 is RLIM_INFINITY)
	 * @param hard the requested hard limit, unsigned 64-bit
	 * @param ceiling the highest hard limit the caller may set, normally its present one
	 * @param nrOpen the service's nr_open
	 * @return the limits to use from now on
	 * @throws SyscallException EINVAL if {@code soft > hard}; EPERM if {@code hard} is
	 * above {@code nrOpen} or above {@code ceiling}
	 */
	static Rlimit checked(long soft, long hard, int ceiling, int nrOpen) {
		if (Long.compareUnsigned(soft, hard) > 0) {
			throw Errno.EINVAL.exception();
		}
		if (Long.compareUnsigned(hard, Math.min(nrOpen, ceiling)) > 0) {
			throw Errno.EPERM.exception();
		}
		return new Rlimit((int) soft, (int) hard);
	}

}
