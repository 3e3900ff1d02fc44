package io.fdtable.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Reads the output of strace, one line after another, and hands out the calls that matter
 * to descriptors.
 *
 * <p>
 * Takes what {@code -f}, {@code -ff}, {@code -t}, {@code -tt}, {@code -ttt}, {@code -r},
 * {@code -T}, {@code -y}, {@code -yy}, {@code -Y}, {@code -X}, {@code -s}, {@code -i},
 * {@code -n}, {@code -k} and {@code -e raw} make of a line, in a file or on a terminal. A
 * line that it cannot read is counted and never fatal. Memory is bounded: one line, and
 * what has been read of calls that are under way.
 */
final class StraceParser {

	/*
	 * Written by hand, over bytes. Strace has no grammar: what stands between the
	 * parentheses differs from call to call and from version to version, is cut by -s,
	 * decorated by -y, and interrupted by other processes. A generated parser would need
	 * every one of some 400 calls described. Here only the frame of a line is parsed
	 * (who, name, arguments at the top level, result) and, of the hundred calls that
	 * touch descriptors, the two or three arguments that matter. A line costs one pass
	 * over its bytes and no object; all other calls cost their name and a look at their
	 * end.
	 *
	 * A call that another process interrupts is printed in two parts. The first is kept
	 * until the second comes, and both are parsed as the one line that strace would have
	 * printed.
	 */

	/** How many lines that could not be read are kept for the report. */
	private static final int MAX_SAMPLES = 20;

	private static final int MAX_PENDING = 65_536;

	private static final int MAX_PENDING_BYTES = 16 << 20;

	private static final int MAX_ARGS = 8;

	private static final String UNFINISHED = "<unfinished ...>";

	private static final String DETACHED = "<detached ...>";

	private static final String RESUMED = " resumed>";

	private static final String PROCESS = "strace: Process ";

	private static final String ATTACHED = " attached";

	private final LineReader reader;

	private final ThreadNames threads = new ThreadNames();

	private final Map<Integer, Pending> pending = new HashMap<>();

	private long pendingBytes;

	private final Call call = new Call();

	/** Names of errors, so that a thousand ENOENT are one string. */
	private final Map<String, String> errnos = new HashMap<>();

	private byte[] b = new byte[0];

	private int end;

	private final int[] argFrom = new int[MAX_ARGS];

	private final int[] argTo = new int[MAX_ARGS];

	private int args;

	private byte[] joined = new byte[1 << 12];

	private byte @Nullable [] glued;

	private long gluedLine;

	private long lines;

	private long calls;

	private long ignored;

	private long unparsed;

	private final List<TraceReport.UnreadableLine> samples = new ArrayList<>();

	StraceParser(InputStream in) {
		this.reader = new LineReader(in);
	}

	/**
	 * The first part of a call that is under way.
	 */
	static final class Pending {

		final long line;

		final byte[] text;

		/** Where the event log holds the first part. */
		long offset;

		Pending(long line, byte[] text) {
			this.line = line;
			this.text = text;
		}

	}

	long lines() {
		return this.lines;
	}

	long bytes() {
		return this.reader.bytes();
	}

	/** Returns how many calls were read, those that touch no descriptor included. */
	long calls() {
		return this.calls;
	}

	/** Returns how many lines say nothing about descriptors. */
	long ignored() {
		return this.ignored;
	}

	long unparsed() {
		return this.unparsed;
	}

	List<TraceReport.UnreadableLine> samples() {
		return this.samples;
	}

	/**
	 * Returns the number of the process whose first lines carried none.
	 * @return 0 if no line tells
	 */
	int unnamedPid() {
		return this.threads.unnamedPid();
	}

	/**
	 * Remembers where the part that was returned last has been stored.
	 * @param offset its place in the event log
	 */
	void startedAt(long offset) {
		Pending started = this.pending.get(this.call.pid);
		if (started != null) {
			started.offset = offset;
		}
	}

	/**
	 * Reads on to the next call that matters.
	 * @return the call, the same object every time, or null at the end
	 */
	@Nullable Call next() throws IOException {
		while (this.reader.next()) {
			this.lines++;
			this.b = this.reader.line;
			this.end = this.reader.length;
			this.call.clear();
			this.call.line = this.lines;
			if (this.reader.isTooLong) {
				unreadable("longer than " + LineReader.MAX_LINE + " bytes");
			}
			else if (!isNote() && parseLine()) {
				return this.call;
			}
		}
		return null;
	}

