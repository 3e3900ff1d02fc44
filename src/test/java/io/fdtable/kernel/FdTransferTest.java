package io.fdtable.kernel;

import java.util.Arrays;

import org.junit.jupiter.api.Test;

import static io.fdtable.kernel.IoFixture.assertErrno;
import static org.assertj.core.api.Assertions.assertThat;

/** Guards pidfd_getfd and SCM_RIGHTS: whose references there are, and when they end. */
class FdTransferTest {

	private final IoFixture system = new IoFixture();

	private final Task task = this.system.task;

	private final Task peer = this.task.fork(false);

	private void send(int... fds) {
		this.task.transfer().sendmsg(this.peer.pid(), fds);
	}

	private FdTransfer.Received receive(int maxFds, boolean closeOnExec) {
		return this.peer.transfer().recvmsg(maxFds, closeOnExec);
	}

	private OpenFile fileAt(Task owner, int fd) {
		FdEntry entry = owner.files().entry(fd);
		assertThat(entry).isNotNull();
		assertThat(entry.file()).isNotNull();
		return entry.file();
	}

	@Test
	void pidfdGetfd_installed_sameFileCloseOnExec() {
		int fd = this.system.open(FileKind.REGULAR);
		int got = this.peer.transfer().pidfdGetfd(this.task.pid(), fd);
		assertThat(got).isZero();
		assertThat(this.peer.fcntl(got, Fcntl.F_GETFD, 0)).isEqualTo(1);
		assertThat(fileAt(this.peer, got)).isSameAs(fileAt(this.task, fd));
		assertThat(fileAt(this.task, fd).count()).isEqualTo(2);
		this.system.exitAll();
	}

	@Test
	void pidfdGetfd_errors() {
		int fd = this.system.open(FileKind.REGULAR);
		int reserved = this.task.reserve(0, false);
		assertErrno(Errno.EBADF, () -> this.peer.transfer().pidfdGetfd(1, 78));
		assertErrno(Errno.EBADF, () -> this.peer.transfer().pidfdGetfd(1, reserved));
		assertErrno(Errno.ESRCH, () -> this.peer.transfer().pidfdGetfd(99, fd));
		this.peer.setNofile(0, 4096);
		assertErrno(Errno.EMFILE, () -> this.peer.transfer().pidfdGetfd(1, fd));
		assertThat(fileAt(this.task, fd).count()).isEqualTo(1);
		this.task.exit();
		assertErrno(Errno.ESRCH, () -> this.peer.transfer().pidfdGetfd(1, fd));
		this.system.exitAll();
	}

	@Test
	void sendmsg_counts_recordedVectors() {
		int fd = this.system.open(FileKind.REGULAR);
		int[] many = new int[254];
		Arrays.fill(many, fd);
		assertErrno(Errno.EINVAL, () -> send(many));
		assertErrno(Errno.EINVAL, this::send);
		send(Arrays.copyOf(many, 253));
		assertThat(fileAt(this.task, fd).count()).isEqualTo(254);
		FdTransfer.Received received = receive(253, false);
		assertThat(received.fds()).hasSize(253).startsWith(0, 1, 2).endsWith(252);
		assertThat(received.truncated()).isFalse();
		assertThat(this.peer.files().closeOnExec(252)).isFalse();
		this.system.exitAll();
	}

	@Test
	void sendmsg_oneBad_EBADFForTheWhole() {
		int fd = this.system.open(FileKind.REGULAR);
		assertErrno(Errno.EBADF, () -> send(fd, 77));
		assertThat(fileAt(this.task, fd).count()).isEqualTo(1);
		assertErrno(Errno.EAGAIN, () -> receive(9, false));
		assertErrno(Errno.ESRCH, () -> this.task.transfer().sendmsg(99, new int[] { fd }));
		assertErrno(Errno.EBADF, () -> this.task.transfer().sendmsg(99, new int[] { 77 }));
		assertThat(fileAt(this.task, fd).count()).isEqualTo(1);
	}

