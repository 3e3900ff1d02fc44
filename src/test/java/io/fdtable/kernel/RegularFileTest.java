package io.fdtable.kernel;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

import static io.fdtable.kernel.IoFixture.RDWR_CREATE;
import static io.fdtable.kernel.IoFixture.assertErrno;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards contents and positions of regular files; the values are those that Linux gives
 * for the same calls on a file system with pages of 4096 bytes.
 */
class RegularFileTest {

	private final IoFixture system = new IoFixture();

	private final FileIo io = this.system.task.io();

	@Test
	void position_dupAndFork_shared() {
		int fd = this.system.open(FileKind.REGULAR);
		int twin = this.system.task.dup(fd);
		Task child = this.system.task.fork(false);
		assertThat(this.system.seek(fd, 100)).isEqualTo(100);
		assertThat(this.system.position(twin)).isEqualTo(100);
		assertThat(child.io().lseek(fd, 7, Seek.SEEK_SET)).isEqualTo(7);
		assertThat(this.system.position(twin)).isEqualTo(7);
		this.system.exitAll();
	}

	@Test
	void position_separateOpens_ownPositionSameContent() {
		int writer = this.system.open("/data", RDWR_CREATE);
		int reader = this.system.open("/data", OpenFlags.O_RDONLY);
		assertThat(this.system.write(writer, "hello")).isEqualTo(5);
		assertThat(this.system.position(reader)).isZero();
		assertThat(this.system.read(reader, 3)).isEqualTo("hel");
		assertThat(this.system.read(reader, 3)).isEqualTo("lo");
		assertThat(this.system.read(reader, 3)).isEmpty();
		this.system.exitAll();
	}

	@Test
	void content_allClosed_namedStaysAnonymousGoes() {
		int named = this.system.open("/data", RDWR_CREATE);
		this.system.write(named, "x");
		this.system.task.close(named);
		long before = this.system.sysctl.memory();
		int anonymous = this.system.open(FileKind.REGULAR);
		this.system.write(anonymous, "x");
		assertThat(this.system.sysctl.memory()).isGreaterThan(before + 4096);
		this.system.task.close(anonymous);
		assertThat(this.system.sysctl.memory()).isEqualTo(before);
		assertThat(this.system.read(this.system.open("/data", OpenFlags.O_RDONLY), 9)).isEqualTo("x");
		this.system.exitAll();
	}

	@Test
	void write_append_alwaysAtTheEnd() {
		int fd = this.system.open("/log", RDWR_CREATE);
		int append = this.system.open("/log", OpenFlags.O_RDWR | OpenFlags.O_APPEND);
		this.system.write(fd, "12345");
		assertThat(this.system.seek(append, 3)).isEqualTo(3);
		assertThat(this.system.write(append, "67")).isEqualTo(2);
		assertThat(this.system.position(append)).isEqualTo(7);
		this.system.seek(append, 0);
		assertThat(this.system.read(append, 99)).isEqualTo("1234567");
	}

	@Test
	void open_truncate_emptiesForEveryoneAndKeepsPositions() {
		int fd = this.system.open("/data", RDWR_CREATE);
		this.system.write(fd, "12345");
		int again = this.system.open("/data", OpenFlags.O_WRONLY | OpenFlags.O_TRUNC);
		assertThat(this.io.lseek(again, 0, Seek.SEEK_END)).isZero();
		assertThat(this.system.read(fd, 9)).isEmpty();
		this.system.write(fd, "6");
		this.system.seek(fd, 0);
		assertThat(this.system.read(fd, 9)).isEqualTo("\0\0\0\0\0" + "6");
	}

	@Test
	void readAndWrite_wrongMode_EBADF() {
		int readOnly = this.system.open("/data", OpenFlags.O_RDONLY | OpenFlags.O_CREAT);
		int writeOnly = this.system.open("/data", OpenFlags.O_WRONLY);
		int path = this.system.open("/data", OpenFlags.O_PATH);
		int neither = this.system.open("/data", 3);
		assertErrno(Errno.EBADF, () -> this.system.write(readOnly, ""));
		assertErrno(Errno.EBADF, () -> this.io.read(writeOnly, 0));
		assertErrno(Errno.EBADF, () -> this.io.read(writeOnly, -1));
		assertErrno(Errno.EFAULT, () -> this.io.read(readOnly, -1));
		assertErrno(Errno.EBADF, () -> this.io.read(path, 1));
		assertErrno(Errno.EBADF, () -> this.system.write(path, "x"));
		assertErrno(Errno.EBADF, () -> this.io.lseek(path, 0, 9));
		assertErrno(Errno.EBADF, () -> this.io.read(neither, 1));
		assertErrno(Errno.EBADF, () -> this.system.write(neither, "x"));
		assertThat(this.system.seek(neither, 0)).isZero();
		assertErrno(Errno.EBADF, () -> this.io.lseek(999, 0, 99));
		assertErrno(Errno.EBADF, () -> this.io.read(-1, 1));
	}

