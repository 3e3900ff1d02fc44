package io.fdtable.web.openapi;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.examples.Example;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.responses.ApiResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.io.ClassPathResource;

/**
 * Puts into each operation the example request and response that a resource named after
 * it holds: {@code openapi/<operationId>.json}, with the members {@code request},
 * {@code response}, {@code text}, {@code sse} and {@code ndjson}, as far as the operation
 * has them.
 */
class OperationExamples {

	private final JsonMapper json;

	OperationExamples(JsonMapper json) {
		this.json = json;
	}

	void addTo(Operation operation) {
		Map<String, Object> examples = read(operation.getOperationId());
		if (operation.getRequestBody() != null) {
			set(operation.getRequestBody().getContent(), "application/json", examples.get("request"));
		}
		operation.getResponses().forEach((status, response) -> {
			if (status.startsWith("2")) {
				addTo(response, examples);
			}
		});
	}

	private static void addTo(ApiResponse response, Map<String, Object> examples) {
		set(response.getContent(), "application/json", examples.get("response"));
		set(response.getContent(), "text/plain", examples.get("text"));
		set(response.getContent(), "text/event-stream", examples.get("sse"));
		set(response.getContent(), "application/x-ndjson", examples.get("ndjson"));
	}

	private static void set(@Nullable Content content, String mediaType, @Nullable Object value) {
		MediaType media = (content != null) ? content.get(mediaType) : null;
		if (media != null && value != null) {
			media.addExamples("example", new Example().value(value));
		}
	}

	private Map<String, Object> read(String operationId) {
		ClassPathResource resource = new ClassPathResource("openapi/" + operationId + ".json");
		if (!resource.exists()) {
			return Map.of();
		}
		try (InputStream in = resource.getInputStream()) {
			return this.json.readValue(in, new TypeReference<>() {
			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
