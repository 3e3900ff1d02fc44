package io.fdtable.trace;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the reading of single lines: every shape that strace gives one, and lines that
 * are none.
 */
class StraceParserTest {

	@ParameterizedTest
	@CsvSource(delimiterString = "~~", quoteCharacter = '`',
			textBlock = """
					7 close(3)                          = 0 ~~ 7 close fd=3 ret=0
					7 14:02:11 close(3) = 0 ~~ 7 close fd=3 ret=0
					7 14:02:11.123456 close(3) = 0 <0.000012> ~~ 7 close fd=3 ret=0
					7 1796071335.123456 close(3) = 0 ~~ 7 close fd=3 ret=0
					7      0.000012 close(3) = 0 ~~ 7 close fd=3 ret=0
					7 14:02:11 (+     0.000012) close(3) = 0 ~~ 7 close fd=3 ret=0
					7<sh> close(3) = 0 ~~ 7 close fd=3 ret=0
					7 [   3] [00007f2cf19cfa07] close(3) = 0 ~~ 7 close fd=3 ret=0
					[pid     7] close(3) = 0 ~~ 7 close fd=3 ret=0
					[pid 7<sh>] close(3) = 0 ~~ 7 close fd=3 ret=0
					7 close(0x3) = 0x0 ~~ 7 close fd=3 ret=0
					7 close(3</tmp/a)b>) = 0 ~~ 7 close fd=3 ret=0
					7 close(3<TCP:[127.0.0.1:1->127.0.0.1:2]>) = 0 ~~ 7 close fd=3 ret=0
					7 close(0</dev/pts/0<char 136:0>>) = 0 ~~ 7 close fd=0 ret=0
					7 close(3</tmp/x>(deleted)) = 0 ~~ 7 close fd=3 ret=0
					7 close(4)                          = -1 EBADF (Bad file descriptor) ~~ 7 close fd=4 ret=-1 EBADF
					7 close(4) = -1 (errno 9) ~~ 7 close fd=4 ret=-1 EBADF
					7 openat(AT_FDCWD, "a, \\"b\\")", O_RDONLY|O_CLOEXEC) = 3</a> ~~ 7 openat ret=3 cloexec
					7 openat(-100 /* AT_FDCWD */</x>, "a", 0x80000 /* O_CLOEXEC */) = 3 ~~ 7 openat ret=3 cloexec
					7 openat(0xffffff9c, 0x7f5bbdfde0b1, 0x80000, 0) = 0x3 ~~ 7 openat ret=3 cloexec
					7 openat(AT_FDCWD, "a", O_WRONLY|O_CREAT, 0666) = 12 ~~ 7 openat ret=12
					7 openat2(AT_FDCWD, "a", {flags=O_CLOEXEC, resolve=0}, 24) = 3 ~~ 7 openat2 ret=3 cloexec
					7 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 3 ~~ 7 socket ret=3
					7 socket(0x2, 0x80001, 0x6) = 3 ~~ 7 socket ret=3 cloexec
					7 accept4(3, {sa_family=AF_UNIX}, [128 => 2], SOCK_CLOEXEC) = 5 ~~ 7 accept4 fd=3 ret=5 cloexec
					7 accept4(3, 0x7, [16], 0) = ? ERESTARTSYS (To be restarted) <0.9> ~~ 7 accept4 fd=3 ret=-1 ERESTARTSYS
					7 memfd_create("m", MFD_CLOEXEC) = 3 ~~ 7 memfd_create ret=3 cloexec
					7 perf_event_open({type=0}, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) = 3 ~~ 7 perf_event_open ret=3 cloexec
					7 io_uring_setup(8, {flags=0}) = 4 ~~ 7 io_uring_setup ret=4 cloexec
					7 pidfd_getfd(5, 3, 0) = 6 ~~ 7 pidfd_getfd fd=5 ret=6 cloexec
					7 signalfd4(-1, [INT], 8, SFD_CLOEXEC) = 5 ~~ 7 signalfd4 fd=-1 ret=5 cloexec
					7 dup2(3, 7)                        = 7 ~~ 7 dup2 fd=3 arg=7 ret=7
					7 dup3(3, 7, O_CLOEXEC) = 7 ~~ 7 dup3 fd=3 arg=7 ret=7 cloexec
					7 fcntl(0, F_DUPFD, 10)             = 11 ~~ 7 fcntl fd=0 arg=10 ret=11
					7 fcntl(3, F_DUPFD_CLOEXEC, 0) = 4 ~~ 7 fcntl fd=3 ret=4 cloexec
					7 fcntl64(3, 0x406, 0) = 4 ~~ 7 fcntl64 fd=3 ret=4 cloexec
					7 fcntl(11, F_SETFD, FD_CLOEXEC)    = 0 ~~ 7 fcntl fd=11 ret=0 cloexec
					7 fcntl(11, F_GETFD) = 0x1 (flags FD_CLOEXEC) ~~ 7 fcntl fd=11 ret=1
					7 ioctl(50, FIONCLEX)               = 0 ~~ 7 ioctl fd=50 ret=0
					7 ioctl(50, 0x5451) = 0 ~~ 7 ioctl fd=50 ret=0 cloexec
					7 pipe2([9, 11], O_CLOEXEC)         = 0 ~~ 7 pipe2 ret=0 cloexec [9, 11]
					7 pipe([6<pipe:[1]>, 7<pipe:[1]>]) = 0 ~~ 7 pipe ret=0 [6, 7]
					7 socketpair(AF_UNIX, SOCK_STREAM, 0, [7, 11]) = 0 ~~ 7 socketpair ret=0 [7, 11]
					7 close_range(3, 4294967295, CLOSE_RANGE_UNSHARE) = 0 ~~ 7 close_range fd=3 arg=4294967295 ret=0 [1]
					7 close_range(3, ~0U, 0x4) = 0 ~~ 7 close_range fd=3 arg=4294967295 ret=0 cloexec
					7 recvmsg(4, {msg_control=[{cmsg_len=24, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[12</a>, 13]}]}, MSG_CMSG_CLOEXEC) = 1 ~~ 7 recvmsg fd=4 ret=1 cloexec [12, 13]
					7 recvmsg(4, {msg_control=[{cmsg_len=28, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[12, ...]}, {cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_PIDFD, cmsg_data=[15<pid:9>]}]}, 0) = 1 ~~ 7 recvmsg fd=4 arg=8 ret=1 [12, -1, -1, 15]
					7 recvmsg(4, {msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=0x4 /* SCM_??? */}]}, 0) = 1 ~~ 7 recvmsg fd=4 arg=1 ret=1 [-1]
					7 recvmsg(4, {msg_control=[{cmsg_len=20, cmsg_level=0x1, cmsg_type=0x1, cmsg_data=[6]}, {cmsg_len=20, cmsg_level=0x1, cmsg_type=0x4}]}, 0) = 1 ~~ 7 recvmsg fd=4 arg=2 ret=1 [6, -1]
					7 recvmsg(4, {msg_control=[{cmsg_len=17, cmsg_level=0, cmsg_type=0x1, cmsg_data=[0x10]}, {cmsg_len=20, cmsg_level=0x29, cmsg_type=0x4}]}, 0) = 1 ~~ 7 recvmsg fd=4 ret=1
					7 recvmsg(4, {msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_PIDFD, cmsg_data=[-24]}]}, 0) = 1 ~~ 7 recvmsg fd=4 ret=1
					7 getsockopt(3, SOL_SOCKET, SO_PEERPIDFD, [5<pid:9>], [4]) = 0 ~~ 7 getsockopt fd=3 arg=1 ret=0 [5]
					7 getsockopt(3, 0x1 /* SOL_SOCKET */, 0x4d /* SO_??? */, [5], [4]) = 0 ~~ 7 getsockopt fd=3 arg=1 ret=0 [5]
					7 getsockopt(0x3, 0x1, 0x4d, 0x7ffd76b88770, 0x7ffd76b8876c) = 0 ~~ 7 getsockopt fd=3 arg=1 ret=0 [-1]
					7 getsockopt(3, SOL_SOCKET, SO_ERROR, [77], [4]) = 0 ~~ 7 getsockopt fd=3 ret=0
					7 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 8 ~~ 7 clone ret=8
					7 clone(0x1200411, 0, 0, 0x7f5b, 0) = 8 ~~ 7 clone arg=18875409 ret=8
					7 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD} => {parent_tid=[8]}, 88) = 8 ~~ 7 clone3 arg=66560 ret=8
					7 clone(child_stack=NULL, flags=CLONE_PIDFD|SIGCHLD, parent_tid=[4]) = 8 ~~ 7 clone arg=4096 ret=8 [4]
					7 prlimit64(0, RLIMIT_NOFILE, {rlim_cur=16, rlim_max=64}, NULL) = 0 ~~ 7 prlimit64 arg=16 ret=0 cloexec [64]
					7 setrlimit(RLIMIT_NOFILE, {rlim_cur=4*1024, rlim_max=4*1024}) = 0 ~~ 7 setrlimit arg=4096 ret=0 cloexec [4096]
					7 exit_group(0)                     = ? ~~ 7 exit_group ?
					7 futex(0x7f, FUTEX_WAIT, 2, NULL <unfinished ...>) = ? ~~ ignored
					7 --- SIGCHLD {si_signo=SIGCHLD, si_pid=8} --- ~~ ignored
					7 +++ exited with 0 +++ ~~ 7 +++ exited ?
					7 +++ killed by SIGSEGV (core dumped) +++ ~~ 7 +++ exited ?
					7 +++ superseded by execve in pid 9 +++ ~~ 7 +++ superseded arg=9 ?
					7 mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f7bcff0e000 ~~ ignored
					strace: Process 9 attached ~~ ignored
					7 close(3 ~~ unparsed
					7 openat(AT_FDCWD, "/etc/pass ~~ unparsed
					7 close(3) ~~ unparsed
					% time     seconds  usecs/call     calls    errors syscall ~~ unparsed
					7 mmap(NULL, 8192, PRO ~~ unparsed
					hello ~~ unparsed
					""")
	void reads_what_matters_of_a_line(String line, String expected) throws IOException {
		StraceParser parser = parser(line);
		Call call = parser.next();
		String actual = (call != null) ? describe(call) : (parser.unparsed() == 1) ? "unparsed" : "ignored";
		assertThat(actual).isEqualTo(expected);
		assertThat(parser.lines()).isOne();
	}

