package io.fdtable.kernel;

import org.junit.jupiter.api.Test;

import static io.fdtable.kernel.IoFixture.assertErrno;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards pipes byte by byte: the sequences were run on Linux with O_NONBLOCK, and the
 * values are what it answered.
 */
class PipeTest {

	private final IoFixture system = new IoFixture();

	private final FileIo io = this.system.task.io();

	private FileIo.PipeEnds pipe(int flags) {
		return this.io.pipe2(flags);
	}

	private int write(FileIo.PipeEnds pipe, int count) {
		return this.io.write(pipe.write(), new byte[count]);
	}

	private int read(FileIo.PipeEnds pipe, int count) {
		return this.io.read(pipe.read(), count).length;
	}

	@Test
	void pipe2_flags_onBothEnds() {
		FileIo.PipeEnds pipe = pipe(OpenFlags.O_CLOEXEC | OpenFlags.O_NONBLOCK | OpenFlags.O_DIRECT);
		assertThat(pipe).isEqualTo(new FileIo.PipeEnds(0, 1));
		assertThat(this.system.task.fcntl(0, Fcntl.F_GETFL, 0)).isEqualTo(0_4000);
		assertThat(this.system.task.fcntl(1, Fcntl.F_GETFL, 0)).isEqualTo(0_44001);
		assertThat(this.system.task.files().closeOnExec(0)).isTrue();
		assertThat(this.system.task.files().closeOnExec(1)).isTrue();
	}

	@Test
	void pipe2_oneSlotFree_EMFILEAndNothingLeft() {
		this.system.task.setNofile(3, 3);
		this.system.open(FileKind.OPAQUE);
		this.system.open(FileKind.OPAQUE);
		assertErrno(Errno.EINVAL, () -> pipe(OpenFlags.O_APPEND));
		assertErrno(Errno.EMFILE, () -> pipe(0));
		assertThat(this.system.sysctl.files()).isEqualTo(2);
		assertThat(this.system.task.dup(0)).isEqualTo(2);
		this.system.exitAll();
	}

	@Test
	void pipe2_fileMax_ENFILEBeforeEMFILE() {
		IoFixture full = new IoFixture(new Sysctl(4096, 2, 10, Long.MAX_VALUE));
		full.open(FileKind.OPAQUE);
		full.task.setNofile(1, 1);
		assertErrno(Errno.ENFILE, () -> full.task.io().pipe2(0));
		assertThat(full.sysctl.files()).isEqualTo(1);
		full.exitAll();
	}

	@Test
	void readAndWrite_recordedSequence() {
		FileIo.PipeEnds pipe = pipe(0);
		assertErrno(Errno.EAGAIN, () -> read(pipe, 1));
		assertThat(read(pipe, 0)).isZero();
		assertErrno(Errno.EBADF, () -> this.io.write(pipe.read(), new byte[0]));
		assertErrno(Errno.EBADF, () -> this.io.read(pipe.write(), 1));
		assertErrno(Errno.ESPIPE, () -> this.io.lseek(pipe.read(), 0, Seek.SEEK_CUR));
		assertErrno(Errno.EINVAL, () -> this.io.lseek(pipe.read(), 0, 9));
		assertThat(write(pipe, 0)).isZero();
		assertThat(write(pipe, 65000)).isEqualTo(65000);
		assertErrno(Errno.EAGAIN, () -> write(pipe, 537));
		assertErrno(Errno.EAGAIN, () -> write(pipe, 4096));
		assertThat(write(pipe, 4097)).isEqualTo(1);
		assertThat(write(pipe, 1)).isEqualTo(1);
		assertErrno(Errno.EAGAIN, () -> write(pipe, 200_000));
		assertThat(read(pipe, 4095)).isEqualTo(4095);
		assertThat(write(pipe, 1)).isEqualTo(1);
		assertThat(read(pipe, 1)).isEqualTo(1);
		assertThat(write(pipe, 1)).isEqualTo(1);
		assertThat(write(pipe, 4096)).isEqualTo(4096);
		assertThat(read(pipe, 200_000)).isEqualTo(65004);
		assertThat(write(pipe, 200_000)).isEqualTo(65536);
		assertThat(read(pipe, 200_000)).isEqualTo(65536);
		this.system.task.close(pipe.read());
		assertThat(write(pipe, 0)).isZero();
		assertErrno(Errno.EPIPE, () -> write(pipe, 1));
		this.system.exitAll();
	}

	@Test
	void read_writerGone_restThenEnd() {
		FileIo.PipeEnds pipe = pipe(0);
		int twin = this.system.task.dup(pipe.write());
		this.system.write(pipe.write(), "hello");
		this.system.task.close(pipe.write());
		assertThat(this.system.read(pipe.read(), 2)).isEqualTo("he");
		assertThat(this.system.read(pipe.read(), 9)).isEqualTo("llo");
		assertErrno(Errno.EAGAIN, () -> read(pipe, 1));
		this.system.task.close(twin);
		assertThat(read(pipe, 1)).isZero();
	}

	@Test
	void write_oddSizes_asManyAsOnLinux() {
		assertThat(writesThatFit(1)).isEqualTo(65536);
		assertThat(writesThatFit(3000)).isEqualTo(16);
		assertThat(writesThatFit(4096)).isEqualTo(16);
		assertThat(writesThatFit(4097)).isEqualTo(10);
	}

