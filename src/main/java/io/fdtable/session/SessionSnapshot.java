package io.fdtable.session;

import java.time.Duration;
import java.time.Instant;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.Rlimit;
import org.jspecify.annotations.Nullable;

/**
 * A session as it was at one moment.
 *
 * @param id its name
 * @param parentPid who forked it, 0 for the first of a tree
 * @param label a note of the caller's
 * @param nofile its RLIMIT_NOFILE
 * @param allocator how its table searches
 * @param sharers how many sessions use its table, itself included
 * @param createdAt when it was made
 * @param expiresAt when it exits by itself unless it is used before
 * @param ttl how long it may stay unused
 */
public record SessionSnapshot(SessionId id, int parentPid, @Nullable String label, Rlimit nofile, Allocator allocator,
		int sharers, Instant createdAt, Instant expiresAt, Duration ttl) {
}
