package io.fdtable.kernel;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.fdtable.kernel.IoFixture.assertErrno;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards what bug 106241 is about: an accept that waits pins its file and its number, and
 * what happens to the listener's number does not concern it. Values as recorded on Linux.
 */
class SocketCallsTest {

	private final IoFixture system = new IoFixture();

	private final Task task = this.system.task;

	private final SocketCalls sockets = this.task.sockets();

	private int listener;

	private long port;

	@BeforeEach
	void listen() {
		this.task.open("/dev/tty", FileKind.DEVICE, OpenFlags.O_RDWR, null);
		this.listener = this.system.open(FileKind.SOCKET);
		this.port = fileAt(this.listener).id();
		this.sockets.listen(this.listener, 1);
	}

	private OpenFile fileAt(int fd) {
		FdEntry entry = this.task.files().entry(fd);
		assertThat(entry).isNotNull();
		assertThat(entry.file()).isNotNull();
		return entry.file();
	}

	private FdEntry entry(int fd) {
		FdEntry entry = this.task.files().entry(fd);
		assertThat(entry).isNotNull();
		return entry;
	}

	@Test
	void close_whileAcceptWaits_neitherWakesNorRedirects() {
		int accepted = this.sockets.accept4(this.listener, 0);
		assertThat(accepted).isEqualTo(2);
		assertThat(entry(accepted).isReserved()).isTrue();
		this.task.close(this.listener);
		assertThat(this.task.dup(0)).isEqualTo(this.listener);
		assertThat(entry(accepted).isReserved()).isTrue();
		int client = this.system.open(FileKind.SOCKET);
		assertThat(this.sockets.connect(client, this.port))
			.containsExactly(new AcceptOutcome(1, accepted, entry(accepted).generation(), null));
		assertThat(entry(accepted).isReserved()).isFalse();
		int second = this.system.open(FileKind.SOCKET);
		assertErrno(Errno.ECONNREFUSED, () -> this.sockets.connect(second, this.port));
		this.system.write(client, "hi");
		assertThat(this.system.read(accepted, 9)).isEqualTo("hi");
		this.system.exitAll();
	}

	@Test
	void dup2_whileAcceptWaits_staysPending() {
		int accepted = this.sockets.accept4(this.listener, 0);
		assertThat(this.task.dup2(0, this.listener)).isTrue();
		assertThat(entry(accepted).isReserved()).isTrue();
		assertErrno(Errno.EBUSY, () -> this.task.dup2(0, accepted));
		this.system.exitAll();
	}

	@Test
	void shutdown_whileAcceptsWait_EINVALAndNumbersFree() {
		int first = this.sockets.accept4(this.listener, OpenFlags.O_CLOEXEC);
		int second = this.sockets.accept4(this.listener, 0);
		long generation = entry(first).generation();
		assertThat(this.sockets.shutdown(this.listener, 1)).isEmpty();
		assertThat(this.sockets.shutdown(this.listener, 2)).containsExactly(
				new AcceptOutcome(1, first, generation, Errno.EINVAL),
				new AcceptOutcome(1, second, generation + 1, Errno.EINVAL));
		assertThat(this.task.files().entry(first)).isNull();
		assertThat(fileAt(this.listener).count()).isEqualTo(1);
		assertErrno(Errno.ENOTCONN, () -> this.sockets.shutdown(this.listener, 0));
		assertErrno(Errno.EINVAL, () -> this.sockets.accept4(this.listener, 0));
		assertThat(this.task.dup(0)).isEqualTo(first);
		this.sockets.listen(this.listener, 1);
		assertThat(entry(this.sockets.accept4(this.listener, 0)).isReserved()).isTrue();
		this.system.exitAll();
	}

