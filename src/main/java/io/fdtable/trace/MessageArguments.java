package io.fdtable.trace;

/**
 * Reads the descriptors that come with a message or from an option of a socket:
 * SCM_RIGHTS, SCM_PIDFD and SO_PEERPIDFD.
 *
 * <p>
 * Tested by StraceParserTest, line by line.
 */
final class MessageArguments {

	private static final String TYPE = "cmsg_type=";

	private static final String DATA = "cmsg_data=";

	/** How much of a message stands before its type at most, in bytes. */
	private static final int MAX_HEADER = 128;

	private final StraceLine line;

	private final StraceArguments args;

	private final DescriptorText text;

	MessageArguments(StraceLine line, StraceArguments args, DescriptorText text) {
		this.line = line;
		this.args = args;
		this.text = text;
	}

	/** Reads the numbers of the new descriptors, and which of them are pidfds. */
	void read(Call c) {
		if (c.type.name().equals("getsockopt")) {
			option(c);
		}
		else if (c.succeeded() && this.args.count() > 1) {
			messages(c);
		}
	}

	/** Only SO_PEERPIDFD of SOL_SOCKET makes a descriptor. */
	private void option(Call c) {
		boolean isPidfd = (this.args.is(1, "SOL_SOCKET") || this.args.isNumber(1, 1))
				&& (this.args.is(2, "SO_PEERPIDFD") || this.args.isNumber(2, 77));
		if (!isPidfd) {
			c.op = Op.USE;
		}
		else if (c.succeeded()) {
			pidfd(c, (this.args.count() > 3) ? this.args.from(3) : this.line.end);
			this.text.plain(c, 2);
		}
	}

	/** Reads the descriptors of every message. */
	private void messages(Call c) {
		int to = this.args.to(1);
		int at = this.line.indexOf(TYPE, this.args.from(1));
		while (at >= 0 && at < to) {
			int next = this.line.indexOf(TYPE, at + 1);
			int end = (next < 0) ? to : Math.min(next, to);
			// Other levels have other types of the same numbers.
			if (isOfSocket(at)) {
				message(c, at, end);
			}
			at = next;
		}
	}

	private void message(Call c, int at, int end) {
		int type = at + TYPE.length();
		int data = type;
		while (data < end && !this.line.startsWith(data, DATA)) {
			data++;
		}
		data += DATA.length();
		if (isType(type, "SCM_RIGHTS", 1)) {
			int before = c.fdCount;
			this.args.addDescriptors(c, data, end);
			for (int i = c.fdCount - before; i < lengthBefore(at); i++) {
				c.addFd(Call.UNTOLD);
			}
		}
		else if (isType(type, "SCM_PIDFD", 4)) {
			pidfd(c, (data < end) ? data : end);
		}
	}

	/** Adds a pidfd that is named at a place, or not, as older versions of strace do. */
	private void pidfd(Call c, int at) {
		int number = this.line.startsWith(at, "[") ? at + 1 : at;
		if (this.line.startsWith(number, "-")) {
			// No descriptor: the kernel puts the error in its place.
			return;
		}
		long fd = this.line.hasDigit(number) ? this.line.number(number) : Call.UNTOLD;
		c.addPidfd(Call.isDescriptor(fd) ? (int) fd : Call.UNTOLD);
	}

	private boolean isType(int at, String name, long value) {
		return this.line.startsWith(at, name) || (this.line.hasDigit(at) && this.line.number(at) == value);
	}

	private boolean isOfSocket(int type) {
		int level = fieldBefore(type, "cmsg_level=");
		return level < 0 || isType(level, "SOL_SOCKET", 1);
	}

	/** A header takes 16 bytes and each descriptor 4. */
	private int lengthBefore(int type) {
		int length = fieldBefore(type, "cmsg_len=");
		return (length < 0) ? 0 : Math.clamp((this.line.number(length) - 16) / 4, 0, 253);
	}

	/** Returns where the value of a field begins in the same header, or -1. */
	private int fieldBefore(int type, String name) {
		int from = Math.max(type - MAX_HEADER, this.args.from(1));
		for (int i = type; i > from && this.line.at(i) != '{'; i--) {
			if (this.line.startsWith(i, name)) {
				return i + name.length();
			}
		}
		return -1;
	}

}
