package io.fdtable.web.problem;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Rlimit;
import io.swagger.v3.oas.annotations.Hidden;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.HtmlUtils;

import static org.springframework.http.HttpStatus.NOT_FOUND;

/**
 * The pages that the types of problems lead to: what each means and what to do.
 */
@Hidden
@RestController
class ProblemPages {

	private static final Map<String, Page> PAGES = Stream
		.concat(Arrays.stream(Errno.values()).map(Page::of), Arrays.stream(ProblemType.values()).map(Page::of))
		.collect(Collectors.toMap(Page::slug, (page) -> page, (first, second) -> first, TreeMap::new));

	private record Page(String slug, String heading, int status, String meaning) {

		static Page of(Errno errno) {
			return new Page(errno.name().toLowerCase(Locale.ROOT),
					errno.name() + " (" + errno.number() + "): " + errno.message(), ErrnoStatus.of(errno).value(),
					"The kernel model has run and answered this errno. For instance: "
							+ ErrnoDetail.of(new SyscallFailedException(errno, null, Rlimit.DEFAULT)) + ".");
		}

		static Page of(ProblemType type) {
			return new Page(type.slug(), type.title(), type.status().value(),
					"The request was refused before the kernel model ran. What to do: " + type.remedy() + ".");
		}

		String html() {
			return document(this.heading, "<p>Status " + this.status + ".</p><p>" + HtmlUtils.htmlEscape(this.meaning)
					+ "</p><p><a href=\"/problems\">All problems</a></p>");
		}

	}

	@GetMapping(path = "/problems", produces = MediaType.TEXT_HTML_VALUE)
	String index() {
		return document("Problems",
				PAGES.values()
					.stream()
					.map((page) -> "<li><a href=\"" + Problems.BASE + page.slug() + "\">"
							+ HtmlUtils.htmlEscape(page.heading()) + "</a></li>")
					.collect(Collectors.joining("", "<ul>", "</ul>")));
	}

	@GetMapping(path = "/problems/{slug}", produces = MediaType.TEXT_HTML_VALUE)
	String page(@PathVariable String slug) {
		Page page = PAGES.get(slug);
		if (page == null) {
			throw new ResponseStatusException(NOT_FOUND, "There is no such problem");
		}
		return page.html();
	}

	private static String document(String heading, String body) {
		String title = HtmlUtils.htmlEscape(heading);
		return "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>" + title + "</title><h1>" + title
				+ "</h1>" + body + "</html>\n";
	}

}
