package io.fdtable.web;

import java.net.URI;
import java.util.List;

import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.OpenFile;
import io.fdtable.session.Answer;
import io.fdtable.session.SlotVersion;
import io.fdtable.syscall.SyscallResult;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

import org.springframework.http.ResponseEntity;

/**
 * A descriptor as clients see it.
 *
 * @param fd its number
 * @param generation which handing-out of the number it is
 * @param state whether it has a file
 * @param closeOnExec its FD_CLOEXEC
 * @param file the open file description, the same for all duplicates
 * @param kind what the file is
 * @param path the path it was opened by
 * @param accessMode the access mode that F_GETFL shows
 * @param flags the status flags that F_GETFL shows
 * @param label a note
 */
record Descriptor(int fd,
		@Schema(description = "Which handing-out of the number this is; never reused within a table",
				example = "17") String generation,
		State state, boolean closeOnExec,
		@Nullable @Schema(description = "The open file description: the same for all duplicates",
				example = "o12") String file,
		@Nullable FileKind kind, @Nullable @Schema(example = "/data/log") String path,
		@Nullable @Schema(example = "O_RDWR") String accessMode, @Nullable List<String> flags, @Nullable String label) {

	/** Whether a number that is not free has a file. */
	enum State {

		RESERVED, INSTALLED

	}

	static Descriptor of(FdEntry entry) {
		String generation = Long.toString(entry.generation());
		OpenFile file = entry.file();
		if (file == null) {
			return new Descriptor(entry.fd(), generation, State.RESERVED, entry.closeOnExec(), null, null, null, null,
					null, null);
		}
		return new Descriptor(entry.fd(), generation, State.INSTALLED, entry.closeOnExec(), "o" + file.id(),
				file.kind(), file.path(), CNames.accessMode(entry.statusFlags()),
				CNames.statusFlags(entry.statusFlags()), file.label());
	}

	/** Answers a call that has made a descriptor. */
	static ResponseEntity<Descriptor> created(String session, Answer answer) {
		FdEntry entry = ((SyscallResult.Descriptor) answer.result()).entry();
		return ResponseEntity.created(URI.create("/v1/sessions/" + session + "/fds/" + entry.fd()))
			.eTag(etag(entry))
			.body(of(entry));
	}

	static String etag(FdEntry entry) {
		return "\"" + SlotVersion.of(entry) + "\"";
	}

}
