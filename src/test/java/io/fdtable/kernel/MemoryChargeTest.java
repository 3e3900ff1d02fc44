package io.fdtable.kernel;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Guards what open files take of the memory budget, byte by byte, and that they give it
 * back when they close.
 */
class MemoryChargeTest {

	private final IoFixture system = new IoFixture();

	@AfterEach
	void exit() {
		this.system.exitAll();
	}

	private long memory() {
		return this.system.sysctl.memory();
	}

	@ParameterizedTest
	@CsvSource({ "REGULAR, 160", "OPAQUE, 160", "DIRECTORY, 120", "DEVICE, 120", "EVENTFD, 128", "PIPE, 248",
			"SOCKET, 512" })
	void open_noPath_chargesByKindUntilClose(FileKind kind, long bytes) {
		long before = memory();
		int fd = this.system.task.open(null, kind, OpenFlags.O_RDWR, null);
		assertThat(memory()).isEqualTo(before + bytes);
		int copy = this.system.task.dup(fd);
		this.system.task.close(fd);
		assertThat(memory()).isEqualTo(before + bytes);
		this.system.task.close(copy);
		assertThat(memory()).isEqualTo(before);
	}

	@ParameterizedTest
	@CsvSource({ "REGULAR, 96", "DIRECTORY, 56", "DEVICE, 56", "PIPE, 184" })
	void open_pathAndLabel_chargesTheEntryOnceAndEachOpenFile(FileKind kind, long inode) {
		long before = memory();
		int flags = (kind == FileKind.DIRECTORY) ? OpenFlags.O_RDONLY : OpenFlags.O_RDWR;
		int fd = this.system.task.open("/four", kind, flags, "label");
		long entry = 80 + inode + 2 * 5;
		long file = 64 + inode + 2 * (5 + 5);
		assertThat(memory()).isEqualTo(before + entry + file);
		this.system.task.open("/four", kind, flags, "label");
		assertThat(memory()).isEqualTo(before + entry + 2 * file);
		this.system.task.close(fd);
		assertThat(memory()).isEqualTo(before + entry + file);
	}

	@Test
	void connect_untilAccepted_chargesTheQueuedConnectionToo() {
		int listener = this.system.task.open(null, FileKind.SOCKET, OpenFlags.O_RDWR, null);
		this.system.task.sockets().listen(listener, 5);
		long file = this.system.task.files().entry(listener).file().id();
		int client = this.system.task.open(null, FileKind.SOCKET, OpenFlags.O_RDWR, null);
		long before = memory();
		this.system.task.sockets().connect(client, file);
		assertThat(memory()).isEqualTo(before + 320);
		int server = this.system.task.sockets().accept4(listener, 0);
		assertThat(memory()).isEqualTo(before + 512);
		this.system.task.close(client);
		assertThat(memory()).isEqualTo(before);
		this.system.task.close(server);
		this.system.task.close(listener);
		assertThat(memory()).isEqualTo(before - 2 * 512);
	}

	@Test
	void exit_acceptPending_endsItAndOnlyIt() {
		int listener = this.system.task.open(null, FileKind.SOCKET, OpenFlags.O_RDWR, null);
		this.system.task.sockets().listen(listener, 5);
		long file = this.system.task.files().entry(listener).file().id();
		Task child = this.system.task.fork(false);
		int own = this.system.task.sockets().accept4(listener, 0);
		int others = child.sockets().accept4(listener, 0);
		child.exit();
		int client = this.system.task.open(null, FileKind.SOCKET, OpenFlags.O_RDWR, null);
		List<AcceptOutcome> ended = this.system.task.sockets().connect(client, file);
		assertThat(ended).extracting(AcceptOutcome::fd).containsExactly(own);
		assertThat(own).isEqualTo(others);
		// Nobody waits any more, so the next connection does.
		long before = memory();
		int late = this.system.task.open(null, FileKind.SOCKET, OpenFlags.O_RDWR, null);
		assertThat(this.system.task.sockets().connect(late, file)).isEmpty();
		assertThat(memory()).isEqualTo(before + 512 + 320);
	}

	@Test
	void overcharge_budgetSpent_takesItAndLeavesThatMuchLess() {
		Sysctl sysctl = new Sysctl(Sysctl.DEFAULT_NR_OPEN, 1, 1, 100);
		assertThat(sysctl.tryCharge(100)).isTrue();
		sysctl.overcharge(50);
		assertThat(sysctl.memory()).isEqualTo(150);
		sysctl.uncharge(100);
		assertThat(sysctl.tryCharge(51)).isFalse();
		assertThat(sysctl.tryCharge(50)).isTrue();
	}

	/** I9: a reference that nobody has cannot be dropped. */
	@Test
	void release_onceTooOften_IllegalStateAndNothingGivenBackTwice() {
		Sysctl sysctl = Sysctl.unbounded();
		OpenFile file = KernelFixture.file(sysctl);
		file.release();
		assertThatIllegalStateException().isThrownBy(file::release)
			.withMessage("I9: file 1 was released more often than acquired");
		assertThat(sysctl.files()).isZero();
		assertThat(sysctl.memory()).isZero();
	}

}
