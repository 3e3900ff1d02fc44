package io.fdtable.web;

import java.util.ArrayList;
import java.util.List;

import io.fdtable.kernel.Errno;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the server has answered, and all that is asserted of answers in more than one
 * test.
 */
record Reply(int status, HttpHeaders headers, String text) {

	private static final JsonMapper JSON = new JsonMapper();

	JsonNode json() {
		return JSON.readTree(this.text);
	}

	@Nullable String header(String name) {
		return this.headers.getFirst(name);
	}

	int fd() {
		return json().path("fd").asInt(-1);
	}

	/** Asserts a success. */
	Reply is(int expected) {
		assertThat(this.status).as(this.text).isEqualTo(expected);
		return this;
	}

	/** Asserts a success and its body, which is compared as JSON. */
	Reply is(int expected, String body) {
		is(expected);
		assertThat(json()).isEqualTo(JSON.readTree(body));
		return this;
	}

	/** Asserts a problem of RFC 9457 that arose before the model has run. */
	Reply isProblem(int expected, String slug) {
		isProblemOf(expected, slug);
		assertThat(json().has("errno")).as(this.text).isFalse();
		assertThat(json().has("errnoNumber")).isFalse();
		assertThat(json().has("syscall")).isFalse();
		return this;
	}

	/**
	 * Asserts a problem of a request that the container could not make sense of, so that
	 * there may be no path to name as the instance.
	 */
	Reply isContainerProblem(int expected, String slug) {
		assertThat(json().has("instance")).as(this.text).isFalse();
		isProblemOf(expected, slug, false);
		return this;
	}

	/** Asserts a malformed request with one error at a place. */
	Reply isMalformedAt(String pointer) {
		isProblem(400, "malformed-request");
		List<String> pointers = new ArrayList<>();
		for (JsonNode error : json().path("errors")) {
			pointers.add(error.path("pointer").asString());
			assertThat(error.path("detail").asString()).isNotBlank();
		}
		assertThat(pointers).as(this.text).containsExactly(pointer);
		return this;
	}

	/** Asserts the answer of the model to a system call. */
	Reply isErrno(int expected, Errno errno, String syscall) {
		isErrno(expected, errno);
		assertThat(json().path("syscall").asString()).isEqualTo(syscall);
		return this;
	}

	/** Asserts an errno where there is no system call, such as a look. */
	Reply isErrno(int expected, Errno errno) {
		isProblemOf(expected, errno.name().toLowerCase(java.util.Locale.ROOT));
		assertThat(json().path("title").asString()).isEqualTo(errno.message());
		assertThat(json().path("errno").asString()).isEqualTo(errno.name());
		assertThat(json().path("errnoNumber").asInt()).isEqualTo(errno.number());
		assertThat(header(HttpHeaders.RETRY_AFTER)).isEqualTo((expected == 503) ? "1" : null);
		return this;
	}

	private void isProblemOf(int expected, String slug) {
		isProblemOf(expected, slug, true);
	}

	private void isProblemOf(int expected, String slug, boolean instance) {
		assertThat(this.status).as(this.text).isEqualTo(expected);
		assertThat(header(HttpHeaders.CONTENT_TYPE)).as(this.text).isEqualTo("application/problem+json");
		JsonNode problem = json();
		assertThat(problem.path("type").asString()).as(this.text).isEqualTo("/problems/" + slug);
		assertThat(problem.path("title").asString()).isNotBlank();
		assertThat(problem.path("status").asInt()).isEqualTo(expected);
		assertThat(problem.path("detail").asString()).isNotBlank();
		if (instance) {
			assertThat(problem.path("instance").asString()).as(this.text).startsWith("/");
		}
		assertThat(problem.path("errors").isEmpty()).as(this.text).isEqualTo(!slug.equals("malformed-request"));
		assertThat(problem.has("properties")).isFalse();
		assertThat(this.text).doesNotContain("Exception", "io.fdtable", "springframework", "jackson");
	}

}
