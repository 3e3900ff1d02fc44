package io.fdtable.syscall;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.KernelFixture;
import io.fdtable.kernel.ProcessTree;
import io.fdtable.kernel.Sysctl;
import io.fdtable.kernel.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Guards that sequences of calls answer what Linux 6.18.44 answered. Each script was
 * recorded with a C program that makes these calls and prints their answers; to record
 * one again, make the same calls in C from a process that has only 0, 1 and 2 open.
 */
class RecordedLinuxTest {

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	private ProcessTree start(int limit) {
		ProcessTree tree = this.kernel.tree(this.kernel.sysctl(Sysctl.DEFAULT_NR_OPEN));
		tree.init(limit, limit, true, Allocator.WORD_FIRST);
		return tree;
	}

	private static void openUpTo(ProcessTree tree, int last) {
		Task task = tree.find(1);
		for (int fd = 3; fd <= last; fd++) {
			task.dup2(0, fd);
		}
	}

	@Test
	void dupAndFcntl() {
		new SyscallScript(start(4096)).run("""
				dup2(0, 255) = 255
				close(255) = 0
				FDSize() = 256
				dup2(999, 3000) = -EBADF
				FDSize() = 4096
				dup2(0, 4096) = -EBADF
				dup2(0, -1) = -EBADF
				dup2(999, 4096) = -EBADF
				dup2(999, 999) = -EBADF
				dup2(0, 0) = 0
				dup3(0, 0, 0) = -EINVAL
				dup3(999, 999, 0) = -EINVAL
				dup3(0, 5, O_NONBLOCK) = -EINVAL
				dup3(0, 5, O_CLOEXEC|O_NONBLOCK) = -EINVAL
				dup3(0, 5, O_CLOEXEC) = 5
				fcntl(5, F_GETFD) = 1
				dup2(5, 5) = 5
				fcntl(5, F_GETFD) = 1
				dup2(0, 5) = 5
				fcntl(5, F_GETFD) = 0
				dup(-1) = -EBADF
				fcntl(0, F_DUPFD, 4096) = -EINVAL
				fcntl(0, F_DUPFD, 4095) = 4095
				fcntl(0, F_DUPFD, 4095) = -EMFILE
				fcntl(0, F_DUPFD, -1) = -EINVAL
				fcntl(999, F_DUPFD, -1) = -EBADF
				fcntl(0, F_DUPFD_CLOEXEC, 10) = 10
				fcntl(10, F_GETFD) = 1
				fcntl(0, F_DUPFD, 3) = 3
				fcntl(0, F_DUPFD, 20) = 20
				dup(0) = 4
				fcntl(5, F_DUPFD_QUERY, 0) = 1
				fcntl(5, F_DUPFD_QUERY, 1) = 0
				fcntl(5, F_DUPFD_QUERY, 999) = -EBADF
				fcntl(999, F_DUPFD_QUERY, 5) = -EBADF
				open(/created, O_CREAT|O_RDWR) = 6
				fcntl(6, F_CREATED_QUERY, 0) = 1
				open(/created, O_CREAT|O_RDWR) = 7
				fcntl(7, F_CREATED_QUERY, 0) = 0
				open(/dir, O_PATH) = 8
				fcntl(8, F_GETFL) = 2097152
				fcntl(8, F_SETFL, 0) = -EBADF
				fcntl(8, F_DUPFD, 0) = 9
				fcntl(8, F_SETFD, 1) = 0
				dup2(8, 8) = 8
				fcntl(0, 999, 0) = -EINVAL
				fcntl(999, 999, 0) = -EBADF
				fcntl(0, F_SETFD, 0xffff) = 0
				fcntl(0, F_GETFD) = 1
				fcntl(0, F_SETFD, 0xfffe) = 0
				fcntl(0, F_GETFD) = 0
				close(999) = -EBADF
				close(-1) = -EBADF
				""");
	}