	/**
	 * Deals with the messages that strace mixes into its output on a terminal: "strace:
	 * Process 7 attached" may follow the first half of a line, whose second half then
	 * stands on the next.
	 */
	private boolean isNote() {
		int note = noteAt();
		if (this.glued != null) {
			if (note == 0) {
				this.ignored++;
				return true;
			}
			glue(this.glued);
			this.glued = null;
			note = noteAt();
		}
		if (note < 0) {
			return false;
		}
		this.ignored++;
		if (note > 0) {
			this.glued = Arrays.copyOf(this.b, note);
			this.gluedLine = this.call.line;
		}
		return true;
	}

	private int noteAt() {
		if (startsWith(0, "strace: ")) {
			if (startsWith(0, PROCESS)) {
				this.threads.attached((int) number(PROCESS.length()));
			}
			return 0;
		}
		if (this.end < PROCESS.length() || this.b[this.end - 1] != 'd' || !endsWith(ATTACHED)) {
			return -1;
		}
		for (int i = this.end - ATTACHED.length(); i > 0; i--) {
			if (startsWith(i, PROCESS)) {
				this.threads.attached((int) number(i + PROCESS.length()));
				return i;
			}
		}
		return -1;
	}

	private void glue(byte[] head) {
		int length = Math.min(this.end, LineReader.MAX_LINE);
		byte[] whole = Arrays.copyOf(head, head.length + length);
		System.arraycopy(this.b, 0, whole, head.length, length);
		this.b = whole;
		this.end = whole.length;
		this.call.line = this.gluedLine;
	}

	// The frame of a line

	private boolean parseLine() {
		while (this.end > 0 && this.b[this.end - 1] == ' ') {
			this.end--;
		}
		if (this.end == 0 || startsWith(0, " > ") || isSection()) {
			this.ignored++;
			return false;
		}
		int at = skipSpaces(0);
		int printed = -1;
		if (startsWith(at, "[pid ")) {
			int digits = skipSpaces(at + 5);
			printed = (int) number(digits);
			at = indexOf((byte) ']', digits) + 1;
			if (at == 0) {
				return unreadable("no end of [pid");
			}
			this.threads.bracketed();
		}
		else if (isPidColumn(at)) {
			printed = (int) number(at);
			this.threads.column();
			at = skipDigits(at);
			at = (at < this.end && this.b[at] == '<') ? skipDecoration(at) : at;
		}
		return parseBody(skipStamps(at), printed);
	}

	/**
	 * Tells whether the line is one that head or tail puts before each of several files.
	 */
	private boolean isSection() {
		if (!startsWith(0, "==> ") || !endsWith(" <==")) {
			return false;
		}
		int dot = this.end - 5;
		while (dot > 0 && isDigit(this.b[dot])) {
			dot--;
		}
		this.threads.section((this.b[dot] == '.') ? (int) number(dot + 1) : -1);
		return true;
	}

	/** A number that is not the beginning of a time. */
	private boolean isPidColumn(int at) {
		int after = skipDigits(at);
		return after > at && after < this.end && (this.b[after] == ' ' || this.b[after] == '<');
	}

	/** Skips times, the pointer of -i and the number of -n. */
	private int skipStamps(int from) {
		int at = skipSpaces(from);
		while (at < this.end) {
			byte c = this.b[at];
			if (isDigit(c)) {
				while (at < this.end && this.b[at] != ' ') {
					at++;
				}
			}
			else if (c == '[') {
				at = indexOf((byte) ']', at) + 1;
			}
			else if (c == '(' && at + 1 < this.end && this.b[at + 1] == '+') {
				at = indexOf((byte) ')', at) + 1;
			}
			else {
				return at;
			}
			if (at == 0) {
				return this.end;
			}
			at = skipSpaces(at);
		}
		return at;
	}