	@Test
	void calls_wrongFile_orderOfChecks() {
		int path = this.task.open("/data", FileKind.OPAQUE, OpenFlags.O_PATH, null);
		int plain = this.system.open(FileKind.SOCKET);
		assertErrno(Errno.ENOTSOCK, () -> this.sockets.listen(0, 1));
		assertErrno(Errno.EBADF, () -> this.sockets.listen(99, 1));
		assertErrno(Errno.EBADF, () -> this.sockets.listen(path, 1));
		assertErrno(Errno.EBADF, () -> this.sockets.accept4(99, 1));
		assertErrno(Errno.EINVAL, () -> this.sockets.accept4(0, 1));
		assertErrno(Errno.ENOTSOCK, () -> this.sockets.accept4(0, 0));
		assertErrno(Errno.EINVAL, () -> this.sockets.accept4(plain, 0));
		assertErrno(Errno.ENOTSOCK, () -> this.sockets.shutdown(0, 2));
		assertErrno(Errno.EBADF, () -> this.sockets.shutdown(99, 7));
		assertErrno(Errno.EINVAL, () -> this.sockets.shutdown(plain, 7));
		assertErrno(Errno.ENOTCONN, () -> this.sockets.shutdown(plain, 2));
		assertErrno(Errno.EISCONN, () -> this.sockets.connect(this.listener, this.port));
		assertErrno(Errno.ECONNREFUSED, () -> this.sockets.connect(plain, 4711));
		this.task.setNofile(3, 4096);
		assertErrno(Errno.EMFILE, () -> this.sockets.accept4(0, 0));
		assertErrno(Errno.EMFILE, () -> this.sockets.accept4(plain, 0));
		this.system.exitAll();
	}

	@Test
	void readAndWrite_unconnected_asTcp() {
		int plain = this.system.open(FileKind.SOCKET);
		assertErrno(Errno.ENOTCONN, () -> this.system.read(plain, 1));
		assertThat(this.system.read(plain, 0)).isEmpty();
		assertErrno(Errno.EPIPE, () -> this.system.write(plain, "x"));
		assertErrno(Errno.EPIPE, () -> this.system.write(plain, ""));
		assertErrno(Errno.ESPIPE, () -> this.system.position(plain));
		assertErrno(Errno.ENOTCONN, () -> this.sockets.shutdown(plain, 2));
		assertThat(this.system.read(plain, 1)).isEmpty();
		assertErrno(Errno.ENOTCONN, () -> this.system.read(this.listener, 1));
	}

	@Test
	void connect_noAcceptWaits_joinsTheBacklog() {
		int[] clients = { this.system.open(FileKind.SOCKET), this.system.open(FileKind.SOCKET),
				this.system.open(FileKind.SOCKET) };
		assertThat(this.sockets.connect(clients[0], this.port)).isEmpty();
		assertThat(this.sockets.connect(clients[1], this.port)).isEmpty();
		assertErrno(Errno.EAGAIN, () -> this.sockets.connect(clients[2], this.port));
		assertErrno(Errno.EISCONN, () -> this.sockets.connect(clients[0], this.port));
		this.system.write(clients[0], "first");
		int accepted = this.sockets.accept4(this.listener, 0);
		assertThat(entry(accepted).isReserved()).isFalse();
		assertThat(this.system.read(accepted, 9)).isEqualTo("first");
		assertErrno(Errno.EAGAIN, () -> this.system.read(accepted, 9));
		this.sockets.shutdown(clients[0], 1);
		assertThat(this.system.read(accepted, 9)).isEmpty();
		assertErrno(Errno.EPIPE, () -> this.system.write(clients[0], "x"));
		this.task.close(clients[0]);
		assertErrno(Errno.EPIPE, () -> this.system.write(accepted, "x"));
		this.task.close(this.listener);
		assertThat(this.system.read(clients[1], 1)).isEmpty();
		this.system.exitAll();
	}

	@Test
	void accept4_nonBlocking_EAGAINAndNumberFree() {
		this.task.fcntl(this.listener, Fcntl.F_SETFL, OpenFlags.O_NONBLOCK);
		assertErrno(Errno.EAGAIN, () -> this.sockets.accept4(this.listener, 0));
		assertThat(this.task.files().entry(2)).isNull();
		assertThat(this.system.sysctl.files()).isEqualTo(2);
	}

