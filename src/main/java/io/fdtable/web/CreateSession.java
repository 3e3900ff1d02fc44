package io.fdtable.web;

import java.time.Duration;
import java.util.Objects;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.AllocatorOptions;
import io.fdtable.kernel.Rlimit;
import io.fdtable.session.SessionRequest;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/sessions}.
 *
 * @param label a note
 * @param limits the limits, 1024/4096 unless given
 * @param stdio whether 0, 1 and 2 are open, true unless given
 * @param allocator how the table searches
 * @param nextFdHint whether searches start at {@code next_fd}, true unless given
 * @param ttl how long the session may stay unused
 */
record CreateSession(@Nullable @Size(max = 256) @Schema(example = "build-42") String label,
		@Nullable @Valid Limits limits,
		@Nullable @Schema(description = "Whether 0, 1 and 2 are open, as a process starts",
				defaultValue = "true") Boolean stdio,
		@Nullable @Schema(description = "How the table searches for the lowest free descriptor",
				defaultValue = "WORD_FIRST") Allocator allocator,
		@Nullable @Schema(
				description = "Whether a search starts at next_fd, below which nothing is free, or at the"
						+ " lowest acceptable number; the answer is the same",
				defaultValue = "true") Boolean nextFdHint,
		@Nullable @Schema(type = "string", format = "duration", example = "PT30M",
				description = "How long the session may stay unused before it exits by itself, ISO 8601") Duration ttl) {

	static final CreateSession DEFAULT = new CreateSession(null, null, null, null, null, null);

	SessionRequest toRequest() {
		Limits.Nofile nofile = (this.limits != null) ? this.limits.nofile() : Limits.of(Rlimit.DEFAULT).nofile();
		return new SessionRequest(this.label, nofile.soft(), nofile.hard(), !Boolean.FALSE.equals(this.stdio),
				new AllocatorOptions(Objects.requireNonNullElse(this.allocator, Allocator.WORD_FIRST),
						!Boolean.FALSE.equals(this.nextFdHint)),
				this.ttl);
	}

}
