package io.fdtable.kernel;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What kernel tests say about calls.
 */
final class SyscallAssertions {

	private SyscallAssertions() {
	}

	/** Asserts that a call fails with exactly this error. */
	static void assertErrno(Errno errno, ThrowingCallable call) {
		assertThatExceptionOfType(SyscallException.class).isThrownBy(call)
			.extracting(SyscallException::errno)
			.isEqualTo(errno);
	}

	/** Returns how wide a process's table is, as FDSize in {@code /proc/pid/status}. */
	static int fdSize(Task task) {
		return task.files().bitmaps().capacity();
	}

	/** Tells whether a descriptor is installed. */
	static boolean isOpen(Task task, int fd) {
		FdEntry entry = task.files().entry(fd);
		return entry != null && !entry.isReserved();
	}

	/** Opens every number of a range that is not open, from descriptor 0. */
	static void openUpTo(Task task, int last) {
		for (int fd = 0; fd <= last; fd++) {
			if (!isOpen(task, fd)) {
				task.dup2(0, fd);
			}
		}
	}

}
