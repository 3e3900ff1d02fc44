package io.fdtable.trace;

import java.io.IOException;

/**
 * A trace was deleted, or has expired, while a question about it was being answered.
 */
@SuppressWarnings("serial")
public final class TraceDeletedException extends IOException {

	TraceDeletedException(IOException cause) {
		super("the trace was deleted meanwhile", cause);
	}

}
