package io.fdtable.session;

import java.time.Duration;

import io.fdtable.kernel.AllocatorOptions;
import org.jspecify.annotations.Nullable;

/**
 * What a new session is to be like.
 *
 * @param label a note of the caller's
 * @param soft the soft RLIMIT_NOFILE, unsigned 64-bit
 * @param hard the hard RLIMIT_NOFILE, unsigned 64-bit
 * @param stdio whether descriptors 0, 1 and 2 are open
 * @param options how its table allocates
 * @param ttl how long it may stay unused before it exits by itself, or null for the
 * service's default
 */
public record SessionRequest(@Nullable String label, long soft, long hard, boolean stdio, AllocatorOptions options,
		@Nullable Duration ttl) implements IdempotencyLedger.Sized {

	@Override
	public long bytes() {
		return Request.bytesOf(this.label);
	}

}
