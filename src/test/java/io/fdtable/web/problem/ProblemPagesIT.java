package io.fdtable.web.problem;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;

import io.fdtable.kernel.Errno;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that the type of every problem leads to a page that explains it.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
class ProblemPagesIT {

	@Autowired
	private RestTestClient client;

	static Stream<String> slugs() {
		return Stream.concat(Arrays.stream(Errno.values()).map((errno) -> errno.name().toLowerCase(Locale.ROOT)),
				Arrays.stream(ProblemType.values()).map(ProblemType::slug));
	}

	@ParameterizedTest
	@MethodSource("slugs")
	void everyTypeOfProblemHasItsPage(String slug) {
		this.client.get().uri("/problems/{slug}", slug).exchange().expectStatus().isOk();
	}

	@Test
	void thePageOfAnErrnoNamesItsNumberTextAndStatus() {
		assertThat(page("/problems/emfile")).contains("<h1>EMFILE (24): Too many open files</h1>", "Status 409.");
	}

	@Test
	void theIndexLinksEveryPage() {
		assertThat(page("/problems")).contains(slugs().map((slug) -> "href=\"/problems/" + slug + "\"").toList());
	}

	@Test
	void anUnknownTypeIsAProblemItself() {
		this.client.get()
			.uri("/problems/nothing")
			.exchange()
			.expectStatus()
			.isNotFound()
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	private String page(String path) {
		return String.valueOf(this.client.get().uri(path).exchange().returnResult(String.class).getResponseBody());
	}

}