	private int writesThatFit(int size) {
		FileIo.PipeEnds pipe = pipe(0);
		int writes = 0;
		try {
			while (write(pipe, size) == size) {
				writes++;
			}
		}
		catch (SyscallException ex) {
			assertThat(ex.errno()).isEqualTo(Errno.EAGAIN);
		}
		return writes;
	}

	@Test
	void read_packets_oneAtATimeRestLost() {
		FileIo.PipeEnds pipe = pipe(OpenFlags.O_DIRECT);
		write(pipe, 10);
		write(pipe, 10);
		assertThat(read(pipe, 100)).isEqualTo(10);
		assertThat(read(pipe, 5)).isEqualTo(5);
		assertErrno(Errno.EAGAIN, () -> read(pipe, 5));
		assertThat(write(pipe, 5000)).isEqualTo(5000);
		assertThat(read(pipe, 5000)).isEqualTo(4096);
		assertThat(read(pipe, 5000)).isEqualTo(904);
	}

	@Test
	void fifo_sharedByPath() {
		int reader = this.system.task.open("/fifo", FileKind.PIPE, OpenFlags.O_RDONLY, null);
		assertThat(this.io.read(reader, 1)).isEmpty();
		int writer = this.system.task.open("/fifo", FileKind.PIPE, OpenFlags.O_WRONLY, null);
		assertErrno(Errno.EAGAIN, () -> this.io.read(reader, 1));
		this.system.write(writer, "x");
		assertThat(this.system.read(reader, 9)).isEqualTo("x");
		this.system.exitAll();
	}

	@Test
	void write_budgetSpent_shortThenENOMEM() {
		IoFixture poor = IoFixture.withMemory(4096 + 2 * 248);
		FileIo.PipeEnds pipe = poor.task.io().pipe2(0);
		assertThat(poor.task.io().write(pipe.write(), new byte[8192])).isEqualTo(4096);
		assertErrno(Errno.ENOMEM, () -> poor.task.io().write(pipe.write(), new byte[1]));
		poor.exitAll();
	}

	@Test
	void read_endsInsideALaterBuffer_asManyAsAskedInOrder() {
		FileIo.PipeEnds pipe = pipe(0);
		this.system.write(pipe.write(), "a".repeat(4096));
		this.system.write(pipe.write(), "b".repeat(4096));
		assertThat(this.system.read(pipe.read(), 5000)).isEqualTo("a".repeat(4096) + "b".repeat(904));
		assertThat(this.system.read(pipe.read(), 9000)).isEqualTo("b".repeat(3192));
		this.system.exitAll();
	}

	@Test
	void fifo_readAndWrite_isBothEnds() {
		int both = this.system.task.open("/fifo", FileKind.PIPE, OpenFlags.O_RDWR, null);
		assertErrno(Errno.EAGAIN, () -> this.io.read(both, 1));
		assertThat(this.system.write(both, "hello")).isEqualTo(5);
		assertThat(this.system.read(both, 9)).isEqualTo("hello");
		this.system.exitAll();
	}

	@Test
	void fifo_oneOfTwoReadersGone_EPIPEOnlyAfterTheLast() {
		int first = this.system.task.open("/fifo", FileKind.PIPE, OpenFlags.O_RDONLY, null);
		int second = this.system.task.open("/fifo", FileKind.PIPE, OpenFlags.O_RDONLY, null);
		int writer = this.system.task.open("/fifo", FileKind.PIPE, OpenFlags.O_WRONLY, null);
		this.system.task.close(first);
		assertThat(this.system.write(writer, "x")).isEqualTo(1);
		this.system.task.close(second);
		assertErrno(Errno.EPIPE, () -> this.system.write(writer, "y"));
		this.system.exitAll();
	}

	/** As in {@code put_pipe_info}: the buffers go with the last file. */
	@Test
	void fifo_everybodyGone_emptyForTheNext() {
		int first = this.system.task.open("/fifo", FileKind.PIPE, OpenFlags.O_RDWR, null);
		long before = this.system.sysctl.memory();
		this.system.write(first, "old");
		assertThat(this.system.sysctl.memory()).isEqualTo(before + 4096);
		this.system.task.close(first);
		int next = this.system.task.open("/fifo", FileKind.PIPE, OpenFlags.O_RDWR, null);
		assertThat(this.system.sysctl.memory()).isEqualTo(before);
		assertErrno(Errno.EAGAIN, () -> this.io.read(next, 9));
		this.system.write(next, "new");
		assertThat(this.system.read(next, 9)).isEqualTo("new");
		this.system.exitAll();
	}

	@Test
	void pipe2_budgetForOneEnd_ENOMEMAndNothingLeft() {
		IoFixture poor = IoFixture.withMemory(2 * 248 - 1);
		assertErrno(Errno.ENOMEM, () -> poor.task.io().pipe2(0));
		assertThat(poor.sysctl.files()).isZero();
		assertThat(poor.sysctl.memory()).isZero();
		assertThat(poor.open(FileKind.EVENTFD)).isZero();
		poor.exitAll();
	}

}