	private boolean parseBody(int at, int printed) {
		if (startsWith(at, "<... ")) {
			return resumed(at + 5, printed);
		}
		if (startsWith(at, "+++ ")) {
			return ended(at, printed);
		}
		if (startsWith(at, "--- ")) {
			this.ignored++;
			return false;
		}
		int i = at;
		int hash = 0;
		while (i < this.end && isName(this.b[i])) {
			hash = CallType.hash(hash, this.b[i++]);
		}
		if (i == at || i >= this.end || this.b[i] != '(') {
			return unreadable("not a line of strace");
		}
		CallType type = CallType.find(this.b, at, i, hash);
		if (type == null) {
			return other();
		}
		int pid = this.threads.resolve(printed);
		if (endsWith(UNFINISHED) || endsWith(DETACHED)) {
			return unfinished(type, pid, at, i);
		}
		this.calls++;
		return parseCall(type, pid, i);
	}

	/** A call that touches no descriptor, if it is one. */
	private boolean other() {
		if (!endsWith("...>") && !hasResult()) {
			return unreadable("no result");
		}
		this.calls++;
		this.ignored++;
		return false;
	}

	private boolean hasResult() {
		for (int i = this.end - 2; i > 0; i--) {
			if (this.b[i] == '=' && this.b[i - 1] == ' ' && this.b[i + 1] == ' ') {
				return true;
			}
		}
		return false;
	}

	private boolean ended(int at, int printed) {
		this.call.pid = this.threads.resolve(printed);
		int by = indexOf("by execve in pid ", at);
		if (by >= 0) {
			this.call.type = CallType.SUPERSEDED;
			this.call.arg = number(by + 17);
			Pending theirs = this.pending.remove((int) this.call.arg);
			if (theirs != null) {
				this.pending.put(this.call.pid, theirs);
			}
		}
		else {
			this.call.type = CallType.ENDED;
			this.threads.ended(this.call.pid);
			forget(this.call.pid);
		}
		this.call.op = this.call.type.op();
		return true;
	}

	// Calls in two parts

	private boolean unfinished(CallType type, int pid, int at, int open) {
		int cut = this.end - (endsWith(UNFINISHED) ? UNFINISHED.length() : DETACHED.length());
		forget(pid);
		if (this.pending.size() >= MAX_PENDING || this.pendingBytes + cut - at > MAX_PENDING_BYTES) {
			return unreadable("too many calls under way");
		}
		this.pending.put(pid, new Pending(this.call.line, Arrays.copyOfRange(this.b, at, cut)));
		this.pendingBytes += cut - at;
		this.call.phase = Call.Phase.START;
		this.end = cut;
		splitArguments(open + 1);
		decode(type, pid);
		return true;
	}

	private void forget(int pid) {
		Pending old = this.pending.remove(pid);
		if (old != null) {
			this.pendingBytes -= old.text.length;
		}
	}

	private boolean resumed(int nameAt, int printed) {
		int after = indexOf(RESUMED, nameAt);
		if (after < 0) {
			return unreadable("no end of resumed");
		}
		int hash = 0;
		for (int i = nameAt; i < after; i++) {
			hash = CallType.hash(hash, this.b[i]);
		}
		CallType type = CallType.find(this.b, nameAt, after, hash);
		if (type == null) {
			return other();
		}
		int pid = this.threads.resolve(printed);
		this.calls++;
		Pending first = this.pending.get(pid);
		int open = after;
		if (first != null && nameIs(first.text, type)) {
			this.call.phase = Call.Phase.END;
			this.call.startLine = first.line;
			this.call.other = first.offset;
			join(first.text, after + RESUMED.length());
			open = type.name().length();
			forget(pid);
		}
		else {
			// The log begins in the middle of this call.
			join((type.name() + "(").getBytes(StandardCharsets.US_ASCII), after + RESUMED.length());
			open = type.name().length();
		}
		return parseCall(type, pid, open);
	}

	private static boolean nameIs(byte[] text, CallType type) {
		int length = type.name().length();
		return text.length > length && text[length] == '('
				&& type.name().equals(new String(text, 0, length, StandardCharsets.ISO_8859_1));
	}

	private void join(byte[] first, int from) {
		int length = first.length + this.end - from;
		if (this.joined.length < length) {
			this.joined = new byte[length + (length >> 1)];
		}
		System.arraycopy(first, 0, this.joined, 0, first.length);
		System.arraycopy(this.b, from, this.joined, first.length, this.end - from);
		this.b = this.joined;
		this.end = length;
	}

	// A whole call

