package io.fdtable.web.openapi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.fdtable.kernel.Errno;

/**
 * Lists the errnos that an operation can answer; its documentation gets a problem
 * response with an example for each.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Errnos {

	/**
	 * The errnos.
	 * @return in the order in which the operation checks for them
	 */
	Errno[] value();

}
