package io.fdtable.kernel;

import org.jspecify.annotations.Nullable;

/**
 * One descriptor that is not free, as it was at one moment.
 *
 * @param fd the number
 * @param generation which handing-out of the number this is; unique within the table
 * @param closeOnExec the slot's FD_CLOEXEC
 * @param file the open file, or null while the slot is reserved
 * @param statusFlags what F_GETFL showed at that moment, 0 while the slot is reserved
 */
public record FdEntry(int fd, long generation, boolean closeOnExec, @Nullable OpenFile file, int statusFlags) {

	/**
	 * Tells whether the number is taken but has no file yet.
	 * @return true between allocation and installation
	 */
	public boolean isReserved() {
		return this.file == null;
	}

}
