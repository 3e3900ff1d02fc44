package io.fdtable.syscall;

import java.util.List;
import java.util.stream.Stream;

import io.fdtable.kernel.FileKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Guards that calls and results are values: each has the name that Linux gives it, and
 * those that hold an array compare by what is in it.
 */
class SyscallTest {

	static Stream<Arguments> name_eachCall_isThatOfLinux() {
		return Stream.of(arguments(new Syscall.Open("/a", FileKind.REGULAR, 0, null), "openat"),
				arguments(new Syscall.Open(null, FileKind.SOCKET, 0, null), "socket"),
				arguments(new Syscall.Open(null, FileKind.EVENTFD, 0, null), "eventfd2"),
				arguments(new Syscall.Close(1), "close"), arguments(new Syscall.CloseRange(1, 2, 0), "close_range"),
				arguments(new Syscall.Dup(1), "dup"), arguments(new Syscall.Dup2(1, 2), "dup2"),
				arguments(new Syscall.Dup3(1, 2, 0), "dup3"), arguments(new Syscall.Fcntl(1, 2, 3), "fcntl"),
				arguments(new Syscall.Fork(true, null), "clone"), arguments(new Syscall.Unshare(), "unshare"),
				arguments(new Syscall.Execve(), "execve"), arguments(new Syscall.Exit(), "exit_group"),
				arguments(new Syscall.Prlimit(1, 2), "prlimit64"), arguments(new Syscall.Reserve(0, true), "reserve"),
				arguments(new Syscall.Install(1, 0, null, FileKind.REGULAR, 0, null), "install"),
				arguments(new Syscall.Release(1, 0), "release"), arguments(new Syscall.Pipe2(0), "pipe2"),
				arguments(new Syscall.PidfdGetfd(1, 2), "pidfd_getfd"),
				arguments(new Syscall.Sendmsg(1, new int[] { 2 }), "sendmsg"),
				arguments(new Syscall.Recvmsg(1, true), "recvmsg"), arguments(new Syscall.Read(1, 2), "read"),
				arguments(new Syscall.Write(1, new byte[] { 2 }), "write"),
				arguments(new Syscall.Lseek(1, 2, 0), "lseek"), arguments(new Syscall.Listen(1, 2), "listen"),
				arguments(new Syscall.Accept4(1, 0), "accept4"), arguments(new Syscall.Connect(1, 2), "connect"),
				arguments(new Syscall.Shutdown(1, 0), "shutdown"));
	}

	@ParameterizedTest
	@MethodSource
	void name_eachCall_isThatOfLinux(Syscall call, String name) {
		assertThat(call.name()).isEqualTo(name);
	}

	@Test
	void equals_sendmsg_comparesTheNumbers() {
		Syscall call = new Syscall.Sendmsg(1, new int[] { 2, 3 });
		assertValue(call, new Syscall.Sendmsg(1, new int[] { 2, 3 }),
				List.of(new Syscall.Sendmsg(4, new int[] { 2, 3 }), new Syscall.Sendmsg(1, new int[] { 2, 4 }),
						new Syscall.Close(1)));
		assertThat(call).hasSameHashCodeAs(31 + (31 * (31 + 2) + 3));
	}

	@Test
	void equals_write_comparesTheBytes() {
		Syscall call = new Syscall.Write(1, new byte[] { 2, 3 });
		assertValue(call, new Syscall.Write(1, new byte[] { 2, 3 }), List.of(new Syscall.Write(4, new byte[] { 2, 3 }),
				new Syscall.Write(1, new byte[] { 2, 4 }), new Syscall.Close(1)));
		assertThat(call).hasSameHashCodeAs(31 + (31 * (31 + 2) + 3));
	}

	@Test
	void equals_data_comparesTheBytes() {
		SyscallResult data = new SyscallResult.Data(new byte[] { 2, 3 });
		assertValue(data, new SyscallResult.Data(new byte[] { 2, 3 }),
				List.of(new SyscallResult.Data(new byte[] { 2 }), new SyscallResult.Value(2)));
		assertThat(data).hasSameHashCodeAs(31 * (31 + 2) + 3);
	}

	@Test
	void equals_executed_comparesTheNumbersAndWhetherUnshared() {
		SyscallResult executed = new SyscallResult.Executed(new int[] { 2 }, true);
		assertValue(executed, new SyscallResult.Executed(new int[] { 2 }, true),
				List.of(new SyscallResult.Executed(new int[] { 3 }, true),
						new SyscallResult.Executed(new int[] { 2 }, false), new SyscallResult.Value(0)));
		assertThat(executed).hasSameHashCodeAs(31 * (31 + 2) + Boolean.hashCode(true));
	}

	private static void assertValue(Object value, Object same, List<?> others) {
		assertThat(value).isEqualTo(same).hasSameHashCodeAs(same);
		assertThat(others).allSatisfy((other) -> assertThat(value).isNotEqualTo(other));
	}

}
