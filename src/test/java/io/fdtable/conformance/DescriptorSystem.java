package io.fdtable.conformance;

import java.util.List;

/**
 * Something that has descriptor tables and can run a {@link Script} on fresh ones: the
 * model, the kernel of the machine, a service.
 */
interface DescriptorSystem {

	/**
	 * Runs a script on a fresh process with descriptors 0, 1 and 2.
	 * @param script the calls, all of which must be possible: made by tasks that exist
	 * and are not waiting
	 * @return an answer for each call
	 */
	List<Answer> run(Script script);

}
