package io.fdtable.conformance;

import java.util.Locale;

/** What a task can be told to do, with the names of the arguments. */
enum Op {

	/** Opens one of the {@linkplain Symbols#KINDS kinds}. */
	OPEN("kind", "flags"),

	CLOSE("fd"),

	CLOSE_RANGE("first", "last", "flags"),

	DUP("fd"),

	DUP2("old", "new"),

	DUP3("old", "new", "flags"),

	FCNTL("fd", "cmd", "arg"),

	/** Makes a child with the given number; shared is 1 for CLONE_FILES. */
	FORK("shared", "child"),

	UNSHARE,

	EXEC,

	EXIT,

	PRLIMIT("soft", "hard"),

	/** Reserves the lowest number, and has the task wait until install or release. */
	RESERVE("cloexec"),

	/** Lets the waiting task install a FIFO. */
	INSTALL,

	/** Makes the waiting task give the number back. */
	RELEASE,

	/** Makes a pipe; answers both ends. */
	PIPE("flags"),

	/** Reads; answers how many bytes and their sum. */
	READ("fd", "count"),

	/** Writes the alphabet over and over. */
	WRITE("fd", "count"),

	LSEEK("fd", "offset", "whence"),

	/** Duplicates a descriptor of another task, like pidfd_getfd. */
	GETFD("from", "fd"),

	/** Sends every step-th descriptor to a task in one message with SCM_RIGHTS. */
	SEND("to", "first", "count", "step"),

	/** Receives the oldest message; answers the descriptors. */
	RECEIVE("room", "cloexec"),

	/** Lists the table: runs of descriptors of one file, and which file it is. */
	DUMP,

	/** Duplicates so many times; answers how many succeeded, the last, the errno. */
	FILL("fd", "count"),

	/** Closes every step-th number; answers how many succeeded. */
	CLOSE_EVERY("first", "last", "step");

	private final int arity;

	Op(String... parameters) {
		this.arity = parameters.length;
	}

	int arity() {
		return this.arity;
	}

	String text() {
		return name().toLowerCase(Locale.ROOT);
	}

	/** Tells whether the kernel's side needs free slots that the call does not take. */
	boolean needsRoom() {
		return this == GETFD || this == SEND || this == RECEIVE;
	}

	boolean endsWaiting() {
		return this == INSTALL || this == RELEASE;
	}

}
