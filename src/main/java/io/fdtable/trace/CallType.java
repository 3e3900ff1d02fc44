package io.fdtable.trace;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A system call that matters to descriptors, and where its arguments stand.
 *
 * @param id its number, by which it is stored
 * @param name its name in a log
 * @param op what it does; fcntl and ioctl are told apart by their command later
 * @param fdArg which argument is the descriptor it works on, or -1
 * @param flagsArg which argument holds the flag for close-on-exec, or -1
 * @param cloexecBit the value of that flag, -1 if the descriptor is always close-on-exec
 * @param textArg which argument tells a reader what the descriptor is, or -1
 */
record CallType(int id, String name, Op op, int fdArg, int flagsArg, long cloexecBit, int textArg) {

	private static final long O_CLOEXEC = 0x80000;

	private static final Pattern WHITESPACE = Pattern.compile("\\s+");

	private static final List<CallType> ALL = new ArrayList<>();

	static final CallType ENDED = add("+++ exited", Op.ENDED, -1, -1, 0, -1);

	static final CallType SUPERSEDED = add("+++ superseded", Op.SUPERSEDED, -1, -1, 0, -1);

	private static final int SLOTS = 1024;

	private static final @Nullable CallType[] BY_HASH = new CallType[SLOTS];

	private static final byte[][] NAMES;

	static {
		makers();
		changers();
		for (String name : List.of(WHITESPACE.split("""
				read write pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 lseek _llseek llseek fstat
				fstat64 getdents getdents64 fadvise64 epoll_wait epoll_ctl epoll_pwait epoll_pwait2 setsockopt
				listen getsockname getpeername sendto recvfrom sendmsg sendmmsg send recv shutdown fsync
				fdatasync ftruncate ftruncate64 fchmod fchown fchdir flock fallocate sync_file_range readahead
				sendfile sendfile64 copy_file_range splice tee vmsplice fgetxattr fsetxattr flistxattr fremovexattr
				inotify_add_watch inotify_rm_watch timerfd_settime timerfd_gettime timerfd_settime64 fstatfs
				fstatfs64 syncfs fanotify_mark io_uring_enter io_uring_register setns finit_module
				pidfd_send_signal fsconfig mq_timedsend mq_timedreceive mq_notify mq_getsetattr""", 0))) {
			add(name, Op.USE, 0, -1, 0, -1);
		}
		NAMES = new byte[ALL.size()][];
		for (CallType type : ALL) {
			NAMES[type.id] = type.name.getBytes(StandardCharsets.US_ASCII);
			int slot = slot(hash(NAMES[type.id], 0, NAMES[type.id].length));
			while (BY_HASH[slot] != null) {
				slot = (slot + 1) & (SLOTS - 1);
			}
			BY_HASH[slot] = type;
		}
	}

	private static void makers() {
		add("open", Op.OPEN, -1, 1, O_CLOEXEC, 0);
		add("creat", Op.OPEN, -1, -1, 0, 0);
		add("openat", Op.OPEN, -1, 2, O_CLOEXEC, 1);
		add("openat2", Op.OPEN, -1, 2, O_CLOEXEC, 1);
		add("open_by_handle_at", Op.OPEN, -1, 2, O_CLOEXEC, -1);
		add("mq_open", Op.OPEN, -1, -1, -1, 0);
		add("accept", Op.OPEN, 0, -1, 0, 1);
		add("accept4", Op.OPEN, 0, 3, O_CLOEXEC, 1);
		add("socket", Op.ALLOC, -1, 1, O_CLOEXEC, 0);
		add("eventfd", Op.ALLOC, -1, -1, 0, -1);
		add("eventfd2", Op.ALLOC, -1, 1, O_CLOEXEC, -1);
		add("epoll_create", Op.ALLOC, -1, -1, 0, -1);
		add("epoll_create1", Op.ALLOC, -1, 0, O_CLOEXEC, -1);
		add("timerfd_create", Op.ALLOC, -1, 1, O_CLOEXEC, -1);
		add("timerfd", Op.ALLOC, -1, 1, O_CLOEXEC, -1);
		add("signalfd", Op.ALLOC, 0, -1, 0, -1);
		add("signalfd4", Op.ALLOC, 0, 3, O_CLOEXEC, -1);
		add("inotify_init", Op.ALLOC, -1, -1, 0, -1);
		add("inotify_init1", Op.ALLOC, -1, 0, O_CLOEXEC, -1);
		add("memfd_create", Op.ALLOC, -1, 1, 1, 0);
		add("memfd_secret", Op.ALLOC, -1, 0, O_CLOEXEC, -1);
		add("userfaultfd", Op.ALLOC, -1, 0, O_CLOEXEC, -1);
		add("perf_event_open", Op.ALLOC, -1, 4, 8, -1);
		add("bpf", Op.ALLOC, -1, -1, -1, 0);
		add("seccomp", Op.ALLOC, -1, -1, -1, 0);
		add("fanotify_init", Op.ALLOC, -1, 0, 1, -1);
		add("io_uring_setup", Op.ALLOC, -1, -1, -1, -1);
		add("pidfd_open", Op.ALLOC, -1, -1, -1, 0);
		add("pidfd_getfd", Op.ALLOC, 0, -1, -1, -1);
		add("fsopen", Op.ALLOC, -1, 1, 1, 0);
		add("fsmount", Op.ALLOC, 0, 1, 1, -1);
		add("fspick", Op.ALLOC, -1, 2, 1, 1);
		add("open_tree", Op.ALLOC, -1, 2, O_CLOEXEC, 1);
		add("landlock_create_ruleset", Op.ALLOC, -1, -1, -1, -1);
		add("pipe", Op.PAIR, -1, -1, 0, -1);
		add("pipe2", Op.PAIR, -1, 1, O_CLOEXEC, -1);
		add("socketpair", Op.PAIR, -1, 1, O_CLOEXEC, 0);
		add("getsockopt", Op.RECEIVE, 0, -1, 0, -1);
		add("recvmsg", Op.RECEIVE, 0, 2, 0x40000000, -1);
		add("recvmmsg", Op.RECEIVE, 0, 3, 0x40000000, -1);
		add("recvmmsg_time64", Op.RECEIVE, 0, 3, 0x40000000, -1);
		add("dup", Op.DUP, 0, -1, 0, -1);
	}

