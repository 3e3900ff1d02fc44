package io.fdtable.web;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.fdtable.kernel.FileKind;
import io.fdtable.syscall.Syscall;
import io.fdtable.web.problem.MalformedRequestException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;

/**
 * Reads the JSON object of one call straight into its {@link Syscall}, without a tree or
 * a map between.
 *
 * <p>
 * Strict: a member that is unknown, foreign to the call, given twice, missing or of the
 * wrong type makes the element malformed. A member that is null counts as left out. Holds
 * the members of one call at a time; for one thread.
 */
final class CallReader {

	private static final int MAX_PATH = 65536;

	private static final int MAX_LABEL = 256;

	private static final int MAX_FLAGS = 64;

	/** More than any message may hold, so that the model is asked (SCM_MAX_FD is 253). */
	private static final int MAX_FDS = 1024;

	private static final long MAX_UNSIGNED = 0xffff_ffffL;

	private @Nullable CallName name;

	private int pid;

	private @Nullable String path;

	private FileKind kind = FileKind.OPAQUE;

	private final List<String> flags = new ArrayList<>();

	private @Nullable String label;

	/** The members fd, first, oldFd and minFd: no call has two of them. */
	private int fd;

	/** The members last and newFd. */
	private int secondFd;

	/** The members fromPid, toPid, maxFds and backlog. */
	private int number;

	/** The members arg, count, offset, soft and file. */
	private long value;

	private long hard;

	/** The members cmd, whence and how, as a name. */
	private String choice = "";

	/** The members shareFiles and closeOnExec. */
	private boolean option;

	private int[] fds = {};

	private byte[] data = {};

	/**
	 * Reads a call.
	 * @param parser a parser whose current token is the first of the element
	 * @return the call, or what is wrong; the parser is then somewhere inside the element
	 * @throws StreamReadException if it is not JSON, after which nothing more can be read
	 */
	BatchItem read(JsonParser parser) {
		if (parser.currentToken() != JsonToken.START_OBJECT) {
			return new BatchItem.Malformed("", "is not an object");
		}
		try {
			clear();
			int given = readMembers(parser);
			return new BatchItem.Call(toSyscall(checked(given)), this.pid);
		}
		catch (MalformedRequestException ex) {
			return new BatchItem.Malformed(ex.pointer(), String.valueOf(ex.getMessage()));
		}
	}

	private void clear() {
		this.name = null;
		this.pid = 0;
		this.path = null;
		this.kind = FileKind.OPAQUE;
		this.flags.clear();
		this.label = null;
		this.fd = 0;
		this.number = SocketController.SOMAXCONN;
		this.value = 0;
		this.option = false;
	}

	private int readMembers(JsonParser parser) {
		int seen = 0;
		int given = 0;
		while (next(parser) != JsonToken.END_OBJECT) {
			String text = parser.currentName();
			CallMember member = CallMember.of(text);
			if (member == null) {
				throw new MalformedRequestException("/" + text.replace("~", "~0").replace("/", "~1"),
						"is not a member of any call");
			}
			if ((seen & member.bit()) != 0) {
				throw malformed(member, "is given twice");
			}
			seen |= member.bit();
			if (next(parser) != JsonToken.VALUE_NULL) {
				given |= member.bit();
				readValue(parser, member);
			}
		}
		return given;
	}

	private static JsonToken next(JsonParser parser) {
		JsonToken token = parser.nextToken();
		if (token == null || token == JsonToken.NOT_AVAILABLE) {
			throw new MalformedRequestException("", "ends before its object does");
		}
		return token;
	}