	@Test
	void exit_acceptWaits_dropsItAndUnpins() {
		Task thread = this.task.fork(true);
		int accepted = thread.sockets().accept4(this.listener, 0);
		assertThat(fileAt(this.listener).count()).isEqualTo(2);
		thread.exit();
		assertThat(fileAt(this.listener).count()).isEqualTo(1);
		assertThat(this.task.files().entry(accepted)).isNull();
		this.sockets.accept4(this.listener, 0);
		this.task.close(this.listener);
		this.system.exitAll();
	}

	@Test
	void fork_acceptWaits_numberFreeInTheChild() {
		int accepted = this.sockets.accept4(this.listener, 0);
		Task child = this.task.fork(false);
		assertThat(child.dup(0)).isEqualTo(accepted);
		this.system.exitAll();
	}

	@Test
	void execAndUnshare_acceptWaits_endIt() {
		Task thread = this.task.fork(true);
		int accepted = thread.sockets().accept4(this.listener, 0);
		assertThat(thread.unshare()).isTrue();
		assertThat(this.task.files().entry(accepted)).isNull();
		int again = this.sockets.accept4(this.listener, 0);
		this.task.exec();
		assertThat(this.task.files().entry(again)).isNull();
		this.system.exitAll();
	}

	@Test
	void releaseAndInstall_acceptWaits_cancelsAndEBUSY() {
		int accepted = this.sockets.accept4(this.listener, 0);
		long generation = entry(accepted).generation();
		assertErrno(Errno.EBUSY,
				() -> this.task.install(accepted, generation, null, FileKind.OPAQUE, OpenFlags.O_RDWR, null));
		this.task.release(accepted, generation);
		assertThat(this.task.files().entry(accepted)).isNull();
		int client = this.system.open(FileKind.SOCKET);
		assertThat(this.sockets.connect(client, this.port)).isEmpty();
		this.task.files().checkInvariants();
		this.system.exitAll();
	}

	@Test
	void accept4_flags_onTheNewDescriptorOnly() {
		int marked = this.sockets.accept4(this.listener, OpenFlags.O_CLOEXEC | OpenFlags.O_NONBLOCK);
		int plain = this.sockets.accept4(this.listener, 0);
		this.sockets.connect(this.system.open(FileKind.SOCKET), this.port);
		this.sockets.connect(this.system.open(FileKind.SOCKET), this.port);
		assertThat(entry(marked).closeOnExec()).isTrue();
		assertThat(this.task.fcntl(marked, Fcntl.F_GETFL, 0)).isEqualTo(OpenFlags.O_RDWR | OpenFlags.O_NONBLOCK);
		assertThat(entry(plain).closeOnExec()).isFalse();
		assertThat(this.task.fcntl(plain, Fcntl.F_GETFL, 0)).isEqualTo(OpenFlags.O_RDWR);
		this.system.exitAll();
	}

	@Test
	void isPending_anotherNumberOrTable_false() {
		int accepted = this.sockets.accept4(this.listener, 0);
		Task child = this.task.fork(false);
		Sockets all = this.system.tree.sockets();
		assertThat(all.isPending(this.task.files(), accepted)).isTrue();
		assertThat(all.isPending(this.task.files(), this.listener)).isFalse();
		assertThat(all.isPending(child.files(), accepted)).isFalse();
		this.system.exitAll();
	}

	@Test
	void exit_whileAcceptsOfTwoProcessesWait_endsItsOwn() {
		int own = this.sockets.accept4(this.listener, 0);
		Task child = this.task.fork(false);
		int other = child.sockets().accept4(this.listener, 0);
		FilesStruct table = child.files();
		assertThat(this.system.tree.sockets().isPending(table, other)).isTrue();
		child.exit();
		assertThat(this.system.tree.sockets().isPending(this.task.files(), own)).isTrue();
		assertThat(this.system.tree.sockets().isPending(table, other)).isFalse();
		assertThat(entry(own).isReserved()).isTrue();
		this.system.exitAll();
	}

