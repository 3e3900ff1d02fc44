package io.fdtable.web;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.swagger.v3.oas.annotations.media.Schema;

/**
 * A 64-bit number: written as a string, since JavaScript's numbers hold only 53 bits, and
 * read from a string or an integer.
 *
 * @param value the number
 */
@Schema(type = "string", format = "int64", example = "0",
		description = "A 64-bit number, as a string; an integer is read too")
record Int64(long value) {

	@JsonCreator
	static Int64 of(long value) {
		return new Int64(value);
	}

	@JsonCreator
	static Int64 of(String text) {
		try {
			return new Int64(Long.parseLong(text));
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("must be a 64-bit integer, not '" + text + "'", ex);
		}
	}

	@JsonValue
	String asString() {
		return Long.toString(this.value);
	}

}
