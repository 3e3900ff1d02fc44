package io.fdtable.trace;

/**
 * Reads the text by which people know a descriptor: a path, the family and address of a
 * socket, the command of an exec.
 *
 * <p>
 * Tested by StraceParserTest and, in what findings say, by TraceTest.
 */
final class DescriptorText {

	private final StraceLine line;

	private final StraceArguments args;

	DescriptorText(StraceLine line, StraceArguments args) {
		this.line = line;
		this.args = args;
	}

	/** The argument as the log has it, a string without its quotes. */
	void plain(Call call, int arg) {
		if (arg < this.args.count()) {
			int from = this.args.from(arg);
			int to = this.args.to(arg);
			if (this.line.at(from) == '"') {
				call.setText(this.line.bytes, from + 1, Math.min(this.line.skipString(from), to));
			}
			else {
				call.setText(this.line.bytes, from, to);
			}
		}
	}

	/** A socket address as people write it; otherwise what the log has. */
	void address(Call call, int arg) {
		if (arg >= this.args.count()) {
			return;
		}
		int from = this.args.from(arg);
		int to = this.args.to(arg);
		int port = this.line.indexOf("port=htons(", from);
		int host = this.line.indexOf("_addr(\"", from);
		host = (host < 0 || host > to) ? this.line.indexOf("inet_pton(AF_INET6, \"", from) : host;
		int path = this.line.indexOf("sun_path=", from);
		if (port >= 0 && port < to && host >= 0 && host < to) {
			int quote = this.line.indexOf((byte) '"', host);
			call.setText(this.line.bytes, quote + 1, this.line.skipString(quote));
			call.appendText((byte) ':');
			for (int i = port + 11; i < to && StraceLine.isDigit(this.line.at(i)); i++) {
				call.appendText(this.line.at(i));
			}
		}
		else if (path >= 0 && path < to) {
			int quote = this.line.indexOf((byte) '"', path);
			if (quote >= 0 && quote < to) {
				call.setText(this.line.bytes, quote + 1, this.line.skipString(quote));
			}
		}
		else if (this.line.at(from) == '{') {
			call.setText(this.line.bytes, from, to);
		}
	}

	/** The command as a shell would take it, or the path where the log cuts it short. */
	void command(Call c) {
		int path = c.type.textArg();
		if (this.args.count() <= path + 1 || this.args.first(path + 1) != '[') {
			plain(c, path);
			return;
		}
		plain(c, path);
		boolean first = true;
		for (int i = this.args.from(path + 1); i < this.args.to(path + 1) && c.textLength < 200; i++) {
			if (this.line.at(i) == '"') {
				int to = this.line.skipString(i);
				if (!first) {
					c.appendText((byte) ' ');
					for (int k = i + 1; k < to && c.textLength < 200; k++) {
						c.appendText(this.line.at(k));
					}
				}
				first = false;
				i = to;
			}
		}
	}

	/** The family and the type of a socket. */
	void socket(Call c) {
		plain(c, 0);
		if (this.args.count() > 1) {
			c.appendText((byte) ' ');
			for (int i = this.args.from(1); i < this.args.to(1) && this.line.at(i) != '|'; i++) {
				c.appendText(this.line.at(i));
			}
		}
	}

}
