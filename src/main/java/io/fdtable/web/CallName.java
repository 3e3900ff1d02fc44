package io.fdtable.web;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import static io.fdtable.web.CallMember.ARG;
import static io.fdtable.web.CallMember.BACKLOG;
import static io.fdtable.web.CallMember.CALL;
import static io.fdtable.web.CallMember.CLOSE_ON_EXEC;
import static io.fdtable.web.CallMember.CMD;
import static io.fdtable.web.CallMember.COUNT;
import static io.fdtable.web.CallMember.DATA;
import static io.fdtable.web.CallMember.FD;
import static io.fdtable.web.CallMember.FDS;
import static io.fdtable.web.CallMember.FILE;
import static io.fdtable.web.CallMember.FIRST;
import static io.fdtable.web.CallMember.FLAGS;
import static io.fdtable.web.CallMember.FROM_PID;
import static io.fdtable.web.CallMember.HARD;
import static io.fdtable.web.CallMember.HOW;
import static io.fdtable.web.CallMember.KIND;
import static io.fdtable.web.CallMember.LABEL;
import static io.fdtable.web.CallMember.LAST;
import static io.fdtable.web.CallMember.MAX_FDS;
import static io.fdtable.web.CallMember.MIN_FD;
import static io.fdtable.web.CallMember.NEW_FD;
import static io.fdtable.web.CallMember.OFFSET;
import static io.fdtable.web.CallMember.OLD_FD;
import static io.fdtable.web.CallMember.PATH;
import static io.fdtable.web.CallMember.PID;
import static io.fdtable.web.CallMember.SHARE_FILES;
import static io.fdtable.web.CallMember.SOFT;
import static io.fdtable.web.CallMember.TO_PID;
import static io.fdtable.web.CallMember.WHENCE;
import static io.fdtable.web.CallMember.set;

/**
 * The calls of a batch, and which members each must and may have beside {@code call} and
 * {@code pid}.
 */
enum CallName {

	OPEN(0, set(PATH, KIND, FLAGS, LABEL)),

	CLOSE(set(FD), 0),

	CLOSE_RANGE(set(FIRST, LAST), set(FLAGS)),

	DUP(set(OLD_FD), 0),

	DUP2(set(OLD_FD, NEW_FD), 0),

	DUP3(set(OLD_FD, NEW_FD), set(FLAGS)),

	FCNTL(set(FD, CMD), set(ARG)),

	PIPE2(0, set(FLAGS)),

	FORK(0, set(SHARE_FILES, LABEL)),

	UNSHARE(0, 0),

	EXECVE(0, 0),

	EXIT(0, 0),

	RESERVE(0, set(MIN_FD, CLOSE_ON_EXEC)),

	INSTALL(set(FD), set(PATH, KIND, FLAGS, LABEL)),

	RELEASE(set(FD), 0),

	PIDFD_GETFD(set(FROM_PID, FD), 0),

	SENDMSG(set(TO_PID, FDS), 0),

	RECVMSG(set(MAX_FDS), set(CLOSE_ON_EXEC)),

	READ(set(FD, COUNT), 0),

	WRITE(set(FD, DATA), 0),

	LSEEK(set(FD, OFFSET, WHENCE), 0),

	PRLIMIT(set(SOFT, HARD), 0),

	LISTEN(set(FD), set(BACKLOG)),

	ACCEPT4(set(FD), set(FLAGS)),

	CONNECT(set(FD, FILE), 0),

	SHUTDOWN(set(FD, HOW), 0);

	private static final Map<String, CallName> BY_NAME = Arrays.stream(values())
		.collect(Collectors.toUnmodifiableMap(CallName::toString, Function.identity()));

	private final String text = name().toLowerCase(Locale.ROOT);

	private final int required;

	private final int allowed;

	CallName(int required, int optional) {
		this.required = required;
		this.allowed = required | optional | set(CALL, PID);
	}

	static @Nullable CallName of(String name) {
		return BY_NAME.get(name);
	}

	/** Returns the members that the call cannot do without. */
	int required() {
		return this.required;
	}

	/** Returns the members that the call may have. */
	int allowed() {
		return this.allowed;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
