package io.fdtable.trace;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

import io.fdtable.kernel.Errno;

/**
 * Reads what stands behind the equals sign: the number that a call returned, or the name
 * of its error.
 *
 * <p>
 * Tested by StraceParserTest, line by line.
 */
final class CallResult {

	private final StraceLine line;

	/** Names of errors, so that a thousand ENOENT are one string. */
	private final Map<String, String> errnos = new HashMap<>();

	CallResult(StraceLine line) {
		this.line = line;
	}

	void read(Call call, int at) {
		if (this.line.at(at) == '?') {
			int name = this.line.skipSpaces(at + 1);
			call.errno = (name < this.line.end && this.line.at(name) == 'E') ? errno(name) : null;
			call.returned = call.errno != null;
			call.ret = -1;
			return;
		}
		call.returned = true;
		call.ret = this.line.number(at);
		if (call.ret == -1) {
			int i = this.line.skipSpaces(this.line.indexOf((byte) ' ', at));
			int numbered = this.line.indexOf("(errno ", at);
			if (i > 0 && i < this.line.end && this.line.at(i) == 'E') {
				call.errno = errno(i);
			}
			else if (numbered > 0) {
				call.errno = errnoOf((int) this.line.number(numbered + 7));
			}
			else {
				call.errno = "?";
			}
		}
	}

	private String errno(int at) {
		int to = at;
		while (to < this.line.end && StraceLine.isName(this.line.at(to))) {
			to++;
		}
		String name = new String(this.line.bytes, at, Math.min(to - at, 24), StandardCharsets.ISO_8859_1);
		String known = this.errnos.get(name);
		if (known == null) {
			known = (this.errnos.size() < 256) ? name : "?";
			this.errnos.put(known, known);
		}
		return known;
	}

	private static String errnoOf(int number) {
		for (Errno errno : Errno.values()) {
			if (errno.number() == number) {
				return errno.name();
			}
		}
		return "?";
	}

}
