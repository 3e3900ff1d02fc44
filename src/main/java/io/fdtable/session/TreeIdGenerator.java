package io.fdtable.session;

import java.security.SecureRandom;

/**
 * Draws what nobody may guess, such as the tree in session ids: 128 random bits in base32
 * (RFC 4648, lower case, without padding).
 */
final class TreeIdGenerator {

	private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

	private static final int BITS = 128;

	private static final int BITS_PER_CHARACTER = 5;

	private static final int LENGTH = (BITS + BITS_PER_CHARACTER - 1) / BITS_PER_CHARACTER;

	private final SecureRandom random = new SecureRandom();

	String next() {
		byte[] bytes = new byte[BITS / Byte.SIZE];
		this.random.nextBytes(bytes);
		StringBuilder id = new StringBuilder(LENGTH);
		int buffer = 0;
		int available = 0;
		for (byte b : bytes) {
			buffer = (buffer << Byte.SIZE) | (b & 0xff);
			available += Byte.SIZE;
			while (available >= BITS_PER_CHARACTER) {
				available -= BITS_PER_CHARACTER;
				id.append(ALPHABET.charAt((buffer >>> available) & 31));
			}
		}
		id.append(ALPHABET.charAt((buffer << (BITS_PER_CHARACTER - available)) & 31));
		return id.toString();
	}

}
