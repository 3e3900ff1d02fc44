package io.fdtable.web.problem;

import io.fdtable.kernel.Errno;

import org.springframework.http.HttpStatus;

/**
 * The one table from errno to HTTP status.
 *
 * <p>
 * EMFILE is the caller's own limit and so a conflict, not 429, which client libraries
 * retry by themselves.
 */
public final class ErrnoStatus {

	private ErrnoStatus() {
	}

	/**
	 * Returns the status of a response that carries an errno.
	 * @param errno the answer of the model
	 * @return a status from 400 up
	 */
	public static HttpStatus of(Errno errno) {
		return switch (errno) {
			case ENOENT, ESRCH, EBADF, ENXIO -> HttpStatus.NOT_FOUND;
			case EPERM, EACCES -> HttpStatus.FORBIDDEN;
			case EEXIST, EISDIR, ENOTDIR, EMFILE, EBUSY, EAGAIN, EPIPE, ESPIPE, ETOOMANYREFS, ENOTCONN, ENOTSOCK,
					EOPNOTSUPP, ECONNREFUSED, EISCONN ->
				HttpStatus.CONFLICT;
			case ESTALE -> HttpStatus.GONE;
			case EFBIG -> HttpStatus.CONTENT_TOO_LARGE;
			case EFAULT, EINVAL, EOVERFLOW, ENAMETOOLONG -> HttpStatus.UNPROCESSABLE_CONTENT;
			case ENOSYS -> HttpStatus.NOT_IMPLEMENTED;
			case ENFILE, ENOMEM -> HttpStatus.SERVICE_UNAVAILABLE;
		};
	}

}