	@Test
	void ignores_the_stack_traces_of_k() throws IOException {
		StraceParser parser = parser(" > /usr/lib/libc.so.6(close+0x17) [0x20a07]");
		assertThat(parser.next()).isNull();
		assertThat(parser.ignored()).isOne();
	}

	@Test
	void joins_a_call_that_another_process_interrupts() throws IOException {
		assertThat(
				calls("""
						7 accept4(3,  <unfinished ...>
						8 close(4 <unfinished ...>
						7 <... accept4 resumed>{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, [16], SOCK_CLOEXEC) = 5
						8 <... close resumed>) = 0
						"""))
			.containsExactly("START 7 accept4 fd=3 ?", "START 8 close fd=4 ?",
					"END 7 accept4 fd=3 ret=5 cloexec 127.0.0.1:80", "END 8 close fd=4 ret=0");
	}

	@Test
	void reads_the_end_of_a_call_whose_beginning_the_log_lacks() throws IOException {
		assertThat(calls("7 <... openat resumed>) = 5\n")).containsExactly("7 openat ret=5");
	}

	@Test
	void joins_a_line_that_a_message_of_strace_broke_and_names_the_first_process() throws IOException {
		StraceParser parser = parser("""
				pipe2([3, 4], 0) = 0
				clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLDstrace: Process 9 attached
				, child_tidptr=0x7f0a4a16ca10) = 9
				[pid     9] close(3) = 0
				[pid     8] close(4) = 0
				[pid     9] +++ exited with 0 +++
				close(3) = 0
				""");
		assertThat(all(parser)).containsExactly("0 pipe2 ret=0 [3, 4]", "0 clone ret=9", "9 close fd=3 ret=0",
				"0 close fd=4 ret=0", "9 +++ exited ?", "0 close fd=3 ret=0");
		assertThat(parser.unnamedPid()).isEqualTo(8);
		assertThat(parser.unparsed()).isZero();
	}

