package io.fdtable.kernel;

import org.junit.jupiter.api.Test;

import static io.fdtable.kernel.IoFixture.assertErrno;
import static org.assertj.core.api.Assertions.assertThat;

/** Guards eventfd and terminals as Linux was seen to answer them. */
class EventCounterTest {

	private final IoFixture system = new IoFixture();

	private final FileIo io = this.system.task.io();

	private final int fd = this.system.open(FileKind.EVENTFD);

	private static byte[] littleEndian(long value) {
		byte[] bytes = new byte[8];
		for (int i = 0; i < 8; i++) {
			bytes[i] = (byte) (value >>> (8 * i));
		}
		return bytes;
	}

	private int add(long value) {
		return this.io.write(this.fd, littleEndian(value));
	}

	@Test
	void eventfd_recordedSequence() {
		assertErrno(Errno.EAGAIN, () -> this.io.read(this.fd, 8));
		assertErrno(Errno.EINVAL, () -> this.io.read(this.fd, 7));
		assertErrno(Errno.EINVAL, () -> this.io.read(this.fd, 0));
		assertErrno(Errno.EINVAL, () -> this.io.write(this.fd, new byte[7]));
		assertErrno(Errno.EINVAL, () -> this.io.write(this.fd, new byte[16]));
		assertThat(add(0)).isEqualTo(8);
		assertErrno(Errno.EAGAIN, () -> this.io.read(this.fd, 8));
		assertErrno(Errno.EINVAL, () -> add(-1));
		assertThat(add(-2)).isEqualTo(8);
		assertErrno(Errno.EAGAIN, () -> add(1));
		assertThat(add(0)).isEqualTo(8);
		assertThat(this.io.read(this.fd, 100)).isEqualTo(littleEndian(-2));
		assertThat(this.io.lseek(this.fd, 7, Seek.SEEK_SET)).isZero();
		assertErrno(Errno.EINVAL, () -> this.io.lseek(this.fd, 0, 9));
	}

	@Test
	void eventfd_writes_addUp() {
		add(258);
		add(3);
		assertThat(this.io.read(this.fd, 8)).isEqualTo(littleEndian(261));
	}

	@Test
	void terminal_nothingTyped_EAGAIN() {
		int terminal = this.system.task.open("/dev/tty", FileKind.DEVICE, OpenFlags.O_RDWR, null);
		assertErrno(Errno.EAGAIN, () -> this.io.read(terminal, 1));
		assertThat(this.io.read(terminal, 0)).isEmpty();
		assertThat(this.system.write(terminal, "hello")).isEqualTo(5);
		assertErrno(Errno.ESPIPE, () -> this.io.lseek(terminal, 0, Seek.SEEK_SET));
		assertErrno(Errno.EINVAL, () -> this.io.lseek(terminal, 0, 9));
	}

}
