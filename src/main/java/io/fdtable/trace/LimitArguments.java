package io.fdtable.trace;

/**
 * Reads what getrlimit, setrlimit and prlimit64 say about RLIMIT_NOFILE.
 *
 * <p>
 * Tested by StraceParserTest, line by line.
 */
final class LimitArguments {

	private final StraceLine line;

	private final StraceArguments args;

	LimitArguments(StraceLine line, StraceArguments args) {
		this.line = line;
		this.args = args;
	}

	/** The new soft limit in arg and the hard one in the list; or the present ones. */
	void read(Call c) {
		boolean pair = c.type.name().equals("prlimit64");
		int resource = pair ? 1 : 0;
		boolean mine = !pair || this.args.count() == 0 || this.line.number(this.args.from(0)) == 0
				|| this.line.number(this.args.from(0)) == c.pid;
		if (this.args.count() <= resource || !mine
				|| !(this.args.is(resource, "RLIMIT_NOFILE") || this.args.isNumber(resource, 7))) {
			c.op = Op.USE;
			return;
		}
		int set = c.type.name().equals("getrlimit") ? -1 : resource + 1;
		int get = pair ? 3 : (set < 0) ? 1 : -1;
		if (set >= 0 && set < this.args.count() && this.args.first(set) == '{') {
			limits(c, set);
			c.closeOnExec = true;
		}
		else if (get >= 0 && get < this.args.count() && this.args.first(get) == '{') {
			limits(c, get);
		}
		else {
			c.op = Op.USE;
		}
	}

	private void limits(Call c, int arg) {
		c.arg = limit(this.line.indexOf("rlim_cur=", this.args.from(arg)) + 9);
		c.addFd((int) Math.min(limit(this.line.indexOf("rlim_max=", this.args.from(arg)) + 9), Integer.MAX_VALUE));
	}

	private long limit(int at) {
		if (this.line.startsWith(at, "RLIM")) {
			return Long.MAX_VALUE;
		}
		long value = this.line.number(at);
		value = (value < 0) ? Long.MAX_VALUE : value;
		int after = this.line.skipNumber(at);
		return this.line.startsWith(after, "*1024") ? value * 1024 : value;
	}

}