	private static void changers() {
		add("dup2", Op.DUP2, 0, -1, 0, -1);
		add("dup3", Op.DUP3, 0, 2, O_CLOEXEC, -1);
		add("close", Op.CLOSE, 0, -1, 0, -1);
		add("close_range", Op.CLOSE_RANGE, 0, 2, 4, -1);
		add("fcntl", Op.USE, 0, -1, 0, -1);
		add("fcntl64", Op.USE, 0, -1, 0, -1);
		add("ioctl", Op.USE, 0, -1, 0, 1);
		add("connect", Op.ADDRESS, 0, -1, 0, 1);
		add("bind", Op.ADDRESS, 0, -1, 0, 1);
		add("clone", Op.FORK, -1, -1, 0, -1);
		add("clone3", Op.FORK, -1, -1, 0, -1);
		add("fork", Op.FORK, -1, -1, 0, -1);
		add("vfork", Op.FORK, -1, -1, 0, -1);
		add("execve", Op.EXEC, -1, -1, 0, 0);
		add("execveat", Op.EXEC, -1, -1, 0, 1);
		add("exit", Op.EXIT, -1, -1, 0, -1);
		add("exit_group", Op.EXIT_GROUP, -1, -1, 0, -1);
		add("unshare", Op.UNSHARE, -1, -1, 0, -1);
		add("prlimit64", Op.LIMIT, -1, -1, 0, -1);
		add("setrlimit", Op.LIMIT, -1, -1, 0, -1);
		add("getrlimit", Op.LIMIT, -1, -1, 0, -1);
	}

	private static CallType add(String name, Op op, int fdArg, int flagsArg, long cloexecBit, int textArg) {
		CallType type = new CallType(ALL.size(), name, op, fdArg, flagsArg, cloexecBit, textArg);
		ALL.add(type);
		return type;
	}

	/**
	 * Finds the call of a name.
	 * @param line holds the name
	 * @param from where it begins
	 * @param to where it ends
	 * @param hash its {@link #hash(int, byte)}
	 * @return null for a call that touches no descriptor
	 */
	static @Nullable CallType find(byte[] line, int from, int to, int hash) {
		for (int slot = slot(hash);; slot = (slot + 1) & (SLOTS - 1)) {
			CallType type = BY_HASH[slot];
			if (type == null || Arrays.equals(line, from, to, NAMES[type.id], 0, NAMES[type.id].length)) {
				return type;
			}
		}
	}

	/** Returns every call that matters, by its id. */
	static List<CallType> all() {
		return Collections.unmodifiableList(ALL);
	}

	static CallType byId(int id) {
		return ALL.get(id);
	}

	static int hash(int hash, byte next) {
		return 31 * hash + next;
	}

	private static int hash(byte[] name, int from, int to) {
		int hash = 0;
		for (int i = from; i < to; i++) {
			hash = hash(hash, name[i]);
		}
		return hash;
	}

	private static int slot(int hash) {
		return (hash ^ (hash >>> 11)) & (SLOTS - 1);
	}

}
