package io.fdtable.session;

import io.fdtable.kernel.FdEntry;

/**
 * Tells one state of a descriptor from every other that a client could see under its
 * number.
 *
 * @param generation which handing-out of the number it is
 * @param state all of a descriptor that can change without a new handing-out, packed: its
 * status flags, and FD_CLOEXEC in the lowest bit
 */
public record SlotVersion(long generation, long state) {

	/**
	 * Returns the version of a descriptor.
	 * @param entry the descriptor as it was at one moment
	 * @return equal for equal representations of one handing-out
	 */
	public static SlotVersion of(FdEntry entry) {
		return new SlotVersion(entry.generation(), ((long) entry.statusFlags() << 1) | (entry.closeOnExec() ? 1 : 0));
	}

	@Override
	public String toString() {
		return this.generation + "." + this.state;
	}

}