	private void readValue(JsonParser parser, CallMember member) {
		switch (member) {
			case CALL -> this.name = name(text(parser, member, MAX_LABEL));
			case PID -> this.pid = (int) integer(parser, member, 1, Integer.MAX_VALUE);
			case PATH -> this.path = text(parser, member, MAX_PATH);
			case KIND -> this.kind = kind(text(parser, member, MAX_LABEL));
			case FLAGS -> readFlags(parser);
			case LABEL -> this.label = text(parser, member, MAX_LABEL);
			case FD, FIRST, OLD_FD, MIN_FD -> this.fd = descriptor(parser, member);
			case LAST, NEW_FD -> this.secondFd = descriptor(parser, member);
			case FROM_PID, TO_PID, MAX_FDS, BACKLOG ->
				this.number = (int) integer(parser, member, Integer.MIN_VALUE, Integer.MAX_VALUE);
			case OFFSET -> this.value = offset(parser);
			case ARG, COUNT, SOFT -> this.value = integer(parser, member, Long.MIN_VALUE, Long.MAX_VALUE);
			case HARD -> this.hard = integer(parser, member, Long.MIN_VALUE, Long.MAX_VALUE);
			case FILE -> this.value = new SocketController.ConnectRequest(text(parser, member, MAX_LABEL)).number();
			case CMD, WHENCE, HOW -> this.choice = text(parser, member, MAX_LABEL);
			case SHARE_FILES, CLOSE_ON_EXEC -> this.option = truth(parser, member);
			case FDS -> this.fds = descriptors(parser);
			case DATA -> this.data = bytes(text(parser, member, Integer.MAX_VALUE));
		}
	}

	private static String text(JsonParser parser, CallMember member, int maxLength) {
		if (parser.currentToken() != JsonToken.VALUE_STRING) {
			throw malformed(member, "must be a string");
		}
		String text = parser.getString();
		if (text.length() > maxLength) {
			throw malformed(member, "is longer than " + maxLength);
		}
		return text;
	}

