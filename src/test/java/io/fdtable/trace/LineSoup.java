package io.fdtable.trace;

import java.util.List;
import java.util.Random;

/**
 * Logs that no strace ever wrote, from the grammar of one: every call that is known, with
 * arguments left out, out of place, garbled or far too large, ended without having begun,
 * begun twice, by processes that exist or do not. The same seed gives the same log.
 */
final class LineSoup {

	/** What an argument may be, whether or not the call can make sense of it. */
	private static final List<String> ARGUMENTS = List.of("", "0", "1", "3", "4", "5", "6", "7", "11", "-1", "-2",
			"-100", "AT_FDCWD", "NULL", "?", "0x", "0x5", "~0U", "4294967295", "2147483647", "-2147483648",
			"99999999999999999999", "\"a\"", "\"a\\\"", "\"", "[3, 4]", "[3", "[", "]", "[]", "[3<pipe:[1]>, 4",
			"3</tmp/x>", "3<TCP:[127.0.0.1:1->127.0.0.1:2]", "5</a>(deleted)", "O_RDONLY|O_CLOEXEC", "0x80000",
			"F_DUPFD", "F_DUPFD_CLOEXEC", "F_SETFD", "F_GETFD", "FD_CLOEXEC", "1030", "FIOCLEX", "FIONCLEX",
			"TIOCGPTPEER", "CLOSE_RANGE_UNSHARE", "CLOSE_RANGE_CLOEXEC", "flags=CLONE_VM|CLONE_FILES|CLONE_THREAD",
			"flags=CLONE_FILES", "flags=CLONE_PIDFD|SIGCHLD", "flags=", "parent_tid=[5]", "parent_tid=[",
			"child_stack=NULL", "CLONE_FILES", "{flags=CLONE_VM|CLONE_FILES|CLONE_PIDFD, pidfd=[6]", "RLIMIT_NOFILE",
			"{rlim_cur=16, rlim_max=64}", "{rlim_cur=4*1024", "{rlim_cur=", "{rlim_cur=RLIM64_INFINITY, rlim_max=-1}",
			"{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}", "{sa_family=AF_INET, sin_p",
			"{sun_path=\"", "[\"sh\", \"-c\"]", "BPF_MAP_CREATE", "SECCOMP_SET_MODE_FILTER",
			"SECCOMP_FILTER_FLAG_NEW_LISTENER",
			"{msg_control=[{cmsg_len=24, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[8, 9]}]}",
			"{msg_control=[{cmsg_len=4000000000, cmsg_type=SCM_RIGHTS, cmsg_data=[8",
			"{msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS}]}", "cmsg_type=", "<unfinished");

	/** What stands behind the arguments. */
	private static final List<String> RESULTS = List.of(") = 0", ") = 0", ") = 3", ") = 4", ") = 5", ") = 6", ") = 7",
			") = 8", ") = 9", ") = 11", ") = -1 EBADF (Bad file descriptor)", ") = -1 EMFILE (Too many open files)",
			") = -1 ENOENT (No such file or directory)", ") = -1 EINPROGRESS (x)", ") = -1", ") = -1 (errno 9)",
			") = ? ERESTARTSYS (To be restarted)", ") = ?", ") =", ") = ", ") = x", ") = 0x3", ") = -3",
			") = 4294967295", ") = 99999999999999999999", ")", "", " <unfinished ...>", " <unfinished ...>",
			" <unfinished ...>) = ?", " <detached ...>");