	private boolean parseCall(CallType type, int pid, int open) {
		int close = splitArguments(open + 1);
		int at = (close < 0) ? this.end : skipSpaces(close + 1);
		if (at + 2 >= this.end || this.b[at] != '=') {
			this.calls--;
			forget(pid);
			return unreadable((close < 0) ? "arguments without an end" : "no result");
		}
		result(skipSpaces(at + 1));
		decode(type, pid);
		if (this.call.op == Op.EXIT_GROUP || this.call.op == Op.EXIT) {
			this.threads.ended(pid);
		}
		else if (this.call.op == Op.FORK && this.call.succeeded()) {
			this.threads.attached((int) this.call.ret);
		}
		return true;
	}

	private void result(int at) {
		if (this.b[at] == '?') {
			int name = skipSpaces(at + 1);
			this.call.errno = (name < this.end && this.b[name] == 'E') ? errno(name) : null;
			this.call.returned = this.call.errno != null;
			this.call.ret = -1;
			return;
		}
		this.call.returned = true;
		this.call.ret = number(at);
		if (this.call.ret == -1) {
			int i = skipSpaces(indexOf((byte) ' ', at));
			int numbered = indexOf("(errno ", at);
			if (i > 0 && i < this.end && this.b[i] == 'E') {
				this.call.errno = errno(i);
			}
			else if (numbered > 0) {
				this.call.errno = errnoOf((int) number(numbered + 7));
			}
			else {
				this.call.errno = "?";
			}
		}
	}

	private String errno(int at) {
		int to = at;
		while (to < this.end && isName(this.b[to])) {
			to++;
		}
		String name = new String(this.b, at, Math.min(to - at, 24), StandardCharsets.ISO_8859_1);
		String known = this.errnos.get(name);
		if (known == null) {
			known = (this.errnos.size() < 256) ? name : "?";
			this.errnos.put(known, known);
		}
		return known;
	}

	private static String errnoOf(int number) {
		for (io.fdtable.kernel.Errno errno : io.fdtable.kernel.Errno.values()) {
			if (errno.number() == number) {
				return errno.name();
			}
		}
		return "?";
	}

	/**
	 * Finds the arguments at the top level.
	 * @return where the closing parenthesis is, or -1 if there is none
	 */
	private int splitArguments(int from) {
		this.args = 0;
		int depth = 1;
		int start = from;
		for (int i = from; i < this.end; i++) {
			switch (this.b[i]) {
				case '"' -> i = skipString(i);
				case '<' -> i = isDecoration(i) ? skipDecoration(i) - 1 : i;
				case '/' -> i = startsWith(i, "/*") ? skipComment(i) : i;
				case '(', '[', '{' -> depth++;
				case ']', '}' -> depth--;
				case ')' -> {
					depth--;
					if (depth == 0) {
						argument(start, i);
						return i;
					}
				}
				case ',' -> {
					if (depth == 1) {
						argument(start, i);
						start = i + 1;
					}
				}
				default -> {
				}
			}
		}
		argument(start, this.end);
		return -1;
	}

	private void argument(int from, int to) {
		int start = skipSpaces(from);
		if (this.args < MAX_ARGS && start < to) {
			this.argFrom[this.args] = start;
			this.argTo[this.args] = to;
			this.args++;
		}
	}

	private int skipString(int quote) {
		int i = quote + 1;
		while (i < this.end && this.b[i] != '"') {
			i += (this.b[i] == '\\') ? 2 : 1;
		}
		return i;
	}

	private int skipComment(int at) {
		int to = indexOf("*/", at + 2);
		return (to < 0) ? this.end : to + 1;
	}

	/** What -y adds stands right after a number, a name or a comment. */
	private boolean isDecoration(int at) {
		byte before = (at > 0) ? this.b[at - 1] : (byte) ' ';
		return isName(before) || before == '/';
	}

	/** Returns where the text in angle brackets ends; arrows in it do not count. */
	private int skipDecoration(int at) {
		int depth = 0;
		for (int i = at; i < this.end; i++) {
			byte c = this.b[i];
			if (c == '"') {
				i = skipString(i);
			}
			else if (c == '<') {
				depth++;
			}
			else if (c == '>' && this.b[i - 1] != '-' && --depth == 0) {
				return startsWith(i + 1, "(deleted)") ? i + 10 : i + 1;
			}
		}
		return at + 1;
	}

