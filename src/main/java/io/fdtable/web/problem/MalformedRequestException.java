package io.fdtable.web.problem;

/**
 * A part of a request that can have no meaning; the model has not run.
 */
@SuppressWarnings("serial")
public final class MalformedRequestException extends RuntimeException {

	private final String pointer;

	/**
	 * Creates the exception.
	 * @param pointer where in the body it is, as a JSON pointer, or the name of a header
	 * or parameter
	 * @param detail what is wrong with it
	 */
	public MalformedRequestException(String pointer, String detail) {
		super(detail, null, false, false);
		this.pointer = pointer;
	}

	public String pointer() {
		return this.pointer;
	}

}
