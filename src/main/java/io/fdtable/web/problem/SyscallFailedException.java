package io.fdtable.web.problem;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Rlimit;
import io.fdtable.syscall.Syscall;
import org.jspecify.annotations.Nullable;

/**
 * A call that the model has run and answered with an errno.
 */
@SuppressWarnings("serial")
public final class SyscallFailedException extends RuntimeException {

	private final Errno errno;

	private final @Nullable Syscall call;

	private final Rlimit nofile;

	/**
	 * Creates the exception.
	 * @param errno the answer
	 * @param call the call, or null where a client only wanted to look
	 * @param nofile the limits of the session after the call
	 */
	public SyscallFailedException(Errno errno, @Nullable Syscall call, Rlimit nofile) {
		super(errno.name(), null, false, false);
		this.errno = errno;
		this.call = call;
		this.nofile = nofile;
	}

	public static SyscallFailedException noSuchSession() {
		return new SyscallFailedException(Errno.ESRCH, null, Rlimit.DEFAULT);
	}

	public static SyscallFailedException badDescriptor() {
		return new SyscallFailedException(Errno.EBADF, null, Rlimit.DEFAULT);
	}

	Errno errno() {
		return this.errno;
	}

	@Nullable Syscall call() {
		return this.call;
	}

	Rlimit nofile() {
		return this.nofile;
	}

}