	@Test
	void sendmsg_senderCloses_fileLivesInTheMessage() {
		int path = this.task.open("/data", FileKind.REGULAR, OpenFlags.O_PATH, null);
		send(path);
		this.task.close(path);
		assertThat(this.system.sysctl.files()).isEqualTo(1);
		assertThat(receive(1, true).fds()).containsExactly(0);
		assertThat(this.peer.files().closeOnExec(0)).isTrue();
		this.system.exitAll();
	}

	@Test
	void sendmsg_inFlightAboveSoftLimit_ETOOMANYREFS() {
		int fd = this.system.open(FileKind.REGULAR);
		this.task.setNofile(2, 4096);
		send(fd, fd);
		send(fd);
		assertErrno(Errno.ETOOMANYREFS, () -> send(fd));
		receive(0, false);
		send(fd);
		this.system.exitAll();
	}

	@Test
	void sendmsg_queueFull_EAGAIN() {
		int fd = this.system.open(FileKind.REGULAR);
		for (int i = 0; i < 256; i++) {
			send(fd);
		}
		assertErrno(Errno.EAGAIN, () -> send(fd));
		assertThat(fileAt(this.task, fd).count()).isEqualTo(257);
		this.system.exitAll();
	}

	@Test
	void recvmsg_lessRoom_truncatedAndRestDropped() {
		int fd = this.system.open(FileKind.REGULAR);
		send(fd, fd, fd, fd);
		FdTransfer.Received received = receive(2, false);
		assertThat(received.fds()).containsExactly(0, 1);
		assertThat(received.truncated()).isTrue();
		assertThat(fileAt(this.task, fd).count()).isEqualTo(3);
	}

	@Test
	void recvmsg_limitReached_installsWhatFits() {
		int fd = this.system.open(FileKind.REGULAR);
		this.peer.setNofile(2, 4096);
		send(fd, fd, fd, fd);
		FdTransfer.Received received = receive(253, false);
		assertThat(received.fds()).containsExactly(0, 1);
		assertThat(received.truncated()).isTrue();
		send(fd);
		FdTransfer.Received none = receive(253, false);
		assertThat(none.fds()).isEmpty();
		assertThat(none.truncated()).isTrue();
		assertThat(fileAt(this.task, fd).count()).isEqualTo(3);
		assertErrno(Errno.EINVAL, () -> receive(-1, false));
		this.system.exitAll();
	}

	@Test
	void exit_messagesWaiting_dropped() {
		int fd = this.system.open(FileKind.REGULAR);
		send(fd, fd);
		this.peer.exit();
		assertThat(fileAt(this.task, fd).count()).isEqualTo(1);
		assertThat(this.system.tree.inFlight().get()).isZero();
		assertErrno(Errno.ESRCH, () -> send(fd));
		this.system.exitAll();
	}

	/** The target has the descriptor as long as it lives, so EBADF would be a lie. */
	@Test
	void pidfdGetfd_targetExits_theFileOrESRCH() throws InterruptedException {
		int fd = this.system.open(FileKind.REGULAR);
		for (int round = 0; round < 500; round++) {
			Task target = this.task.fork(false);
			Thread exit = Thread.ofPlatform().start(target::exit);
			try {
				while (true) {
					this.peer.close(this.peer.transfer().pidfdGetfd(target.pid(), fd));
				}
			}
			catch (SyscallException ex) {
				assertThat(ex.errno()).isEqualTo(Errno.ESRCH);
			}
			exit.join();
		}
		this.system.exitAll();
	}

	@Test
	void sendmsg_untilReceived_chargesTheMessageAndEachFile() {
		int fd = this.system.open(FileKind.REGULAR);
		long before = this.system.sysctl.memory();
		send(fd, fd, fd);
		assertThat(this.system.sysctl.memory()).isEqualTo(before + 64 + 3 * 8);
		send(fd);
		assertThat(this.system.sysctl.memory()).isEqualTo(before + 64 + 3 * 8 + 64 + 8);
		receive(3, false);
		assertThat(this.system.sysctl.memory()).isEqualTo(before + 64 + 8);
		receive(0, false);
		assertThat(this.system.sysctl.memory()).isEqualTo(before);
		this.system.exitAll();
	}

}
