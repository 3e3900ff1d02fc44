package io.fdtable.web.openapi;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.media.ArraySchema;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import org.springdoc.core.customizers.OpenApiCustomizer;

/**
 * Describes the problem that every error is.
 */
class ProblemSchema implements OpenApiCustomizer {

	static final String NAME = "Problem";

	@Override
	public void customise(OpenAPI api) {
		api.getComponents().addSchemas(NAME, schema());
	}

	private static Schema<?> schema() {
		Schema<?> error = new ObjectSchema()
			.addProperty("pointer",
					new StringSchema()
						.description("Where: a JSON pointer into the body, or the name of a header or parameter"))
			.addProperty("detail", new StringSchema().description("What is wrong there"));
		return new ObjectSchema().description("What was wrong and what to do (RFC 9457)")
			.addProperty("type", new StringSchema().format("uri-reference").description("The kind of problem"))
			.addProperty("title", new StringSchema())
			.addProperty("status", new IntegerSchema())
			.addProperty("detail", new StringSchema())
			.addProperty("instance", new StringSchema().format("uri-reference").description("The path of the request"))
			.addProperty("errno",
					new StringSchema().description("The errno by its C name, if and only if the model has run"))
			.addProperty("errnoNumber", new IntegerSchema().description("Its number on Linux"))
			.addProperty("syscall", new StringSchema().description("The system call that answered it"))
			.addProperty("limit", new IntegerSchema().description("With EMFILE, the RLIMIT_NOFILE soft limit"))
			.addProperty("errors", new ArraySchema().items(error).description("With 400, all that is wrong"));
	}

}
