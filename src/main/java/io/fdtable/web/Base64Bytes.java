package io.fdtable.web;

import java.util.Base64;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.swagger.v3.oas.annotations.media.Schema;

/**
 * Bytes as clients send them: in base64 (RFC 4648, section 4), padded, with nothing in
 * between.
 *
 * @param bytes the bytes
 */
@SuppressWarnings("ArrayRecordComponent")
@Schema(type = "string", format = "byte", example = "aGVsbG8=", description = "Bytes in base64")
record Base64Bytes(byte[] bytes) {

	private static final int GROUP = 4;

	@JsonCreator
	static Base64Bytes of(String text) {
		if (text.length() % GROUP != 0) {
			throw new IllegalArgumentException("must be base64, padded to a multiple of 4 characters");
		}
		try {
			return new Base64Bytes(Base64.getDecoder().decode(text));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("must be base64 of the standard alphabet, without spaces and lines", ex);
		}
	}

	@JsonValue
	String asString() {
		return Base64.getEncoder().encodeToString(this.bytes);
	}

}
