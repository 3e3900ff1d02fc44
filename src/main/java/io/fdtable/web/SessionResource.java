package io.fdtable.web;

import java.time.Duration;
import java.time.Instant;

import io.fdtable.kernel.Allocator;
import io.fdtable.session.SessionSnapshot;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A session as clients see it.
 *
 * @param id its name
 * @param tree the tree that it belongs to
 * @param pid its number within the tree
 * @param parentPid who forked it, 0 for the first of a tree
 * @param label a note
 * @param limits its limits
 * @param allocator how its table searches
 * @param sharers how many sessions use its table, itself included
 * @param createdAt when it was made
 * @param expiresAt when it exits by itself unless it is used before
 * @param ttl how long it may stay unused
 */
@Schema(name = "Session")
record SessionResource(@Schema(example = "mfrggzdfmztwq2lknnwg23tpob-1") String id,
		@Schema(example = "mfrggzdfmztwq2lknnwg23tpob") String tree, int pid, int parentPid, @Nullable String label,
		Limits limits, Allocator allocator, int sharers, Instant createdAt, Instant expiresAt,
		@Schema(type = "string", format = "duration", example = "PT30M") Duration ttl) {

	static SessionResource of(SessionSnapshot session) {
		return new SessionResource(session.id().toString(), session.id().tree(), session.id().pid(),
				session.parentPid(), session.label(), Limits.of(session.nofile()), session.allocator(),
				session.sharers(), session.createdAt(), session.expiresAt(), session.ttl());
	}

}
