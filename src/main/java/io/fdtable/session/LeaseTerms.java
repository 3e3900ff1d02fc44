package io.fdtable.session;

import java.time.Duration;

/**
 * What a request has to do with a lease on a reserved descriptor.
 */
public sealed interface LeaseTerms {

	/**
	 * The reservation that the call makes is to be leased.
	 *
	 * @param token what its holder will show; drawn by {@link LeaseTokens}
	 * @param length how long the holder has
	 */
	record Grant(String token, Duration length) implements LeaseTerms {
	}

	/**
	 * The call uses up the reservation that the client holds a lease on.
	 *
	 * @param token what the client shows
	 */
	record Claim(String token) implements LeaseTerms {
	}

}
