package io.fdtable.web;

import java.util.List;
import java.util.Objects;

import io.fdtable.kernel.FileKind;
import io.fdtable.syscall.Syscall;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * What to open.
 *
 * @param path a path, or none for a file without a name
 * @param kind what the file is
 * @param flags names of open flags
 * @param label a note
 */
record OpenRequest(
		@Nullable @Size(max = 65536) @Schema(example = "/data/log",
				description = "Compared as a string; without O_CREAT it is taken to exist") String path,
		@Nullable @Schema(defaultValue = "OPAQUE",
				description = "What the file is; a path that the tree knows keeps its own kind") FileKind kind,
		@Nullable @Size(max = 64) @Schema(example = "[\"O_RDWR\",\"O_CLOEXEC\"]",
				description = "Names of open(2) flags as in C") List<String> flags,
		@Nullable @Size(max = 256) String label) {

	static final OpenRequest DEFAULT = new OpenRequest(null, null, null, null);

	Syscall toSyscall() {
		return new Syscall.Open(this.path, Objects.requireNonNullElse(this.kind, FileKind.OPAQUE),
				CNames.openFlags(this.flags), this.label);
	}

}