	// What the arguments mean

	private void decode(CallType type, int pid) {
		Call c = this.call;
		c.type = type;
		c.op = type.op();
		c.pid = pid;
		if (type.fdArg() >= 0) {
			c.fd = descriptor(type.fdArg());
		}
		c.closeOnExec = type.cloexecBit() == -1
				|| (type.flagsArg() >= 0 && hasFlag(type.flagsArg(), "CLOEXEC", type.cloexecBit()));
		switch (c.op) {
			case OPEN, ALLOC -> decodeMaker(c);
			case PAIR -> decodePair(c);
			case RECEIVE -> decodeRights(c);
			case DUP2, DUP3, CLOSE_RANGE -> {
				c.arg = this.args > 1 ? number(this.argFrom[1]) : Call.NONE;
				if (c.op == Op.CLOSE_RANGE && hasFlag(2, "UNSHARE", 2)) {
					c.addFd(1);
				}
			}
			case USE -> decodeUse(c);
			case FORK -> decodeFork(c);
			case EXEC -> decodeExec(c);
			case UNSHARE -> c.arg = hasFlag(0, "CLONE_FILES", 0x400) ? 1 : 0;
			case LIMIT -> decodeLimit(c);
			case ADDRESS -> address(type.textArg());
			default -> {
			}
		}
	}

	private void decodeMaker(Call c) {
		switch (c.type.name()) {
			case "accept", "accept4" -> address(1);
			case "bpf" -> text(0);
			case "signalfd", "signalfd4" -> {
				// With a descriptor it only changes that one's mask.
				if (c.fd != Call.NONE && c.fd >= 0) {
					c.op = Op.USE;
				}
			}
			case "seccomp" -> c.op = hasFlag(1, "NEW_LISTENER", 8) ? Op.ALLOC : Op.USE;
			case "landlock_create_ruleset" -> c.op = hasFlag(2, "LANDLOCK_CREATE_RULESET", 3) ? Op.USE : Op.ALLOC;
			case "socket" -> {
				text(0);
				if (this.args > 1) {
					c.appendText((byte) ' ');
					for (int i = this.argFrom[1]; i < this.argTo[1] && this.b[i] != '|'; i++) {
						c.appendText(this.b[i]);
					}
				}
			}
			default -> {
				if (c.type.textArg() >= 0) {
					text(c.type.textArg());
				}
			}
		}
		if (c.type.name().equals("bpf") && !makesBpfDescriptor()) {
			c.op = Op.USE;
		}
	}

	private boolean makesBpfDescriptor() {
		return contains(0, "CREATE") || contains(0, "PROG_LOAD") || (contains(0, "OBJ_GET") && !contains(0, "INFO"))
				|| contains(0, "FD_BY_ID") || contains(0, "OPEN") || contains(0, "BTF_LOAD")
				|| contains(0, "ENABLE_STATS");
	}

	private void decodePair(Call c) {
		int arg = c.type.name().equals("socketpair") ? 3 : 0;
		if (this.args > arg && this.b[this.argFrom[arg]] == '[') {
			list(this.argFrom[arg] + 1, this.argTo[arg]);
		}
		if (arg == 3) {
			text(0);
		}
	}

	/** Reads the descriptors of every SCM_RIGHTS message. */
	private void decodeRights(Call c) {
		if (!c.succeeded() || this.args < 2) {
			return;
		}
		int to = this.argTo[1];
		int at = indexOf("cmsg_type=", this.argFrom[1]);
		while (at >= 0 && at < to) {
			boolean rights = startsWith(at + 10, "SCM_RIGHTS") || startsWith(at + 10, "0x1 ")
					|| startsWith(at + 10, "0x1,");
			int data = indexOf("cmsg_data=[", at);
			int next = indexOf("cmsg_type=", at + 10);
			if (rights && data >= 0 && (next < 0 || data < next)) {
				int before = c.fdCount;
				list(data + 11, to);
				c.fdTotal += Math.max(c.fdCount - before, lengthBefore(at));
			}
			at = next;
		}
	}