	/** Lines that are whole, so that there are tables and threads to get wrong. */
	private static final List<String> WHOLE = List.of("openat(AT_FDCWD, \"a\", O_RDONLY) = %d",
			"openat(AT_FDCWD, \"a\", O_RDONLY|O_CLOEXEC <unfinished ...>", "<... openat resumed>) = %d",
			"close(%d) = 0", "close(%d <unfinished ...>", "<... close resumed>) = 0", "dup2(3, %d) = %1$d",
			"<... dup2 resumed>) = %d", "<... dup3 resumed>) = %d", "<... close_range resumed>) = 0",
			"clone(child_stack=0x1, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = %d",
			"clone(child_stack=0x1, flags=CLONE_FILES|SIGCHLD) = %d",
			"clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>", "<... clone resumed>) = %d", "fork() = %d",
			"vfork( <unfinished ...>", "<... vfork resumed>) = %d", "execve(\"/bin/a\", [\"a\"], 0x1) = 0",
			"execve(\"/bin/a\", [\"a\"], 0x1 <unfinished ...>", "<... execve resumed>) = 0", "unshare(CLONE_FILES) = 0",
			"close_range(3, 4294967295, 0) = 0", "close_range(%d, 5, CLOSE_RANGE_UNSHARE) = 0",
			"fcntl(%d, F_DUPFD, 3) = 10", "pipe2([%d, 7], 0) = 0", "accept4(3, NULL, NULL, 0 <unfinished ...>",
			"<... accept4 resumed>) = %d", "exit(0) = ?", "exit_group(0) = ?", "exit_group(0 <unfinished ...>",
			"+++ exited with 0 +++", "+++ superseded by execve in pid %d +++", "+++ killed by SIGKILL +++",
			"+++ superseded by execve in pid", "--- SIGCHLD {si_signo=SIGCHLD} ---", "futex(0x7f, 0 <unfinished ...>",
			"<... futex resumed>) = 0", "<... resumed>) = 0", "<... close", "mmap(NULL, 1, 2, 3, %d, 0) = 0x7f",
			"strace: Process %d attached", "close(%dstrace: Process 9 attached", "==> log.%d <==", "");

	private final Random random;

	/** Numbers that make a table wide, once in a log that has them at all. */
	private final boolean isWide;

	private LineSoup(long seed) {
		this.random = new Random(seed);
		this.isWide = this.random.nextInt(8) == 0;
	}

	/**
	 * Makes a log.
	 * @param seed decides what is in it
	 * @param lines how many lines it has
	 */
	static String of(long seed, int lines) {
		LineSoup soup = new LineSoup(seed);
		StringBuilder log = new StringBuilder();
		for (int i = 0; i < lines; i++) {
			log.append(soup.line()).append('\n');
		}
		return log.toString();
	}

	private String line() {
		String line = prefix() + (this.random.nextInt(3) == 0 ? whole() : call());
		return switch (this.random.nextInt(20)) {
			case 0 -> line.substring(0, this.random.nextInt(line.length() + 1));
			case 1 -> garbled(line);
			default -> line;
		};
	}

	private String prefix() {
		return switch (this.random.nextInt(60)) {
			case 0 -> "[pid     " + pid() + "] ";
			case 1 -> "99999999999 ";
			case 2 -> "-1 ";
			case 3 -> "";
			case 4 -> "[pid ";
			default -> pid() + " ";
		};
	}

	private int pid() {
		return 3 + this.random.nextInt(8);
	}

	private String whole() {
		int number = (this.isWide && this.random.nextInt(200) == 0) ? 1 << (10 + this.random.nextInt(22))
				: this.random.nextInt(13);
		return pick(WHOLE).formatted(number);
	}

	private String call() {
		String name = pick(CallType.all()).name();
		StringBuilder call = new StringBuilder();
		boolean isResumed = this.random.nextInt(4) == 0;
		call.append(isResumed ? "<... " + name + " resumed>" : name + "(");
		int arguments = this.random.nextInt(isResumed ? 3 : 6);
		for (int i = 0; i < arguments; i++) {
			call.append((i > 0) ? ", " : "").append(pick(ARGUMENTS));
		}
		return call.append(pick(RESULTS)).toString();
	}

	private String garbled(String line) {
		if (line.isEmpty()) {
			return line;
		}
		int at = this.random.nextInt(line.length());
		char wrong = (char) this.random.nextInt(256);
		return line.substring(0, at) + ((wrong != '\n') ? wrong : '\0') + line.substring(at + 1);
	}

	private <T> T pick(List<T> list) {
		return list.get(this.random.nextInt(list.size()));
	}

}
