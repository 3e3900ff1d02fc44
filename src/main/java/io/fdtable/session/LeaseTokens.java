package io.fdtable.session;

import org.springframework.stereotype.Component;

/**
 * Draws the tokens of leases, before their calls are made: 128 random bits each.
 */
@Component
public class LeaseTokens {

	private final TreeIdGenerator generator = new TreeIdGenerator();

	/**
	 * Draws a token.
	 * @return 26 lower-case base32 characters that nobody can guess
	 */
	public String next() {
		return this.generator.next();
	}

}