	/** A header takes 16 bytes and each descriptor 4. */
	private int lengthBefore(int type) {
		for (int i = type; i > this.argFrom[1]; i--) {
			if (startsWith(i, "cmsg_len=")) {
				return Math.clamp((number(i + 9) - 16) / 4, 0, 253);
			}
		}
		return 0;
	}

	private void list(int from, int to) {
		int i = from;
		while (i < to && this.b[i] != ']') {
			if (isDigit(this.b[i]) && !startsWith(i, "...")) {
				this.call.addFd((int) number(i));
				i = skipNumber(i);
				i = (i < to && this.b[i] == '<') ? skipDecoration(i) : i;
			}
			else {
				i++;
			}
		}
	}

	private void decodeUse(Call c) {
		if (this.args < 2) {
			return;
		}
		if (c.type.name().startsWith("fcntl")) {
			decodeFcntl(c);
		}
		else if (c.type.name().equals("ioctl")) {
			decodeIoctl(c);
		}
	}

	private void decodeFcntl(Call c) {
		int at = this.argFrom[1];
		long command = isDigit(this.b[at]) ? number(at) : -1;
		if (command == 1030 || is(1, "F_DUPFD_CLOEXEC")) {
			c.op = Op.DUP_FROM;
			c.closeOnExec = true;
			c.arg = (this.args > 2) ? number(this.argFrom[2]) : 0;
		}
		else if (command == 0 || is(1, "F_DUPFD")) {
			c.op = Op.DUP_FROM;
			c.arg = (this.args > 2) ? number(this.argFrom[2]) : 0;
		}
		else if (command == 1 || is(1, "F_GETFD")) {
			c.op = Op.GET_CLOEXEC;
		}
		else if (command == 2 || is(1, "F_SETFD")) {
			c.op = Op.SET_CLOEXEC;
			c.closeOnExec = hasFlag(2, "FD_CLOEXEC", 1);
		}
	}

	private void decodeIoctl(Call c) {
		int at = this.argFrom[1];
		long command = isDigit(this.b[at]) ? number(at) : -1;
		if (command == 0x5451 || is(1, "FIOCLEX")) {
			c.op = Op.SET_CLOEXEC;
			c.closeOnExec = true;
		}
		else if (command == 0x5450 || is(1, "FIONCLEX")) {
			c.op = Op.SET_CLOEXEC;
		}
		else if (command == 0x5441 || is(1, "TIOCGPTPEER")) {
			c.op = Op.ALLOC;
			c.closeOnExec = hasFlag(2, "CLOEXEC", 0x80000);
		}
		else if (contains(1, "KVM_CREATE_VM") || contains(1, "KVM_CREATE_VCPU") || contains(1, "NS_GET_USERNS")
				|| contains(1, "NS_GET_PARENT")) {
			c.op = Op.ALLOC;
			c.closeOnExec = true;
		}
		if (c.op == Op.ALLOC) {
			text(1);
		}
	}

	private void decodeFork(Call c) {
		int flags = 0;
		for (int i = 0; i < this.args; i++) {
			if (contains(i, "flags=")) {
				int at = indexOf("flags=", this.argFrom[i]) + 6;
				int to = at;
				while (to < this.argTo[i] && this.b[to] != ',' && this.b[to] != '}') {
					to++;
				}
				flags = cloneFlags(at, to);
				break;
			}
		}
		if (flags == 0 && c.type.name().equals("clone") && this.args > 0 && isDigit(this.b[this.argFrom[0]])) {
			flags = (int) number(this.argFrom[0]);
		}
		c.arg = flags;
		if ((flags & CLONE_PIDFD) != 0) {
			String field = c.type.name().equals("clone") ? "parent_tid=[" : "pidfd=[";
			int at = indexOf(field, this.argFrom[0]);
			if (at >= 0) {
				c.addFd((int) number(at + field.length()));
			}
		}
	}

	static final int CLONE_FILES = 0x400;

	static final int CLONE_PIDFD = 0x1000;

	static final int CLONE_THREAD = 0x10000;

	private int cloneFlags(int from, int to) {
		int flags = (int) numbers(from, to);
		flags |= contains(from, to, "CLONE_FILES") ? CLONE_FILES : 0;
		flags |= contains(from, to, "CLONE_PIDFD") ? CLONE_PIDFD : 0;
		flags |= contains(from, to, "CLONE_THREAD") ? CLONE_THREAD : 0;
		return flags;
	}

