package io.fdtable.trace;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.Sysctl;

/**
 * The recorded logs.
 */
final class Traces {

	private static final long MAX_BYTES = 1L << 30;

	private Traces() {
	}

	static String text(String name) {
		try (InputStream in = Traces.class.getResourceAsStream("/traces/" + name)) {
			return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Reads a recorded log. */
	static Trace recorded(String name) {
		return of(text(name));
	}

	/** Reads the calls of a log, for a replay that a test watches step by step. */
	static CallLog calls(String text) {
		try {
			CallLog log = new CallLog(new TraceDisk(MAX_BYTES));
			StraceParser parser = new StraceParser(
					new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
			for (Call call = parser.next(); call != null; call = parser.next()) {
				long offset = log.append(call);
				if (call.phase == Call.Phase.START) {
					parser.startedAt(offset);
				}
			}
			log.setUnnamedPid(parser.unnamedPid());
			log.flush();
			return log;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Begins a replay of calls, of which nothing is known to be open from the start. */
	static TraceReplay replay(CallLog calls) {
		return new TraceReplay(calls, Allocator.WORD_FIRST, new InitialDescriptors(), new ReplayListener() {
		});
	}

	/** Reads the text of a log. */
	static Trace of(String text) {
		try {
			return Trace.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)),
					new TraceDisk(MAX_BYTES), Sysctl.unbounded(), TraceProgress.NONE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
