package io.fdtable.web.problem;

import java.net.URI;
import java.util.List;
import java.util.Locale;

import io.fdtable.kernel.Errno;
import io.fdtable.session.RequestRefusedException;

import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;

/**
 * Makes problems of RFC 9457.
 */
public final class Problems {

	/** Where the pages are that explain each type. */
	public static final String BASE = "/problems/";

	private Problems() {
	}

	/**
	 * One thing that is wrong with a request.
	 *
	 * @param pointer where: a JSON pointer into the body, or the name of a header or
	 * parameter
	 * @param detail what is wrong there
	 */
	public record FieldError(String pointer, String detail) {
	}

	/**
	 * Describes the failure of a call.
	 * @param ex the call and its errno
	 * @return the problem, with errno, number and the name of the call
	 */
	public static ProblemDetail of(SyscallFailedException ex) {
		Errno errno = ex.errno();
		ProblemDetail problem = problem(ErrnoStatus.of(errno), errno.name().toLowerCase(Locale.ROOT), errno.message(),
				ErrnoDetail.of(ex));
		problem.setProperty("errno", errno.name());
		problem.setProperty("errnoNumber", errno.number());
		if (ex.call() != null) {
			problem.setProperty("syscall", ex.call().name());
		}
		if (errno == Errno.EMFILE) {
			problem.setProperty("limit", ex.nofile().soft());
		}
		return problem;
	}

	/**
	 * Describes why a request was refused because of what it demands beside the call.
	 * @param ex the reason
	 * @return the problem
	 */
	public static ProblemDetail of(RequestRefusedException ex) {
		return switch (ex.reason()) {
			case PRECONDITION_FAILED -> refused(ProblemType.PRECONDITION_FAILED);
			case KEY_REUSED -> refused(ProblemType.IDEMPOTENCY_KEY_REUSED);
			case LEDGER_FULL -> refused(ProblemType.TOO_MANY_IDEMPOTENCY_KEYS);
			case NO_SUCH_EVENT ->
				malformed(List.of(new FieldError("since", "must not be after the latest event of the session")));
			case EVENTS_GONE -> refused(ProblemType.EVENTS_GONE);
			case TOO_MANY_STREAMS -> refused(ProblemType.TOO_MANY_STREAMS);
		};
	}

	private static ProblemDetail refused(ProblemType type) {
		return of(type, type.status(), "nothing was done");
	}

	/**
	 * Describes an error that arose before the model has run. A malformed request always
	 * has errors: here one, which is of no member.
	 * @param type its kind
	 * @param status the status to answer, normally the type's own
	 * @param what what was wrong
	 * @return the problem
	 */
	public static ProblemDetail of(ProblemType type, HttpStatusCode status, String what) {
		ProblemDetail problem = problem(status, type.slug(), type.title(), what + ": " + type.remedy());
		if (type == ProblemType.MALFORMED_REQUEST) {
			problem.setProperty("errors", List.of(new FieldError("", what)));
		}
		return problem;
	}

	/**
	 * Describes a malformed request.
	 * @param errors what is wrong with it
	 * @return the problem, with these errors
	 */
	public static ProblemDetail malformed(List<FieldError> errors) {
		ProblemType type = ProblemType.MALFORMED_REQUEST;
		ProblemDetail problem = of(type, type.status(),
				(errors.size() == 1) ? "the request has an error" : "the request has " + errors.size() + " errors");
		problem.setProperty("errors", errors);
		return problem;
	}

	private static ProblemDetail problem(HttpStatusCode status, String slug, String title, String detail) {
		ProblemDetail problem = ProblemDetail.forStatus(status);
		problem.setType(URI.create(BASE + slug));
		problem.setTitle(title);
		problem.setDetail(detail);
		return problem;
	}

}