	@Test
	void growth() {
		new SyscallScript(start(20000)).run("""
				dup2(0, 255) = 255
				FDSize() = 256
				dup2(0, 256) = 256
				FDSize() = 512
				dup2(0, 257) = 257
				FDSize() = 512
				dup2(0, 1023) = 1023
				FDSize() = 1024
				dup2(0, 1024) = 1024
				FDSize() = 2048
				dup2(0, 65536) = -EBADF
				FDSize() = 2048
				dup2(0, 999999) = -EBADF
				FDSize() = 2048
				close_range(3, 0xffffffff, 0) = 0
				FDSize() = 2048
				fork() = 2
				2: FDSize() = 64
				dup2(0, 70) = 70
				fork() = 3
				3: FDSize() = 128
				""");
	}

	@Test
	void rlimit() {
		ProcessTree tree = start(200);
		openUpTo(tree, 149);
		new SyscallScript(tree).run("""
				setrlimit(100, 200) = 0
				fcntl(140, F_GETFD) = 0
				dup(0) = -EMFILE
				dup2(0, 140) = -EBADF
				dup2(140, 140) = 140
				fcntl(0, F_DUPFD, 99) = -EMFILE
				fcntl(0, F_DUPFD, 100) = -EINVAL
				fcntl(140, F_DUPFD, 3) = -EMFILE
				close(50) = 0
				dup(140) = 50
				close(120) = 0
				dup(0) = -EMFILE
				close(149) = 0
				setrlimit(0, 200) = 0
				dup(0) = -EMFILE
				dup2(0, 3) = -EBADF
				fcntl(0, F_DUPFD, 0) = -EINVAL
				dup2(0, 0) = 0
				fcntl(0, F_GETFD) = 0
				setrlimit(300, 2000000) = -EPERM
				setrlimit(201, 200) = -EINVAL
				""");
	}

	@Test
	void closeRange() {
		ProcessTree tree = start(1024);
		openUpTo(tree, 129);
		new SyscallScript(tree).run("""
				close_range(5, 4, 0) = -EINVAL
				close_range(5, 4, 0xff) = -EINVAL
				close_range(3, 4, 1) = -EINVAL
				close_range(3, 4, 8) = -EINVAL
				close_range(5000, 6000, 0) = 0
				close_range(60, 70, 0) = 0
				fcntl(59, F_GETFD) = 0
				fcntl(60, F_GETFD) = -EBADF
				fcntl(70, F_GETFD) = -EBADF
				fcntl(71, F_GETFD) = 0
				close_range(60, 70, 0) = 0
				dup(0) = 60
				close_range(100, 110, CLOSE_RANGE_CLOEXEC) = 0
				fcntl(99, F_GETFD) = 0
				fcntl(100, F_GETFD) = 1
				fcntl(110, F_GETFD) = 1
				fcntl(111, F_GETFD) = 0
				close_range(200, 0xffffffff, CLOSE_RANGE_CLOEXEC) = 0
				close_range(62, 62, CLOSE_RANGE_CLOEXEC) = 0
				fcntl(0, F_DUPFD, 62) = 62
				fcntl(62, F_GETFD) = 0
				close_range(3, 0xffffffff, 0) = 0
				dup(0) = 3
				""");
	}

	@Test
	void closeRangeUnshare() {
		ProcessTree tree = start(4096);
		openUpTo(tree, 127);
		new SyscallScript(tree).run("""
				dup2(0, 600) = 600
				close(600) = 0
				FDSize() = 1024
				clone() = 2
				2: FDSize() = 1024
				2: close_range(64, 0xffffffff, CLOSE_RANGE_UNSHARE) = 0
				2: FDSize() = 64
				2: fcntl(64, F_GETFD) = -EBADF
				2: dup(0) = 64
				2: FDSize() = 128
				2: exit() = 0
				fcntl(64, F_GETFD) = 0
				clone() = 3
				3: close_range(64, 127, CLOSE_RANGE_UNSHARE|CLOSE_RANGE_CLOEXEC) = 0
				3: FDSize() = 128
				3: fcntl(64, F_GETFD) = 1
				3: exit() = 0
				fcntl(64, F_GETFD) = 0
				clone() = 4
				4: unshare() = 0
				4: close(70) = 0
				4: FDSize() = 128
				4: exit() = 0
				fcntl(70, F_GETFD) = 0
				clone() = 5
				5: close_range(1, 100, CLOSE_RANGE_UNSHARE) = 0
				5: fcntl(126, F_GETFD) = 0
				""");
	}