	@Test
	void takes_the_process_from_the_name_of_a_file_of_its_own() throws IOException {
		assertThat(calls("==> log.41 <==\nclose(3) = 0\n\n==> log.42 <==\nclose(4) = 0\n"))
			.containsExactly("41 close fd=3 ret=0", "42 close fd=4 ret=0");
	}

	@Test
	void skips_a_line_longer_than_a_megabyte_without_keeping_it() throws IOException {
		StraceParser parser = parser("7 write(1, \"" + "x".repeat(3 << 20) + "\", 3145728) = 3145728\n7 close(3) = 0");
		assertThat(all(parser)).containsExactly("7 close fd=3 ret=0");
		assertThat(parser.samples()).singleElement()
			.satisfies((sample) -> assertThat(sample.reason()).isEqualTo("longer than 1048576 bytes"));
	}

	@Test
	void reads_a_line_of_half_a_megabyte() throws IOException {
		assertThat(calls("7 write(1, \"" + "\\377".repeat(1 << 17) + "\", 131072) = 131072\n"))
			.containsExactly("7 write fd=1 ret=131072");
	}

	@Test
	void survives_bytes_that_are_no_text() throws IOException {
		byte[] noise = new byte[1 << 20];
		int seed = 1;
		for (int i = 0; i < noise.length; i++) {
			seed = seed * 1103515245 + 12345;
			noise[i] = (byte) (seed >> 16);
		}
		StraceParser parser = new StraceParser(new ByteArrayInputStream(noise));
		assertThat(all(parser)).isEmpty();
		assertThat(parser.unparsed()).isEqualTo(parser.lines() - parser.ignored()).isGreaterThan(3000);
		assertThat(parser.samples()).hasSize(20);
	}

