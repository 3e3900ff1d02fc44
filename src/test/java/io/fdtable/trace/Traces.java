package io.fdtable.trace;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

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

	/** Reads the text of a log. */
	static Trace of(String text) {
		try {
			return Trace.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)), MAX_BYTES,
					TraceProgress.NONE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