	@Test
	void cancel_byTableAndNumber_thatAcceptAndNoOther() {
		int first = this.sockets.accept4(this.listener, 0);
		int second = this.sockets.accept4(this.listener, 0);
		Task child = this.task.fork(false);
		Sockets all = this.system.tree.sockets();
		assertThat(all.cancel(child.files(), first)).isFalse();
		assertThat(all.cancel(this.task.files(), this.listener)).isFalse();
		assertThat(all.cancel(this.task.files(), first)).isTrue();
		assertThat(this.task.files().entry(first)).isNull();
		assertThat(all.isPending(this.task.files(), second)).isTrue();
		assertThat(all.cancel(this.task.files(), first)).isFalse();
		this.system.exitAll();
	}

	@Test
	void shutdown_receivingSide_whatHasArrivedIsStillRead() {
		int accepted = this.sockets.accept4(this.listener, 0);
		int client = this.system.open(FileKind.SOCKET);
		this.sockets.connect(client, this.port);
		this.system.write(client, "hi");
		this.sockets.shutdown(accepted, 0);
		assertThat(fileAt(accepted).operations()).isInstanceOfSatisfying(Socket.class,
				(socket) -> assertThat(socket.shutdownMask()).isEqualTo(Socket.RECEIVE));
		assertThat(this.system.read(accepted, 9)).isEqualTo("hi");
		assertThat(this.system.read(accepted, 9)).isEmpty();
		this.system.exitAll();
	}

	@Test
	void shutdown_notConnected_ENOTCONNAndForgottenByConnectAndListen() {
		int client = this.system.open(FileKind.SOCKET);
		assertErrno(Errno.ENOTCONN, () -> this.sockets.shutdown(client, 2));
		assertThat(this.system.read(client, 1)).isEmpty();
		int accepted = this.sockets.accept4(this.listener, 0);
		this.sockets.connect(client, this.port);
		assertThat(this.system.write(client, "hi")).isEqualTo(2);
		assertThat(this.system.read(accepted, 9)).isEqualTo("hi");
		int second = this.system.open(FileKind.SOCKET);
		assertErrno(Errno.ENOTCONN, () -> this.sockets.shutdown(second, 2));
		this.sockets.listen(second, 1);
		assertErrno(Errno.ENOTCONN, () -> this.system.read(second, 1));
		this.system.exitAll();
	}

	@Test
	void shutdown_receivingSide_theOtherDirectionWorksOn() {
		int accepted = this.sockets.accept4(this.listener, 0);
		int client = this.system.open(FileKind.SOCKET);
		this.sockets.connect(client, this.port);
		this.sockets.shutdown(accepted, 0);
		assertThat(this.system.read(accepted, 9)).isEmpty();
		assertErrno(Errno.EPIPE, () -> this.system.write(client, "lost"));
		assertErrno(Errno.EAGAIN, () -> this.system.read(client, 9));
		assertThat(this.system.write(accepted, "hi")).isEqualTo(2);
		assertThat(this.system.read(client, 9)).isEqualTo("hi");
		this.system.exitAll();
	}

	@Test
	void shutdown_sendingSide_theOtherDirectionWorksOn() {
		int accepted = this.sockets.accept4(this.listener, 0);
		int client = this.system.open(FileKind.SOCKET);
		this.sockets.connect(client, this.port);
		this.sockets.shutdown(accepted, 1);
		assertThat(this.system.read(client, 9)).isEmpty();
		assertErrno(Errno.EPIPE, () -> this.system.write(accepted, "lost"));
		assertErrno(Errno.EAGAIN, () -> this.system.read(accepted, 9));
		assertThat(this.system.write(client, "hi")).isEqualTo(2);
		assertThat(this.system.read(accepted, 9)).isEqualTo("hi");
		this.system.exitAll();
	}

}
