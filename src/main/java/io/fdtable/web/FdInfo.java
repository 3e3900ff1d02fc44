package io.fdtable.web;

import java.util.Objects;

import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.OpenFile;
import io.fdtable.kernel.OpenFlags;
import io.swagger.v3.oas.annotations.media.Schema;

/**
 * What changes with every use of a descriptor.
 *
 * @param pos the position of the open file
 * @param flags status flags and FD_CLOEXEC
 * @param references how many slots, messages and calls refer to the open file
 */
record FdInfo(@Schema(description = "The position that all duplicates share", example = "0") String pos,
		@Schema(description = "Access mode, status flags and O_CLOEXEC in octal, as /proc shows them",
				example = "02100002") String flags,
		@Schema(description = "Slots, messages and calls that refer to the open file", example = "1") int references) {

	static FdInfo of(FdEntry entry, int references) {
		OpenFile file = Objects.requireNonNull(entry.file());
		int flags = entry.statusFlags() | (entry.closeOnExec() ? OpenFlags.O_CLOEXEC : 0);
		return new FdInfo(Long.toString(file.position()), "0" + Integer.toOctalString(flags), references);
	}

	/** Prints the lines of {@code /proc/pid/fdinfo/fd} that do not depend on a mount. */
	String asInProc() {
		return "pos:\t" + this.pos + "\nflags:\t" + this.flags + "\n";
	}

}
