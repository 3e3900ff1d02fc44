package io.fdtable.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
 *
 * <p>
 * Tested by StraceParserTest; measured by StraceParserBenchmark.
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

	private static final String UNFINISHED = "<unfinished ...>";

	private static final String DETACHED = "<detached ...>";

	private static final String RESUMED = " resumed>";

	private final LineReader reader;

	private final StraceLine line = new StraceLine();

	private final ThreadNames threads = new ThreadNames();

	private final StraceMessages messages = new StraceMessages(this.line, this.threads);

	private final LinePrefix prefix = new LinePrefix(this.line, this.threads);

	private final UnfinishedCalls unfinished = new UnfinishedCalls();

	private final StraceArguments args = new StraceArguments(this.line);

	private final CallResult result = new CallResult(this.line);

	private final CallDecoder decoder = new CallDecoder(this.line, this.args);

	private final Call call = new Call();

	private long lines;

	private long calls;

	private long ignored;

	private long unparsed;

	private final List<TraceReport.UnreadableLine> samples = new ArrayList<>();

	StraceParser(InputStream in) {
		this.reader = new LineReader(in);
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
	 * @param offset its place in the call log
	 */
	void startedAt(long offset) {
		UnfinishedCalls.Pending started = this.unfinished.get(this.call.pid);
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
			this.line.set(this.reader.line, this.reader.length);
			this.call.clear();
			this.call.line = this.lines;
			if (this.reader.isTooLong) {
				unreadable("longer than " + LineReader.MAX_LINE + " bytes");
			}
			else if (this.messages.take(this.call)) {
				this.ignored++;
			}
			else if (parseLine()) {
				return this.call;
			}
		}
		return null;
	}

	private boolean parseLine() {
		while (this.line.end > 0 && this.line.at(this.line.end - 1) == ' ') {
			this.line.end--;
		}
		if (this.line.end == 0 || this.line.startsWith(0, " > ") || this.prefix.isSection()) {
			this.ignored++;
			return false;
		}
		int at = this.prefix.read();
		if (at < 0) {
			return unreadable("no end of [pid");
		}
		return parseBody(at, this.prefix.pid());
	}

	private boolean parseBody(int at, int printed) {
		if (this.line.startsWith(at, "<... ")) {
			return resumed(at + 5, printed);
		}
		if (this.line.startsWith(at, "+++ ")) {
			return ended(at, printed);
		}
		if (this.line.startsWith(at, "--- ")) {
			this.ignored++;
			return false;
		}
		int i = at;
		int hash = 0;
		while (i < this.line.end && StraceLine.isName(this.line.at(i))) {
			hash = CallType.hash(hash, this.line.at(i++));
		}
		if (i == at || i >= this.line.end || this.line.at(i) != '(') {
			return unreadable("not a line of strace");
		}
		CallType type = CallType.find(this.line.bytes, at, i, hash);
		if (type == null) {
			return other();
		}
		int pid = this.threads.resolve(printed);
		if (this.line.endsWith(UNFINISHED) || this.line.endsWith(DETACHED)) {
			return unfinished(type, pid, at, i);
		}
		this.calls++;
		return parseCall(type, pid, i);
	}

	/** A call that touches no descriptor, if it is one. */
	private boolean other() {
		if (!this.line.endsWith("...>") && !this.line.hasResult()) {
			return unreadable("no result");
		}
		// The first part of a call that is interrupted is none of its own.
		this.calls += this.line.endsWith("...>") ? 0 : 1;
		this.ignored++;
		return false;
	}

	private boolean ended(int at, int printed) {
		this.call.pid = this.threads.resolve(printed);
		int by = this.line.indexOf("by execve in pid ", at);
		if (by >= 0) {
			this.call.type = CallType.SUPERSEDED;
			this.call.arg = this.line.number(by + 17);
			this.unfinished.handOver((int) this.call.arg, this.call.pid);
		}
		else {
			this.call.type = CallType.ENDED;
			this.threads.ended(this.call.pid);
			this.unfinished.forget(this.call.pid);
		}
		this.call.op = this.call.type.op();
		return true;
	}

	private boolean unfinished(CallType type, int pid, int at, int open) {
		int cut = this.line.end - (this.line.endsWith(UNFINISHED) ? UNFINISHED.length() : DETACHED.length());
		this.unfinished.forget(pid);
		if (!this.unfinished.hasRoom(cut - at)) {
			return unreadable("too many calls under way");
		}
		this.unfinished.put(pid, this.call.line, Arrays.copyOfRange(this.line.bytes, at, cut));
		this.call.phase = Call.Phase.START;
		this.line.end = cut;
		this.args.split(open + 1);
		this.decoder.decode(this.call, type, pid);
		return true;
	}

	private boolean resumed(int nameAt, int printed) {
		int after = this.line.indexOf(RESUMED, nameAt);
		if (after < 0) {
			return unreadable("no end of resumed");
		}
		int hash = 0;
		for (int i = nameAt; i < after; i++) {
			hash = CallType.hash(hash, this.line.at(i));
		}
		CallType type = CallType.find(this.line.bytes, nameAt, after, hash);
		if (type == null) {
			return other();
		}
		int pid = this.threads.resolve(printed);
		this.calls++;
		UnfinishedCalls.Pending first = this.unfinished.get(pid);
		int open = after;
		if (first != null && nameIs(first.text, type)) {
			this.call.phase = Call.Phase.END;
			this.call.startLine = first.line;
			this.call.other = first.offset;
			this.line.join(first.text, after + RESUMED.length());
			open = type.name().length();
			this.unfinished.forget(pid);
		}
		else {
			// The log begins in the middle of this call.
			this.line.join((type.name() + "(").getBytes(StandardCharsets.US_ASCII), after + RESUMED.length());
			open = type.name().length();
		}
		return parseCall(type, pid, open);
	}

	private static boolean nameIs(byte[] text, CallType type) {
		int length = type.name().length();
		return text.length > length && text[length] == '('
				&& type.name().equals(new String(text, 0, length, StandardCharsets.ISO_8859_1));
	}

	private boolean parseCall(CallType type, int pid, int open) {
		int close = this.args.split(open + 1);
		int at = (close < 0) ? this.line.end : this.line.skipSpaces(close + 1);
		if (at + 2 >= this.line.end || this.line.at(at) != '=') {
			this.calls--;
			this.unfinished.forget(pid);
			return unreadable((close < 0) ? "arguments without an end" : "no result");
		}
		this.result.read(this.call, this.line.skipSpaces(at + 1));
		this.decoder.decode(this.call, type, pid);
		if (this.call.op == Op.EXIT_GROUP || this.call.op == Op.EXIT) {
			this.threads.ended(pid);
		}
		else if (this.call.op == Op.FORK && this.call.succeeded()) {
			this.threads.attached((int) this.call.ret);
		}
		return true;
	}

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

}