	/** The command as a shell would take it, or the path where the log cuts it short. */
	private void decodeExec(Call c) {
		int path = c.type.textArg();
		if (this.args <= path + 1 || this.b[this.argFrom[path + 1]] != '[') {
			text(path);
			return;
		}
		text(path);
		boolean first = true;
		for (int i = this.argFrom[path + 1]; i < this.argTo[path + 1] && c.textLength < 200; i++) {
			if (this.b[i] == '"') {
				int to = skipString(i);
				if (!first) {
					c.appendText((byte) ' ');
					for (int k = i + 1; k < to && c.textLength < 200; k++) {
						c.appendText(this.b[k]);
					}
				}
				first = false;
				i = to;
			}
		}
	}

	/** The new soft limit in arg and the hard one in the list; or the present ones. */
	private void decodeLimit(Call c) {
		boolean pair = c.type.name().equals("prlimit64");
		int resource = pair ? 1 : 0;
		boolean mine = !pair || this.args == 0 || number(this.argFrom[0]) == 0 || number(this.argFrom[0]) == c.pid;
		if (this.args <= resource || !mine || !(is(resource, "RLIMIT_NOFILE") || isNumber(resource, 7))) {
			c.op = Op.USE;
			return;
		}
		int set = c.type.name().equals("getrlimit") ? -1 : resource + 1;
		int get = pair ? 3 : (set < 0) ? 1 : -1;
		if (set >= 0 && set < this.args && this.b[this.argFrom[set]] == '{') {
			limits(c, set);
			c.closeOnExec = true;
		}
		else if (get >= 0 && get < this.args && this.b[this.argFrom[get]] == '{') {
			limits(c, get);
		}
		else {
			c.op = Op.USE;
		}
	}

	private void limits(Call c, int arg) {
		c.arg = limit(indexOf("rlim_cur=", this.argFrom[arg]) + 9);
		c.addFd((int) Math.min(limit(indexOf("rlim_max=", this.argFrom[arg]) + 9), Integer.MAX_VALUE));
	}

	private long limit(int at) {
		if (startsWith(at, "RLIM")) {
			return Long.MAX_VALUE;
		}
		long value = number(at);
		value = (value < 0) ? Long.MAX_VALUE : value;
		int after = skipNumber(at);
		return startsWith(after, "*1024") ? value * 1024 : value;
	}

	// Reading one argument

	private int descriptor(int arg) {
		if (arg >= this.args) {
			return Call.NONE;
		}
		int at = this.argFrom[arg];
		boolean number = isDigit(this.b[at]) || this.b[at] == '-';
		long value = number ? number(at) : Call.NONE;
		return (value == -100 || !number) ? Call.NONE : (int) value;
	}

	private boolean is(int arg, String name) {
		if (arg >= this.args) {
			return false;
		}
		return this.argTo[arg] - this.argFrom[arg] >= name.length() && containsWord(arg, name);
	}

	private boolean containsWord(int arg, String word) {
		int at = indexOf(word, this.argFrom[arg]);
		int after = at + word.length();
		return at >= 0 && after <= this.argTo[arg] && (after == this.end || !isName(this.b[after]));
	}

	private boolean isNumber(int arg, long value) {
		return arg < this.args && isDigit(this.b[this.argFrom[arg]]) && number(this.argFrom[arg]) == value;
	}

	private boolean hasFlag(int arg, String name, long bit) {
		return arg < this.args && (contains(arg, name) || (numbers(this.argFrom[arg], this.argTo[arg]) & bit) != 0);
	}

	private boolean contains(int arg, String word) {
		return arg < this.args && contains(this.argFrom[arg], this.argTo[arg], word);
	}

	private boolean contains(int from, int to, String word) {
		int at = indexOf(word, from);
		return at >= 0 && at + word.length() <= to;
	}

	/** Joins the numbers among names that are separated by bars. */
	private long numbers(int from, int to) {
		long flags = 0;
		int i = from;
		while (i < to) {
			if (isDigit(this.b[i]) && (i == from || this.b[i - 1] == '|')) {
				flags |= number(i);
			}
			i++;
		}
		return flags;
	}

