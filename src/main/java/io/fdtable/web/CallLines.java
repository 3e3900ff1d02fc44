package io.fdtable.web;

import java.io.IOException;

import io.fdtable.syscall.Syscall;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.async.ByteArrayFeeder;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads a batch that has one call a line.
 *
 * <p>
 * One parser reads all lines, fed with one at a time, so that no line can reach into the
 * next. Only what has met an error is replaced.
 */
final class CallLines {

	/** How long a line may be that does not carry data to write. */
	static final int MAX_BYTES = 1 << 16;

	private final JsonFactory json;

	private final LineReader lines;

	private final CallReader reader = new CallReader();

	private JsonParser parser;

	private long number;

	CallLines(JsonFactory json, LineReader lines) {
		this.json = json;
		this.lines = lines;
		this.parser = newParser();
	}

	/** Returns the longest line that can carry a file's whole contents, in bytes. */
	static int maxBytes(int fileMaxBytes) {
		return (int) Math.min(Integer.MAX_VALUE - Long.BYTES, MAX_BYTES + 4L * ((fileMaxBytes + 2L) / 3));
	}

	private JsonParser newParser() {
		return this.json.createNonBlockingByteArrayParser(ObjectReadContext.empty());
	}

	/**
	 * Goes on to the next line that is not blank.
	 * @return false if there is none
	 */
	boolean next() throws IOException {
		while (this.lines.next()) {
			this.number++;
			if (!this.lines.isBlank()) {
				return true;
			}
		}
		return false;
	}

	/** Returns the number of the line, from 1; blank ones count. */
	long number() {
		return this.number;
	}

	/** Reads the line. */
	BatchItem read() {
		BatchItem item = this.lines.isTooLong() ? tooLong() : parse();
		if (item instanceof BatchItem.Malformed) {
			this.parser.close();
			this.parser = newParser();
		}
		return item;
	}

	private BatchItem parse() {
		try {
			((ByteArrayFeeder) this.parser.nonBlockingInputFeeder()).feedInput(this.lines.buffer(), this.lines.start(),
					this.lines.end());
			this.parser.nextToken();
			return checked(this.reader.read(this.parser));
		}
		catch (StreamConstraintsException ex) {
			return new BatchItem.Malformed("", "is nested too deep or has too long a number");
		}
		catch (JacksonException ex) {
			return new BatchItem.Malformed("", "is not JSON, at column " + ex.getLocation().getColumnNr());
		}
	}

	private BatchItem checked(BatchItem item) {
		if (item instanceof BatchItem.Call call) {
			if (this.parser.nextToken() != JsonToken.NOT_AVAILABLE) {
				return new BatchItem.Malformed("", "has something after its object");
			}
			if (this.lines.end() - this.lines.start() > MAX_BYTES && !(call.call() instanceof Syscall.Write)) {
				return tooLong();
			}
		}
		return item;
	}

	private static BatchItem.Malformed tooLong() {
		return new BatchItem.Malformed("",
				"is longer than " + MAX_BYTES + " bytes, beside the data of a write that fits into a file");
	}

}
