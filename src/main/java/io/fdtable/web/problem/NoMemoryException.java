package io.fdtable.web.problem;

import java.io.IOException;

/**
 * The memory budget has no room for what a request needs before the model can run.
 */
@SuppressWarnings("serial")
public final class NoMemoryException extends IOException {

	/**
	 * Creates the exception.
	 * @param what what there is no room for, the beginning of a sentence
	 */
	public NoMemoryException(String what) {
		super(what);
	}

}