	private void text(int arg) {
		if (arg < this.args) {
			int from = this.argFrom[arg];
			int to = this.argTo[arg];
			if (this.b[from] == '"') {
				this.call.setText(this.b, from + 1, Math.min(skipString(from), to));
			}
			else {
				this.call.setText(this.b, from, to);
			}
		}
	}

	/** A socket address as people write it; otherwise what the log has. */
	private void address(int arg) {
		if (arg >= this.args) {
			return;
		}
		int from = this.argFrom[arg];
		int to = this.argTo[arg];
		int port = indexOf("port=htons(", from);
		int host = indexOf("_addr(\"", from);
		host = (host < 0 || host > to) ? indexOf("inet_pton(AF_INET6, \"", from) : host;
		int path = indexOf("sun_path=", from);
		if (port >= 0 && port < to && host >= 0 && host < to) {
			int quote = indexOf((byte) '"', host);
			this.call.setText(this.b, quote + 1, skipString(quote));
			this.call.appendText((byte) ':');
			for (int i = port + 11; i < to && isDigit(this.b[i]); i++) {
				this.call.appendText(this.b[i]);
			}
		}
		else if (path >= 0 && path < to) {
			int quote = indexOf((byte) '"', path);
			if (quote >= 0 && quote < to) {
				this.call.setText(this.b, quote + 1, skipString(quote));
			}
		}
		else if (this.b[from] == '{') {
			this.call.setText(this.b, from, to);
		}
	}

	// Bytes

	private boolean unreadable(String why) {
		this.unparsed++;
		if (this.samples.size() < MAX_SAMPLES) {
			int length = Math.min(this.reader.length, 80);
			StringBuilder text = new StringBuilder();
			for (int i = 0; i < length; i++) {
				byte c = this.reader.line[i];
				text.append((c >= ' ' && c < 127) ? (char) c : '.');
			}
			this.samples.add(new TraceReport.UnreadableLine(this.call.line, why, text.toString()));
		}
		return false;
	}

	/** Reads a decimal, octal or hexadecimal number; 0 if there is none. */
	private long number(int at) {
		int i = at;
		boolean negative = i < this.end && i >= 0 && this.b[i] == '-';
		i += negative ? 1 : 0;
		long value = 0;
		if (startsWith(i, "0x")) {
			i += 2;
			for (int digit = digit(i, 16); digit >= 0; digit = digit(i, 16)) {
				value = (value << 4) | digit;
				i++;
			}
		}
		else {
			int base = (digit(i, 10) == 0 && digit(i + 1, 8) >= 0) ? 8 : 10;
			for (int digit = digit(i, base); digit >= 0; digit = digit(i, base)) {
				value = value * base + digit;
				i++;
			}
		}
		return negative ? -value : value;
	}

	private int digit(int at, int base) {
		return (at >= 0 && at < this.end) ? Character.digit(this.b[at], base) : -1;
	}

	private int skipNumber(int at) {
		int i = startsWith(at, "0x") ? at + 2 : at;
		int base = (i > at) ? 16 : 10;
		while (digit(i, base) >= 0) {
			i++;
		}
		return i;
	}

	private int skipDigits(int at) {
		int i = at;
		while (i < this.end && isDigit(this.b[i])) {
			i++;
		}
		return i;
	}

	private int skipSpaces(int at) {
		int i = at;
		while (i >= 0 && i < this.end && this.b[i] == ' ') {
			i++;
		}
		return i;
	}

	private int indexOf(byte value, int from) {
		for (int i = Math.max(from, 0); i < this.end; i++) {
			if (this.b[i] == value) {
				return i;
			}
		}
		return -1;
	}

	private int indexOf(String word, int from) {
		for (int i = Math.max(from, 0); i <= this.end - word.length(); i++) {
			if (this.b[i] == word.charAt(0) && startsWith(i, word)) {
				return i;
			}
		}
		return -1;
	}

	private boolean startsWith(int at, String word) {
		if (at < 0 || at + word.length() > this.end) {
			return false;
		}
		for (int i = 0; i < word.length(); i++) {
			if (this.b[at + i] != word.charAt(i)) {
				return false;
			}
		}
		return true;
	}

	private boolean endsWith(String word) {
		return startsWith(this.end - word.length(), word);
	}

	private static boolean isDigit(byte c) {
		return c >= '0' && c <= '9';
	}

	private static boolean isName(byte c) {
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
	}

}
