package io.fdtable.web.problem;

import java.util.stream.Collectors;

import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.exc.ValueInstantiationException;

/**
 * Says where in a body a JSON error is, and what is wrong there, without the names of
 * classes that Jackson's own messages have.
 */
final class JsonPointers {

	private JsonPointers() {
	}

	/** Returns the place as a JSON pointer (RFC 6901). */
	static String of(JacksonException ex) {
		return ex.getPath()
			.stream()
			.map((reference) -> (reference.getPropertyName() != null)
					? reference.getPropertyName().replace("~", "~0").replace("/", "~1")
					: String.valueOf(reference.getIndex()))
			.map((token) -> "/" + token)
			.collect(Collectors.joining());
	}

	static String detailOf(JacksonException ex) {
		return switch (ex) {
			case UnrecognizedPropertyException unknown -> "is not a member of this request";
			case ValueInstantiationException invalid when invalid
				.getCause() instanceof IllegalArgumentException cause -> String.valueOf(cause.getMessage());
			case InvalidFormatException invalid when invalid.getTargetType().isEnum() ->
				"is none of " + java.util.Arrays.toString(invalid.getTargetType().getEnumConstants());
			case InvalidFormatException invalid -> "has a value of the wrong form";
			case MismatchedInputException mismatched -> "has a value of the wrong type";
			case StreamConstraintsException tooMuch -> "is nested too deep or too long";
			case StreamReadException broken -> "is not JSON, at line " + broken.getLocation().getLineNr() + ", column "
					+ broken.getLocation().getColumnNr();
			default -> "cannot be read";
		};
	}

}
