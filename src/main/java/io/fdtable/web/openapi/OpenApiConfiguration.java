package io.fdtable.web.openapi;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.swagger.v3.oas.models.ExternalDocumentation;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.Paths;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.info.License;
import io.swagger.v3.oas.models.servers.Server;
import io.swagger.v3.oas.models.tags.Tag;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springdoc.core.customizers.OperationCustomizer;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The frame of the API's description.
 */
@Configuration(proxyBeanMethods = false)
class OpenApiConfiguration {

	private static final String DESCRIPTION = """
			Virtual Linux file-descriptor tables, exact to the last errno.

			A **session** is one virtual process with its own table of descriptors and its own limits. Everything a
			Linux process can do to its table is an operation here, and answers what Linux answers.

			Two minutes: `createSession`, copy the `id` from the answer into the operations below, `openFd` a few times
			(always the lowest free number), `closeFd` one, `openFd` again, then `getBitmap` as `text/plain`.

			**Errors** are problems of RFC 9457. A problem has an `errno` if and only if the kernel model has run:
			branch on `errno`, not on the status. **Retries** are safe with an `Idempotency-Key`; `If-Match` with the
			`ETag` of a descriptor makes sure that a number is still the descriptor you have seen.
			""";

	/** In the order in which a newcomer meets them. */
	private static final List<Tag> TAGS = List.of(
			new Tag().name("Sessions").description("Virtual processes: create, fork, exec, exit, limits"),
			new Tag().name("Descriptors").description("Open, close, duplicate, fcntl: always the lowest free number"),
			new Tag().name("File I/O").description("Read, write, move the position that duplicates share"),
			new Tag().name("Transfer").description("Hand open files to another process of the tree"),
			new Tag().name("Sockets").description("Listen, accept, connect: what a blocked accept does to a table"),
			new Tag().name("Reservations")
				.description("Take a number first and open its file later, as the kernel does inside open"),
			new Tag().name("Batch").description("Many calls in one request, as an array or as a stream of lines"),
			new Tag().name("Inspection").description("See the two-level bitmap, and what searching it has cost"),
			new Tag().name("Traces").description("Replay a log of strace: every leak, every table at every line"));

	@Bean
	OpenAPI fdtableApi() {
		return new OpenAPI()
			.info(new Info().title("fdtable")
				.version("1")
				.description(DESCRIPTION)
				.license(new License().name("Apache-2.0").identifier("Apache-2.0")))
			.tags(TAGS)
			.externalDocs(new ExternalDocumentation().description("Linux: fs/file.c")
				.url("https://github.com/torvalds/linux/blob/v6.19/fs/file.c"))
			// Relative, so that the description does not depend on where it is served.
			.servers(List.of(new Server().url("/")));
	}

	@Bean
	OperationCustomizer operationDocumentation(JsonMapper json) {
		return new OperationDocumentation(new OperationExamples(json));
	}

	@Bean
	OpenApiCustomizer problemSchema() {
		return new ProblemSchema();
	}

	/** Orders what reflection finds in no order that lasts. */
	@Bean
	OpenApiCustomizer stableOrder() {
		return (api) -> {
			Paths sorted = new Paths();
			List<String> tags = TAGS.stream().map(Tag::getName).toList();
			api.getPaths()
				.entrySet()
				.stream()
				.sorted(Comparator
					.comparingInt((Map.Entry<String, PathItem> path) -> tags.indexOf(tag(path.getValue())))
					.thenComparing(Map.Entry::getKey))
				.forEach((path) -> sorted.addPathItem(path.getKey(), path.getValue()));
			api.setPaths(sorted);
			api.setTags(TAGS);
			api.getComponents().setSchemas(new TreeMap<>(api.getComponents().getSchemas()));
		};
	}

	private static String tag(PathItem path) {
		return path.readOperations().getFirst().getTags().getFirst();
	}

}
