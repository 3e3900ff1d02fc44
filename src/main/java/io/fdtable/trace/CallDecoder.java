package io.fdtable.trace;

/**
 * Reads, of each of the hundred calls that touch descriptors, the two or three arguments
 * that matter.
 *
 * <p>
 * Tested by StraceParserTest, line by line.
 */
final class CallDecoder {

	private static final long UINT_MAX = 0xFFFF_FFFFL;

	private final StraceLine line;

	private final StraceArguments args;

	private final DescriptorText text;

	private final CloneArguments clone;

	private final LimitArguments limit;

	private final MessageArguments message;

	CallDecoder(StraceLine line, StraceArguments args) {
		this.line = line;
		this.args = args;
		this.text = new DescriptorText(line, args);
		this.clone = new CloneArguments(line, args);
		this.limit = new LimitArguments(line, args);
		this.message = new MessageArguments(line, args, this.text);
	}

	/** Sets what a call is and what its arguments say. */
	void decode(Call c, CallType type, int pid) {
		c.type = type;
		c.op = type.op();
		c.pid = pid;
		if (type.fdArg() >= 0) {
			c.fd = this.args.descriptor(type.fdArg());
		}
		c.closeOnExec = type.cloexecBit() == -1
				|| (type.flagsArg() >= 0 && this.args.hasFlag(type.flagsArg(), "CLOEXEC", type.cloexecBit()));
		switch (c.op) {
			case OPEN, ALLOC -> decodeMaker(c);
			case PAIR -> decodePair(c);
			case RECEIVE -> this.message.read(c);
			case DUP2, DUP3, CLOSE_RANGE -> {
				c.arg = this.args.count() > 1 ? unsigned(this.args.from(1)) : Call.NONE;
				if (c.op == Op.CLOSE_RANGE && this.args.hasFlag(2, "UNSHARE", 2)) {
					c.addFd(1);
				}
			}
			case USE -> decodeUse(c);
			case FORK -> this.clone.read(c);
			case EXEC -> this.text.command(c);
			case UNSHARE -> c.arg = this.args.hasFlag(0, "CLONE_FILES", CloneArguments.CLONE_FILES) ? 1 : 0;
			case LIMIT -> this.limit.read(c);
			case ADDRESS -> this.text.address(c, type.textArg());
			default -> {
			}
		}
		if (!isPossible(c)) {
			// Of such a call nothing can be said but that somebody made it.
			c.op = Op.USE;
			c.fd = Call.NONE;
			c.fdCount = 0;
		}
	}

	/**
	 * Tells whether the log names the numbers that the call must have had to get its
	 * answer. It does not where a line is garbled, or where the log begins in the middle
	 * of a call; nobody further on has to ask again.
	 */
	private boolean isPossible(Call c) {
		if (!c.succeeded()) {
			return c.op != Op.CLOSE_RANGE || this.args.count() > 1;
		}
		return switch (c.op) {
			case OPEN, ALLOC, DUP -> Call.isDescriptor(c.ret);
			case DUP_FROM -> Call.isDescriptor(c.ret) && Call.isDescriptor(c.arg);
			case DUP2, DUP3 -> Call.isDescriptor(c.fd) && Call.isDescriptor(c.arg);
			case CLOSE -> Call.isDescriptor(c.fd);
			case CLOSE_RANGE -> this.args.count() > 1 && (c.fd & UINT_MAX) <= (c.arg & UINT_MAX);
			case FORK -> c.ret > 0 && Call.isDescriptor(c.ret);
			default -> true;
		};
	}

	/** The highest number may be printed as the complement of none. */
	private long unsigned(int at) {
		return this.line.startsWith(at, "~0U") ? UINT_MAX : this.line.number(at);
	}