	private static long integer(JsonParser parser, CallMember member, long min, long max) {
		if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
			throw malformed(member, "must be an integer");
		}
		try {
			long integer = parser.getLongValue();
			if (integer >= min && integer <= max) {
				return integer;
			}
		}
		catch (InputCoercionException ex) {
			// Not even 64 bits: refused like one that is out of its own range.
		}
		throw malformed(member, "must be " + min + " to " + max);
	}

	private static int descriptor(JsonParser parser, CallMember member) {
		return (int) integer(parser, member, Integer.MIN_VALUE, MAX_UNSIGNED);
	}

	/** Reads a 64-bit number that clients without such numbers send as a string. */
	private static long offset(JsonParser parser) {
		if (parser.currentToken() != JsonToken.VALUE_STRING) {
			return integer(parser, CallMember.OFFSET, Long.MIN_VALUE, Long.MAX_VALUE);
		}
		try {
			return Int64.of(text(parser, CallMember.OFFSET, MAX_LABEL)).value();
		}
		catch (IllegalArgumentException ex) {
			throw malformed(CallMember.OFFSET, "must be a 64-bit integer");
		}
	}

	private static boolean truth(JsonParser parser, CallMember member) {
		return switch (parser.currentToken()) {
			case VALUE_TRUE -> true;
			case VALUE_FALSE -> false;
			default -> throw malformed(member, "must be true or false");
		};
	}

	private static CallName name(String text) {
		CallName name = CallName.of(text);
		if (name == null) {
			throw malformed(CallMember.CALL, "'" + text + "' is none of " + Arrays.toString(CallName.values()));
		}
		return name;
	}

	private static FileKind kind(String text) {
		for (FileKind kind : FileKind.values()) {
			if (kind.name().equals(text)) {
				return kind;
			}
		}
		throw malformed(CallMember.KIND, "is none of " + Arrays.toString(FileKind.values()));
	}

	private static byte[] bytes(String text) {
		try {
			return Base64Bytes.of(text).bytes();
		}
		catch (IllegalArgumentException ex) {
			throw malformed(CallMember.DATA, String.valueOf(ex.getMessage()));
		}
	}

	private void readFlags(JsonParser parser) {
		requireArray(parser, CallMember.FLAGS);
		while (next(parser) != JsonToken.END_ARRAY) {
			if (this.flags.size() == MAX_FLAGS) {
				throw malformed(CallMember.FLAGS, "has more than " + MAX_FLAGS + " elements");
			}
			if (parser.currentToken() != JsonToken.VALUE_STRING) {
				throw new MalformedRequestException("/flags/" + this.flags.size(), "must be a string");
			}
			this.flags.add(parser.getString());
		}
	}

	private static int[] descriptors(JsonParser parser) {
		requireArray(parser, CallMember.FDS);
		int[] fds = new int[8];
		int size = 0;
		while (next(parser) != JsonToken.END_ARRAY) {
			if (size == MAX_FDS) {
				throw malformed(CallMember.FDS, "has more than " + MAX_FDS + " elements");
			}
			if (size == fds.length) {
				fds = Arrays.copyOf(fds, 2 * size);
			}
			try {
				fds[size] = descriptor(parser, CallMember.FDS);
			}
			catch (MalformedRequestException ex) {
				throw new MalformedRequestException(ex.pointer() + "/" + size, String.valueOf(ex.getMessage()));
			}
			size++;
		}
		return Arrays.copyOf(fds, size);
	}

	private static void requireArray(JsonParser parser, CallMember member) {
		if (parser.currentToken() != JsonToken.START_ARRAY) {
			throw malformed(member, "must be an array");
		}
	}

	private CallName checked(int given) {
		CallName call = this.name;
		if (call == null) {
			throw malformed(CallMember.CALL, "is missing");
		}
		int foreign = given & ~call.allowed();
		if (foreign != 0) {
			throw malformed(CallMember.lowest(foreign), "is not a member of " + call);
		}
		int missing = call.required() & ~given;
		if (missing != 0) {
			throw malformed(CallMember.lowest(missing), "is missing");
		}
		return call;
	}

	private Syscall toSyscall(CallName call) {
		return switch (call) {
			case OPEN -> new Syscall.Open(this.path, this.kind, openFlags(), this.label);
			case CLOSE -> new Syscall.Close(this.fd);
			case CLOSE_RANGE -> new Syscall.CloseRange(this.fd, this.secondFd, CNames.closeRangeFlags(this.flags));
			case DUP -> new Syscall.Dup(this.fd);
			case DUP2 -> new Syscall.Dup2(this.fd, this.secondFd);
			case DUP3 -> new Syscall.Dup3(this.fd, this.secondFd, openFlags());
			case FCNTL -> new Syscall.Fcntl(this.fd, CNames.fcntlCommand(this.choice), this.value);
			case PIPE2 -> new Syscall.Pipe2(openFlags());
			case FORK -> new Syscall.Fork(this.option, this.label);
			case UNSHARE -> new Syscall.Unshare();
			case EXECVE -> new Syscall.Execve();
			case EXIT -> new Syscall.Exit();
			case RESERVE -> new Syscall.Reserve(this.fd, this.option);
			case INSTALL -> new Syscall.Install(this.fd, 0, this.path, this.kind, openFlags(), this.label);
			case RELEASE -> new Syscall.Release(this.fd, 0);
			case PIDFD_GETFD -> new Syscall.PidfdGetfd(this.number, this.fd);
			case SENDMSG -> new Syscall.Sendmsg(this.number, this.fds);
			case RECVMSG -> new Syscall.Recvmsg(this.number, this.option);
			case READ -> new Syscall.Read(this.fd, this.value);
			case WRITE -> new Syscall.Write(this.fd, this.data);
			case LSEEK -> new Syscall.Lseek(this.fd, this.value, CNames.whence(this.choice));
			case PRLIMIT -> new Syscall.Prlimit(this.value, this.hard);
			case LISTEN -> new Syscall.Listen(this.fd, this.number);
			case ACCEPT4 -> new Syscall.Accept4(this.fd, openFlags());
			case CONNECT -> new Syscall.Connect(this.fd, this.value);
			case SHUTDOWN -> new Syscall.Shutdown(this.fd, CNames.shutdown(this.choice));
		};
	}

	private int openFlags() {
		return CNames.openFlags(this.flags);
	}

	private static MalformedRequestException malformed(CallMember member, String detail) {
		return new MalformedRequestException(member.pointer(), detail);
	}

}