	@ParameterizedTest(name = "0..{0} and {1} open: close_range({2}, {3}, {4})")
	@CsvSource({ "127, -1, 64, 4294967295, 2, 64, 64, 128", "127, -1, 64, 127, 2, 64, 64, 128",
			"127, -1, 64, 126, 2, 128, 64, 128", "127, -1, 63, 4294967295, 2, 64, 63, 64",
			"127, -1, 100, 4294967295, 2, 128, 100, 128", "127, -1, 64, 4294967295, 6, 128, 128, 256",
			"40, 900, 64, 4294967295, 2, 64, 41, 64", "40, 900, 64, 800, 2, 1024, 41, 1024",
			"40, 900, 900, 900, 2, 64, 41, 64", "40, 900, 4, 6, 2, 1024, 4, 1024",
			"40, 900, 64, 4294967295, 0, 1024, 41, 1024" })
	void unshareSizing(int upTo, int and, long first, long last, int flags, int width, int next, int widthAfter) {
		ProcessTree tree = start(4096);
		openUpTo(tree, upTo);
		int wide = (and >= 0) ? and : 255;
		new SyscallScript(tree).run("""
				dup2(0, %d) = %d
				clone() = 2
				""".formatted(wide, wide));
		if (and < 0) {
			tree.find(1).close(wide);
		}
		new SyscallScript(tree).run("""
				2: close_range(%d, %d, %d) = 0
				2: FDSize() = %d
				2: dup(0) = %d
				2: FDSize() = %d
				""".formatted(first, last, flags, width, next, widthAfter));
	}

	@Test
	void reservedSlot() {
		ProcessTree tree = start(1024);
		new SyscallScript(tree).run("""
				# A thread blocked in open of a FIFO.
				reserve() = 3
				fcntl(3, F_GETFD) = -EBADF
				close(3) = -EBADF
				dup2(0, 3) = -EBUSY
				dup3(0, 3, 0) = -EBUSY
				dup2(3, 9) = -EBADF
				dup2(3, 3) = -EBADF
				dup(0) = 4
				close_range(3, 3, 0) = 0
				dup(0) = 5
				close_range(3, 3, CLOSE_RANGE_CLOEXEC) = 0
				fork() = 2
				2: fcntl(3, F_GETFD) = -EBADF
				2: dup(0) = 3
				2: fcntl(3, F_GETFD) = 0
				dup(0) = 6
				install(3) = 0
				fcntl(3, F_GETFD) = 1
				""");
	}

	@Test
	void statusFlags() {
		new SyscallScript(start(1024)).run("""
				# 32768, 33794 and 34818 are 0100000, 0102002 and 0104002.
				open(/a, O_CLOEXEC) = 3
				fcntl(3, F_GETFL) = 32768
				open(/b, O_RDWR|O_CREAT|O_TRUNC|O_EXCL|O_APPEND) = 4
				fcntl(4, F_GETFL) = 33794
				dup(4) = 5
				fcntl(5, F_SETFL, O_NONBLOCK|1|O_CREAT) = 0
				fcntl(4, F_GETFL) = 34818
				fcntl(4, F_SETFL, O_APPEND) = 0
				fcntl(5, F_GETFL) = 33794
				""");
	}

	@Test
	void markedRangeOfSharedTable() {
		new SyscallScript(start(4096)).run("""
				dup2(0, 1000) = 1000
				clone() = 2
				2: close_range(3, 0xffffffff, CLOSE_RANGE_UNSHARE|CLOSE_RANGE_CLOEXEC) = 0
				2: fcntl(1000, F_GETFD) = 1
				fcntl(1000, F_GETFD) = 0
				""");
	}

}
