package io.fdtable.web.problem;

/**
 * A path that names nothing, where the kernel model has no say in it.
 */
@SuppressWarnings("serial")
public final class NoSuchResourceException extends RuntimeException {

	/**
	 * Creates the exception.
	 * @param what what there is not
	 */
	public NoSuchResourceException(String what) {
		super(what, null, false, false);
	}

}
