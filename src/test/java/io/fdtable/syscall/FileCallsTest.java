package io.fdtable.syscall;

import io.fdtable.kernel.AcceptOutcome;
import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.kernel.ProcessTree;
import io.fdtable.kernel.Seek;
import io.fdtable.kernel.Sysctl;
import io.fdtable.kernel.Task;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that each call on files, reservations and sockets reaches the model through the
 * interpreter, with what it returns in C and what else there is to know.
 */
class FileCallsTest {

	private final Sysctl sysctl = Sysctl.unbounded();

	private final ProcessTree tree = new ProcessTree(this.sysctl);

	private final Task task = this.tree.init(1024, 4096, false, Allocator.WORD_FIRST);

	private final SyscallInterpreter interpreter = new SyscallInterpreter();

	private SyscallResult run(Syscall call) {
		return this.interpreter.interpret(this.task, call);
	}

	private int open(FileKind kind) {
		return (int) run(new Syscall.Open(null, kind, OpenFlags.O_RDWR, null)).ret();
	}

	private static FdEntry entry(SyscallResult result) {
		return ((SyscallResult.Descriptor) result).entry();
	}

	@Test
	void reserveInstallRelease_generationIsTheFence() {
		FdEntry reserved = entry(run(new Syscall.Reserve(5, true)));
		assertThat(reserved.fd()).isEqualTo(5);
		assertThat(reserved.isReserved()).isTrue();
		long generation = reserved.generation();
		assertThat(run(install(5, generation + 1)).errno()).isEqualTo(Errno.ESTALE);
		SyscallResult.Installed installed = (SyscallResult.Installed) run(install(5, generation));
		assertThat(installed.ret()).isZero();
		assertThat(installed.entry().closeOnExec()).isTrue();
		assertThat(installed.entry().isReserved()).isFalse();
		assertThat(run(new Syscall.Release(5, generation)).errno()).isEqualTo(Errno.EBUSY);
		assertThat(run(new Syscall.Release(9, 0)).errno()).isEqualTo(Errno.EBADF);
		assertThat(run(new Syscall.Reserve(0, false)).ret()).isZero();
		assertThat(run(new Syscall.Release(0, 0))).isEqualTo(new SyscallResult.Value(0));
	}

	private static Syscall install(int fd, long generation) {
		return new Syscall.Install(fd, generation, null, FileKind.OPAQUE, OpenFlags.O_RDWR, null);
	}

	@Test
	void readWriteLseekPipe2_values() {
		int fd = open(FileKind.REGULAR);
		assertThat(run(new Syscall.Write(fd, new byte[] { 1, 2, 3 }))).isEqualTo(new SyscallResult.Value(3));
		assertThat(run(new Syscall.Lseek(fd, 1, Seek.SEEK_SET))).isEqualTo(new SyscallResult.Value(1));
		SyscallResult.Data data = (SyscallResult.Data) run(new Syscall.Read(fd, Long.MAX_VALUE));
		assertThat(data.ret()).isEqualTo(2);
		assertThat(data.bytes()).containsExactly(2, 3);
		SyscallResult.Pipe pipe = (SyscallResult.Pipe) run(new Syscall.Pipe2(OpenFlags.O_CLOEXEC));
		assertThat(pipe.ret()).isZero();
		assertThat(pipe.read().fd()).isEqualTo(1);
		assertThat(pipe.write().fd()).isEqualTo(2);
		assertThat(pipe.write().closeOnExec()).isTrue();
		assertThat(run(new Syscall.Read(1, 1)).errno()).isEqualTo(Errno.EAGAIN);
		assertThat(run(new Syscall.Pipe2(1)).errno()).isEqualTo(Errno.EINVAL);
	}

	@Test
	void pidfdGetfdSendmsgRecvmsg_withinTheTree() {
		int fd = open(FileKind.REGULAR);
		Task child = this.task.fork(false);
		FdEntry got = entry(this.interpreter.interpret(child, new Syscall.PidfdGetfd(1, fd)));
		assertThat(got.fd()).isEqualTo(1);
		assertThat(got.closeOnExec()).isTrue();
		assertThat(run(new Syscall.Sendmsg(2, new int[] { fd, fd }))).isEqualTo(new SyscallResult.Value(0));
		SyscallResult.Received received = (SyscallResult.Received) this.interpreter.interpret(child,
				new Syscall.Recvmsg(1, false));
		assertThat(received.ret()).isEqualTo(1);
		assertThat(received.truncated()).isTrue();
		assertThat(received.entries()).extracting(FdEntry::fd).containsExactly(2);
		assertThat(run(new Syscall.Recvmsg(1, false)).errno()).isEqualTo(Errno.EAGAIN);
		run(new Syscall.Exit());
		this.interpreter.interpret(child, new Syscall.Exit());
		assertThat(this.sysctl.files()).isZero();
		assertThat(this.sysctl.memory()).isZero();
	}

	@Test
	void sockets_pendingAcceptAndHowItEnds() {
		FdEntry listener = entry(run(new Syscall.Open(null, FileKind.SOCKET, 0, null)));
		assertThat(listener.file()).isNotNull();
		long port = listener.file().id();
		assertThat(run(new Syscall.Listen(0, 5))).isEqualTo(new SyscallResult.Value(0));
		FdEntry accept = entry(run(new Syscall.Accept4(0, 0)));
		assertThat(accept.isReserved()).isTrue();
		FdEntry other = entry(run(new Syscall.Accept4(0, OpenFlags.O_CLOEXEC)));
		int client = open(FileKind.SOCKET);
		SyscallResult.Woke woke = (SyscallResult.Woke) run(new Syscall.Connect(client, port));
		assertThat(woke.ret()).isZero();
		assertThat(woke.ended()).containsExactly(new AcceptOutcome(1, accept.fd(), accept.generation(), null));
		assertThat(((SyscallResult.Woke) run(new Syscall.Shutdown(0, 2))).ended())
			.containsExactly(new AcceptOutcome(1, other.fd(), other.generation(), Errno.EINVAL));
		assertThat(run(new Syscall.Connect(open(FileKind.SOCKET), port)).errno()).isEqualTo(Errno.ECONNREFUSED);
	}

}
