package io.fdtable.session;

import io.fdtable.kernel.FdEntry;
import org.jspecify.annotations.Nullable;

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

	/**
	 * Reads what {@link #toString} prints.
	 * @param text what a client sent
	 * @return the version, or null if no descriptor can have such a one
	 */
	public static @Nullable SlotVersion parse(String text) {
		int dot = text.indexOf('.');
		try {
			SlotVersion version = (dot > 0) ? new SlotVersion(Long.parseLong(text, 0, dot, 10),
					Long.parseLong(text, dot + 1, text.length(), 10)) : null;
			// Entity tags are compared character by character, so 07.0 is not 7.0.
			return (version != null && version.toString().equals(text)) ? version : null;
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	@Override
	public String toString() {
		return this.generation + "." + this.state;
	}

}