	@Test
	void survives_every_line_cut_anywhere() throws IOException {
		for (String line : Traces.text("rights.strace").lines().toList()) {
			for (int length = 0; length < line.length(); length += 7) {
				parser(line.substring(0, length)).next();
			}
		}
	}

	private static StraceParser parser(String text) {
		InputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
		return new StraceParser(in);
	}

	private static List<String> calls(String text) throws IOException {
		return all(parser(text));
	}

	private static List<String> all(StraceParser parser) throws IOException {
		List<String> calls = new ArrayList<>();
		Call call = parser.next();
		while (call != null) {
			boolean isWhole = call.phase == Call.Phase.COMPLETE;
			boolean isAddress = call.type.name().startsWith("accept") && call.textLength > 0;
			calls
				.add((isWhole ? "" : call.phase + " ") + describe(call) + (isAddress ? " " + call.textAsString() : ""));
			parser.startedAt(1);
			call = parser.next();
		}
		return calls;
	}

	private static String describe(Call call) {
		StringBuilder text = new StringBuilder();
		text.append(call.pid).append(' ').append(call.type.name());
		if (call.fd != Call.NONE) {
			text.append(" fd=").append(call.fd);
		}
		if (call.arg != 0) {
			text.append(" arg=").append(call.arg);
		}
		text.append(call.returned ? " ret=" + call.ret : " ?");
		text.append((call.errno != null) ? " " + call.errno : "");
		text.append(call.closeOnExec ? " cloexec" : "");
		if (call.fdCount > 0) {
			List<Integer> fds = new ArrayList<>();
			for (int i = 0; i < call.fdCount; i++) {
				fds.add(call.fds[i]);
			}
			text.append(' ').append(fds);
		}
		return text.toString();
	}

}
