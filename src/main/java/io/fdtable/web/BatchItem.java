package io.fdtable.web;

import io.fdtable.syscall.Syscall;

/**
 * An element of a batch as it was read.
 */
sealed interface BatchItem {

	/**
	 * A call to make.
	 *
	 * @param call the call
	 * @param pid the process of the tree that makes it, or 0 for the batch's own
	 */
	record Call(Syscall call, int pid) implements BatchItem {
	}

	/**
	 * What can have no meaning as a call.
	 *
	 * @param pointer where in the element
	 * @param detail what is wrong there
	 */
	record Malformed(String pointer, String detail) implements BatchItem {
	}

}