	@Test
	void lseek_recordedVectors() {
		int fd = this.system.open(FileKind.OPAQUE);
		this.system.write(fd, "hello");
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, -1, Seek.SEEK_SET));
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, 0, 5));
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, 0, 99));
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, 0, -1));
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, -6, Seek.SEEK_CUR));
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, -6, Seek.SEEK_END));
		assertThat(this.io.lseek(fd, 1, Seek.SEEK_CUR)).isEqualTo(6);
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, Long.MAX_VALUE, Seek.SEEK_CUR));
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, Long.MIN_VALUE, Seek.SEEK_CUR));
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, Long.MAX_VALUE, Seek.SEEK_END));
		assertThat(this.system.position(fd)).isEqualTo(6);
		assertThat(this.system.read(fd, 10)).isEmpty();
		assertThat(this.system.position(fd)).isEqualTo(6);
		assertThat(this.system.write(fd, "0123456789")).isEqualTo(10);
		assertThat(this.io.lseek(fd, 0, Seek.SEEK_DATA)).isZero();
		assertThat(this.io.lseek(fd, 0, Seek.SEEK_HOLE)).isEqualTo(16);
		assertThat(this.io.lseek(fd, 5, Seek.SEEK_HOLE)).isEqualTo(16);
		assertThat(this.io.lseek(fd, 5, Seek.SEEK_DATA)).isEqualTo(5);
		assertErrno(Errno.ENXIO, () -> this.io.lseek(fd, 16, Seek.SEEK_DATA));
		assertErrno(Errno.ENXIO, () -> this.io.lseek(fd, 16, Seek.SEEK_HOLE));
		assertErrno(Errno.ENXIO, () -> this.io.lseek(fd, -1, Seek.SEEK_DATA));
		assertErrno(Errno.ENXIO, () -> this.io.lseek(fd, -1, Seek.SEEK_HOLE));
	}

	@Test
	void lseek_sparseFile_findsPages() {
		int fd = this.system.open(FileKind.REGULAR);
		assertErrno(Errno.ENXIO, () -> this.io.lseek(fd, 0, Seek.SEEK_DATA));
		assertErrno(Errno.ENXIO, () -> this.io.lseek(fd, 0, Seek.SEEK_HOLE));
		this.system.seek(fd, 100_000);
		this.system.write(fd, "x");
		assertThat(this.io.lseek(fd, 0, Seek.SEEK_DATA)).isEqualTo(98_304);
		assertThat(this.io.lseek(fd, 0, Seek.SEEK_HOLE)).isZero();
		assertThat(this.io.lseek(fd, 98_304, Seek.SEEK_HOLE)).isEqualTo(100_001);
		assertThat(this.io.lseek(fd, 98_305, Seek.SEEK_DATA)).isEqualTo(98_305);
		assertErrno(Errno.ENXIO, () -> this.io.lseek(fd, 100_001, Seek.SEEK_DATA));
		this.system.seek(fd, 99_998);
		assertThat(this.system.read(fd, 9)).isEqualTo("\0\0x");
		assertThat(this.system.sysctl.memory()).isLessThan(5000);
	}

	@Test
	void write_longestFile_shortThenEFBIG() {
		IoFixture small = IoFixture.withFileMaxBytes(100);
		int fd = small.open("/data", RDWR_CREATE);
		small.seek(fd, 90);
		assertThat(small.write(fd, "x".repeat(20))).isEqualTo(10);
		assertErrno(Errno.EFBIG, () -> small.write(fd, "x"));
		assertThat(small.write(fd, "")).isZero();
		assertThat(small.position(fd)).isEqualTo(100);
		assertThat(small.seek(fd, 200)).isEqualTo(200);
		assertErrno(Errno.EFBIG, () -> small.write(fd, "x"));
		int append = small.open("/data", OpenFlags.O_WRONLY | OpenFlags.O_APPEND);
		small.seek(append, 3);
		assertErrno(Errno.EFBIG, () -> small.write(append, "x"));
		assertThat(small.position(append)).isEqualTo(3);
		small.seek(fd, 0);
		assertThat(small.read(fd, Integer.MAX_VALUE)).hasSize(100);
	}

	@Test
	void readAndWrite_beyondTheLastPosition_EINVAL() {
		int fd = this.system.open(FileKind.REGULAR);
		assertThat(this.system.seek(fd, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
		assertErrno(Errno.EINVAL, () -> this.system.read(fd, 1));
		assertErrno(Errno.EINVAL, () -> this.system.write(fd, "x"));
		assertThat(this.system.read(fd, 0)).isEmpty();
	}

	@Test
	void write_budgetSpent_shortThenENOMEM() {
		IoFixture poor = IoFixture.withMemory(2 * 4096 + 200);
		int fd = poor.open(FileKind.REGULAR);
		assertThat(poor.write(fd, "x".repeat(10_000))).isEqualTo(8192);
		assertErrno(Errno.ENOMEM, () -> poor.write(fd, "x"));
		assertThat(poor.position(fd)).isEqualTo(8192);
		poor.exitAll();
	}

	@Test
	void directory_readAndSeek() {
		int fd = this.system.task.open("/dir", FileKind.DIRECTORY, OpenFlags.O_RDONLY, null);
		assertErrno(Errno.EISDIR, () -> this.io.read(fd, 0));
		assertErrno(Errno.EBADF, () -> this.system.write(fd, "x"));
		assertThat(this.system.seek(fd, 5)).isEqualTo(5);
		assertThat(this.system.position(fd)).isEqualTo(5);
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, -1, Seek.SEEK_SET));
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, 0, 5));
	}

	@Test
	void readAndWrite_acrossPages_everyByteInItsPlace() {
		int fd = this.system.open("/data", RDWR_CREATE);
		long before = this.system.sysctl.memory();
		byte[] data = new byte[10_000];
		for (int i = 0; i < data.length; i++) {
			data[i] = (byte) (1 + i % 101);
		}
		this.system.seek(fd, 4000);
		assertThat(this.io.write(fd, data)).isEqualTo(10_000);
		// Four pages, and pointers for one, two and four of them.
		assertThat(this.system.sysctl.memory()).isEqualTo(before + 4 * 4096 + 4 * 4);
		this.system.seek(fd, 3990);
		byte[] read = this.io.read(fd, 20_000);
		assertThat(read).hasSize(10_010);
		assertThat(Arrays.copyOf(read, 10)).containsOnly(0);
		assertThat(Arrays.copyOfRange(read, 10, read.length)).isEqualTo(data);
		this.system.seek(fd, 8190);
		assertThat(this.io.read(fd, 5000)).isEqualTo(Arrays.copyOfRange(data, 4190, 9190));
		assertThat(this.system.position(fd)).isEqualTo(13_190);
		this.system.exitAll();
	}

	@Test
	void seekDataAndHole_atTheEdgesOfPages_theNextOfItsKind() {
		int fd = this.system.open("/data", RDWR_CREATE);
		this.system.seek(fd, 8192);
		this.system.write(fd, "x");
		assertThat(this.io.lseek(fd, 0, Seek.SEEK_DATA)).isEqualTo(8192);
		assertThat(this.io.lseek(fd, 8192, Seek.SEEK_DATA)).isEqualTo(8192);
		assertThat(this.io.lseek(fd, 8191, Seek.SEEK_HOLE)).isEqualTo(8191);
		assertThat(this.io.lseek(fd, 8192, Seek.SEEK_HOLE)).isEqualTo(8193);
		assertErrno(Errno.ENXIO, () -> this.io.lseek(fd, 8193, Seek.SEEK_HOLE));
		this.system.exitAll();
	}

	@Test
	void open_memorySpent_ENOMEMAndNoReferenceToThePathIsLeft() {
		IoFixture small = IoFixture.withMemory(20_000);
		int fd = small.open("/data", RDWR_CREATE);
		small.write(fd, "content");
		small.sysctl.charge(20_000 - small.sysctl.memory());
		assertErrno(Errno.ENOMEM, () -> small.open("/data", OpenFlags.O_RDONLY));
		small.task.close(fd);
		long spent = small.sysctl.memory();
		small.task.exit();
		// The page, its pointer and the entry go with the last process.
		assertThat(spent - small.sysctl.memory()).isGreaterThan(4096);
		assertThat(small.sysctl.files()).isZero();
	}

	@Test
	void directory_seekFromHere_addsTheOffset() {
		int fd = this.system.task.open("/dir", FileKind.DIRECTORY, OpenFlags.O_RDONLY, null);
		assertThat(this.system.seek(fd, 5)).isEqualTo(5);
		assertThat(this.io.lseek(fd, 3, Seek.SEEK_CUR)).isEqualTo(8);
		assertThat(this.io.lseek(fd, -2, Seek.SEEK_CUR)).isEqualTo(6);
		assertErrno(Errno.EINVAL, () -> this.io.lseek(fd, -7, Seek.SEEK_CUR));
		assertThat(this.system.position(fd)).isEqualTo(6);
	}

	@Test
	void readAndWrite_nothingAtPositionZero_isNoError() {
		int fd = this.system.open(FileKind.REGULAR);
		assertThat(this.system.write(fd, "")).isZero();
		assertThat(this.system.read(fd, 0)).isEmpty();
		assertThat(this.system.position(fd)).isZero();
	}

}
