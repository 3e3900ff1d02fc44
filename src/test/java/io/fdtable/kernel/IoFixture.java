package io.fdtable.kernel;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** One process without descriptors, and what the tests of I/O calls say about it. */
final class IoFixture {

	static final int RDWR_CREATE = OpenFlags.O_RDWR | OpenFlags.O_CREAT;

	final Sysctl sysctl;

	final ProcessTree tree;

	final Task task;

	IoFixture() {
		this(Sysctl.unbounded());
	}

	IoFixture(Sysctl sysctl) {
		this.sysctl = sysctl;
		this.tree = new ProcessTree(sysctl);
		this.task = this.tree.init(1024, 4096, false, Allocator.WORD_FIRST);
	}

	static IoFixture withFileMaxBytes(int bytes) {
		return new IoFixture(new Sysctl(Sysctl.DEFAULT_NR_OPEN, Long.MAX_VALUE, 1000, Long.MAX_VALUE, bytes));
	}

	static IoFixture withMemory(long bytes) {
		return new IoFixture(new Sysctl(Sysctl.DEFAULT_NR_OPEN, Long.MAX_VALUE, 1000, bytes));
	}

	int open(FileKind kind) {
		return this.task.open(null, kind, OpenFlags.O_RDWR, null);
	}

	int open(String path, int flags) {
		return this.task.open(path, FileKind.REGULAR, flags, null);
	}

	int write(int fd, String text) {
		return this.task.io().write(fd, bytes(text));
	}

	String read(int fd, int count) {
		return text(this.task.io().read(fd, count));
	}

	long seek(int fd, long offset) {
		return this.task.io().lseek(fd, offset, Seek.SEEK_SET);
	}

	long position(int fd) {
		return this.task.io().lseek(fd, 0, Seek.SEEK_CUR);
	}

	/** Ends every process and asserts that none of what they had is left. */
	void exitAll() {
		for (Task each : this.tree.tasks().toArray(Task[]::new)) {
			each.exit();
		}
		assertThat(this.sysctl.files()).isZero();
		assertThat(this.sysctl.memory()).isZero();
		assertThat(this.sysctl.threads()).isZero();
		assertThat(this.tree.inFlight().get()).isZero();
	}

	static byte[] bytes(String text) {
		byte[] bytes = new byte[text.length()];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = (byte) text.charAt(i);
		}
		return bytes;
	}

	static String text(byte[] bytes) {
		StringBuilder text = new StringBuilder();
		for (byte each : bytes) {
			text.append((char) Byte.toUnsignedInt(each));
		}
		return text.toString();
	}

	static void assertErrno(Errno errno, ThrowingCallable call) {
		SyscallException thrown = catchThrowableOfType(SyscallException.class, call);
		assertThat(thrown).as("a call that answers %s", errno).isNotNull();
		assertThat(thrown.errno()).isEqualTo(errno);
	}

}
