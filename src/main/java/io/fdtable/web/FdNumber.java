package io.fdtable.web;

import java.util.regex.Pattern;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.swagger.v3.oas.annotations.media.Schema;

/**
 * A descriptor number as clients send it: any 32-bit number, signed or not. The model
 * takes it as unsigned, as Linux does, so that -1 is 4294967295.
 *
 * @param value what the client sent, -2147483648 to 4294967295
 */
@Schema(type = "integer", format = "int64", minimum = "-2147483648", maximum = "4294967295", example = "3",
		description = "A descriptor number, taken as unsigned 32-bit as the kernel does")
record FdNumber(@JsonValue long value) {

	static final FdNumber ZERO = new FdNumber(0);

	private static final Pattern DECIMAL = Pattern.compile("0|-?[1-9][0-9]{0,9}");

	@JsonCreator
	FdNumber {
		if (value < Integer.MIN_VALUE || value > 0xffff_ffffL) {
			throw new IllegalArgumentException("a descriptor number is -2147483648 to 4294967295, not " + value);
		}
	}

	/**
	 * Reads a number in a path; also called by Spring's conversion. One descriptor has
	 * one spelling, so that 03 is refused and not taken for 3 (or, elsewhere, for octal).
	 */
	static FdNumber valueOf(String text) {
		if (!DECIMAL.matcher(text).matches()) {
			throw new IllegalArgumentException("a descriptor number is -2147483648 to 4294967295, not '" + text + "'");
		}
		return new FdNumber(Long.parseLong(text));
	}

	int toInt() {
		return (int) this.value;
	}

}