	private void decodeMaker(Call c) {
		switch (c.type.name()) {
			case "accept", "accept4" -> this.text.address(c, 1);
			case "bpf" -> this.text.plain(c, 0);
			case "signalfd", "signalfd4" -> {
				// With a descriptor it only changes that one's mask.
				if (c.fd != Call.NONE && c.fd >= 0) {
					c.op = Op.USE;
				}
			}
			case "seccomp" -> c.op = this.args.hasFlag(1, "NEW_LISTENER", 8) ? Op.ALLOC : Op.USE;
			case "landlock_create_ruleset" ->
				c.op = this.args.hasFlag(2, "LANDLOCK_CREATE_RULESET", 3) ? Op.USE : Op.ALLOC;
			case "socket" -> this.text.socket(c);
			default -> {
				if (c.type.textArg() >= 0) {
					this.text.plain(c, c.type.textArg());
				}
			}
		}
		if (c.type.name().equals("bpf") && !makesBpfDescriptor()) {
			c.op = Op.USE;
		}
	}

	private boolean makesBpfDescriptor() {
		return this.args.contains(0, "CREATE") || this.args.contains(0, "PROG_LOAD")
				|| (this.args.contains(0, "OBJ_GET") && !this.args.contains(0, "INFO"))
				|| this.args.contains(0, "FD_BY_ID") || this.args.contains(0, "OPEN")
				|| this.args.contains(0, "BTF_LOAD") || this.args.contains(0, "ENABLE_STATS");
	}

	private void decodePair(Call c) {
		int arg = c.type.name().equals("socketpair") ? 3 : 0;
		if (this.args.count() > arg && this.args.first(arg) == '[') {
			this.args.addDescriptors(c, this.args.from(arg), this.args.to(arg));
		}
		if (arg == 3) {
			this.text.plain(c, 0);
		}
	}

	private void decodeUse(Call c) {
		if (this.args.count() < 2) {
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
		int at = this.args.from(1);
		long command = StraceLine.isDigit(this.line.at(at)) ? this.line.number(at) : -1;
		if (command == 1030 || this.args.is(1, "F_DUPFD_CLOEXEC")) {
			c.op = Op.DUP_FROM;
			c.closeOnExec = true;
			c.arg = (this.args.count() > 2) ? this.line.number(this.args.from(2)) : 0;
		}
		else if (command == 0 || this.args.is(1, "F_DUPFD")) {
			c.op = Op.DUP_FROM;
			c.arg = (this.args.count() > 2) ? this.line.number(this.args.from(2)) : 0;
		}
		else if (command == 1 || this.args.is(1, "F_GETFD")) {
			c.op = Op.GET_CLOEXEC;
		}
		else if (command == 2 || this.args.is(1, "F_SETFD")) {
			c.op = Op.SET_CLOEXEC;
			c.closeOnExec = this.args.hasFlag(2, "FD_CLOEXEC", 1);
		}
	}

	private void decodeIoctl(Call c) {
		int at = this.args.from(1);
		long command = StraceLine.isDigit(this.line.at(at)) ? this.line.number(at) : -1;
		if (command == 0x5451 || this.args.is(1, "FIOCLEX")) {
			c.op = Op.SET_CLOEXEC;
			c.closeOnExec = true;
		}
		else if (command == 0x5450 || this.args.is(1, "FIONCLEX")) {
			c.op = Op.SET_CLOEXEC;
		}
		else if (command == 0x5441 || this.args.is(1, "TIOCGPTPEER")) {
			c.op = Op.ALLOC;
			c.closeOnExec = this.args.hasFlag(2, "CLOEXEC", 0x80000);
		}
		else if (this.args.contains(1, "KVM_CREATE_VM") || this.args.contains(1, "KVM_CREATE_VCPU")
				|| this.args.contains(1, "NS_GET_USERNS") || this.args.contains(1, "NS_GET_PARENT")) {
			c.op = Op.ALLOC;
			c.closeOnExec = true;
		}
		if (c.op == Op.ALLOC) {
			this.text.plain(c, 1);
		}
	}

}
