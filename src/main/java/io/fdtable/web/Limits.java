package io.fdtable.web;

import io.fdtable.kernel.Rlimit;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;

/**
 * The resource limits of a session.
 *
 * @param nofile RLIMIT_NOFILE
 */
record Limits(@NotNull @Valid Nofile nofile) {

	/**
	 * RLIMIT_NOFILE.
	 *
	 * @param soft one past the highest descriptor that a call may hand out
	 * @param hard the ceiling of the soft limit
	 */
	record Nofile(
			@NotNull @Schema(description = "One past the highest descriptor that a call may hand out",
					example = "1024") Long soft,
			@NotNull @Schema(description = "The ceiling of the soft limit, at most nr_open",
					example = "4096") Long hard) {
	}

	static Limits of(Rlimit rlimit) {
		return new Limits(new Nofile((long) rlimit.soft(), (long) rlimit.hard()));
	}

}
