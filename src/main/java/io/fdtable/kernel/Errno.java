package io.fdtable.kernel;

/**
 * An error that a system call can answer, with Linux's own number and text.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/errno.3.html">errno(3)</a>
 */
public enum Errno {

	EPERM(1, "Operation not permitted"),

	ENOENT(2, "No such file or directory"),

	ESRCH(3, "No such process"),

	ENXIO(6, "No such device or address"),

	EBADF(9, "Bad file descriptor"),

	EAGAIN(11, "Resource temporarily unavailable"),

	ENOMEM(12, "Cannot allocate memory"),

	EACCES(13, "Permission denied"),

	EFAULT(14, "Bad address"),

	EBUSY(16, "Device or resource busy"),

	EEXIST(17, "File exists"),

	ENOTDIR(20, "Not a directory"),

	EISDIR(21, "Is a directory"),

	EINVAL(22, "Invalid argument"),

	ENFILE(23, "Too many open files in system"),

	EMFILE(24, "Too many open files"),

	EFBIG(27, "File too large"),

	ESPIPE(29, "Illegal seek"),

	EPIPE(32, "Broken pipe"),

	ENAMETOOLONG(36, "File name too long"),

	ENOSYS(38, "Function not implemented"),

	EOVERFLOW(75, "Value too large for defined data type"),

	ENOTSOCK(88, "Socket operation on non-socket"),

	EOPNOTSUPP(95, "Operation not supported"),

	EISCONN(106, "Transport endpoint is already connected"),

	ENOTCONN(107, "Transport endpoint is not connected"),

	ETOOMANYREFS(109, "Too many references: cannot splice"),

	ECONNREFUSED(111, "Connection refused"),

	ESTALE(116, "Stale file handle");

	private final int number;

	private final String message;

	@SuppressWarnings("Immutable") // has no stack trace, no cause and takes no suppressed
									// ones
	private final SyscallException exception;

	Errno(int number, String message) {
		this.number = number;
		this.message = message;
		this.exception = new SyscallException(this);
	}

	/**
	 * Returns the positive number that Linux on x86-64 gives this error.
	 * @return for instance 9 for EBADF
	 */
	public int number() {
		return this.number;
	}

	/**
	 * Returns the text that {@code strerror(3)} of glibc gives this error.
	 * @return for instance "Bad file descriptor"
	 */
	public String message() {
		return this.message;
	}

	/**
	 * Returns the one exception that carries this error; it is shared and has no stack
	 * trace, so that failing costs no more than succeeding.
	 * @return the exception to throw
	 */
	public SyscallException exception() {
		return this.exception;
	}

}
