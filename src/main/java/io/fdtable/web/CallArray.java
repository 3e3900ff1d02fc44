package io.fdtable.web;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

import io.fdtable.web.problem.MalformedRequestException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads a batch that is one JSON array. It is read to its end before any call is made, so
 * that a body that is refused has changed nothing.
 */
final class CallArray {

	static final int MAX_CALLS = 10_000;

	private CallArray() {
	}

	/**
	 * Reads the array.
	 * @param json makes the parser, and bounds how deep it follows
	 * @param body the body of the request
	 * @return its elements
	 * @throws MalformedRequestException if it is no array, or a longer one
	 * @throws JacksonException if it is not JSON
	 */
	static List<BatchItem> read(JsonFactory json, InputStream body) {
		try (JsonParser parser = json.createParser(ObjectReadContext.empty(), body)) {
			if (parser.nextToken() != JsonToken.START_ARRAY) {
				throw new MalformedRequestException("", "must be an array of calls");
			}
			List<BatchItem> items = readElements(parser);
			if (parser.nextToken() != null) {
				throw new MalformedRequestException("", "has something after its array");
			}
			return items;
		}
	}

	private static List<BatchItem> readElements(JsonParser parser) {
		CallReader reader = new CallReader();
		List<BatchItem> items = new ArrayList<>();
		while (parser.nextToken() != JsonToken.END_ARRAY) {
			if (items.size() == MAX_CALLS) {
				throw new MalformedRequestException("",
						"has more than " + MAX_CALLS + " calls: split it, or send one call a line as NDJSON");
			}
			items.add(reader.read(parser));
			skipRestOfElement(parser);
		}
		return items;
	}

	private static void skipRestOfElement(JsonParser parser) {
		while (!isInOuterArray(parser.streamReadContext())) {
			parser.nextToken();
		}
	}

	private static boolean isInOuterArray(TokenStreamContext context) {
		TokenStreamContext parent = context.getParent();
		return parent != null && parent.inRoot();
	}

}
