package io.fdtable.kernel;

/**
 * Carries an {@link Errno} from where a rule is broken to where the call ends.
 *
 * <p>
 * An errno is an ordinary answer, so the exception has no stack trace and there is one
 * per errno: {@link Errno#exception()}.
 */
@SuppressWarnings("serial")
public final class SyscallException extends RuntimeException {

	private final Errno errno;

	SyscallException(Errno errno) {
		super(errno.name(), null, false, false);
		this.errno = errno;
	}

	/**
	 * Returns the error that the call answers.
	 * @return never null
	 */
	public Errno errno() {
		return this.errno;
	}

}
