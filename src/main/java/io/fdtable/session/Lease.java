package io.fdtable.session;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;

/**
 * A client's right to one reserved descriptor.
 *
 * @param fd the descriptor
 * @param generation which handing-out of the number it is
 * @param token what the client must show
 * @param expiresAt from when on the right is lost
 */
public record Lease(int fd, long generation, String token, Instant expiresAt) {

	/** Compares in a time that does not depend on how much of the token is right. */
	boolean isHeldBy(String shown) {
		return MessageDigest.isEqual(this.token.getBytes(StandardCharsets.UTF_8),
				shown.getBytes(StandardCharsets.UTF_8));
	}

	boolean isExpired(Instant now) {
		return !now.isBefore(this.expiresAt);
	}

}
