package io.fdtable.web.problem;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.zip.ZipException;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Rlimit;
import io.fdtable.kernel.SyscallException;
import io.fdtable.session.RequestRefusedException;
import io.fdtable.trace.TraceDeletedException;
import io.fdtable.trace.TraceRefusedException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.coyote.BadRequestException;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.validation.method.ParameterErrors;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * Turns every exception that reaches Spring MVC into a problem.
 */
@RestControllerAdvice
class ProblemAdvice extends ResponseEntityExceptionHandler {

	private static final Log log = LogFactory.getLog(ProblemAdvice.class);

	private static final String RETRY_AFTER_SECONDS = "1";

	@ExceptionHandler
	ResponseEntity<Object> onErrno(SyscallFailedException ex) {
		ProblemDetail problem = Problems.of(ex);
		HttpHeaders headers = new HttpHeaders();
		if (problem.getStatus() == HttpStatus.SERVICE_UNAVAILABLE.value()) {
			headers.set(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
		}
		return respond(problem, headers);
	}

	/** A session that has exited between finding it and looking at it. */
	@ExceptionHandler
	ResponseEntity<Object> onErrno(SyscallException ex) {
		return onErrno((ex.errno() == Errno.ESRCH) ? SyscallFailedException.noSuchSession()
				: new SyscallFailedException(ex.errno(), null, Rlimit.DEFAULT));
	}

	@ExceptionHandler
	ResponseEntity<Object> onRefusal(RequestRefusedException ex) {
		ProblemDetail problem = Problems.of(ex);
		HttpHeaders headers = new HttpHeaders();
		if (problem.getStatus() == HttpStatus.TOO_MANY_REQUESTS.value()
				|| problem.getStatus() == HttpStatus.SERVICE_UNAVAILABLE.value()) {
			headers.set(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
		}
		return respond(problem, headers);
	}

	@ExceptionHandler
	ResponseEntity<Object> onMalformed(MalformedRequestException ex) {
		return malformed(ex.pointer(), String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler
	ResponseEntity<Object> onBodyTooLarge(BodyLimitFilter.BodyTooLargeException ex) {
		return respond(ProblemType.PAYLOAD_TOO_LARGE, String.valueOf(ex.getMessage()), new HttpHeaders());
	}

	@ExceptionHandler
	ResponseEntity<Object> onNoMemory(NoMemoryException ex) {
		return unavailable(ex);
	}

	private static ResponseEntity<Object> unavailable(Exception ex) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
		return respond(ProblemType.UNAVAILABLE, String.valueOf(ex.getMessage()), headers);
	}

	/** A query with a broken percent-encoding, or a form that is too large. */
	@ExceptionHandler
	ResponseEntity<Object> onUnreadableParameters(InvalidParameterException ex) {
		HttpStatusCode status = HttpStatusCode.valueOf(ex.getErrorCode());
		return respond(Problems.of(ProblemType.of(status), status, "the parameters cannot be read"), new HttpHeaders());
	}

	@ExceptionHandler
	ResponseEntity<Object> onNothing(NoSuchResourceException ex) {
		return respond(ProblemType.NOT_FOUND, String.valueOf(ex.getMessage()), new HttpHeaders());
	}

	@ExceptionHandler
	ResponseEntity<Object> onTraceRefused(TraceRefusedException ex) {
		return switch (ex.reason()) {
			case TOO_LARGE ->
				respond(ProblemType.PAYLOAD_TOO_LARGE, String.valueOf(ex.getMessage()), new HttpHeaders());
			case TOO_MANY -> unavailable(ex);
		};
	}

	@ExceptionHandler
	ResponseEntity<Object> onTraceDeleted(TraceDeletedException ex) {
		return respond(ProblemType.NOT_FOUND, String.valueOf(ex.getMessage()), new HttpHeaders());
	}

	/** A log that claims to be compressed with gzip, and is not, or is cut off. */
	@ExceptionHandler({ ZipException.class, EOFException.class })
	ResponseEntity<Object> onBrokenGzip(IOException ex) {
		return malformed("", "the log is not what gzip writes");
	}

	/**
	 * A body that is read as a stream and does not arrive whole, because the client has
	 * hung up, or that is not what its framing says. That is no fault of the service.
	 */
	@ExceptionHandler
	ResponseEntity<Object> onBrokenBody(BadRequestException ex) {
		log.debug("A body has not arrived", ex);
		return (ex.getCause() instanceof SocketTimeoutException) ? timedOut()
				: malformed("", "the body did not arrive whole");
	}

	private static ResponseEntity<Object> timedOut() {
		return respond(ProblemType.REQUEST_TIMEOUT, "the body did not arrive in time", new HttpHeaders());
	}

	@ExceptionHandler
	ResponseEntity<Object> onAnythingElse(Exception ex) {
		log.error("A request failed unexpectedly", ex);
		return respond(ProblemType.INTERNAL_ERROR, "the service failed unexpectedly", new HttpHeaders());
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(HttpMessageNotReadableException ex,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
			if (cause instanceof BodyLimitFilter.BodyTooLargeException tooLarge) {
				return onBodyTooLarge(tooLarge);
			}
			if (cause instanceof NoMemoryException noMemory) {
				return onNoMemory(noMemory);
			}
			if (cause instanceof SocketTimeoutException) {
				return timedOut();
			}
		}
		if (ex.getCause() instanceof JacksonException json) {
			return malformed(JsonPointers.of(json), JsonPointers.detailOf(json));
		}
		return malformed("", "the body cannot be read as JSON");
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(MethodArgumentNotValidException ex,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		List<Problems.FieldError> errors = ex.getFieldErrors()
			.stream()
			.map((error) -> new Problems.FieldError(pointer(error.getField()),
					String.valueOf(error.getDefaultMessage())))
			.toList();
		return respond(Problems.malformed(errors), headers);
	}

	/**
	 * Makes {@code /nofile/soft} of {@code nofile.soft}, {@code /fds/1} of
	 * {@code fds[1]}.
	 */
	private static String pointer(String field) {
		return "/" + field.replace("]", "").replace('[', '/').replace('.', '/');
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleHandlerMethodValidationException(
			HandlerMethodValidationException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		List<Problems.FieldError> errors = ex.getParameterValidationResults()
			.stream()
			.flatMap((result) -> result.getResolvableErrors()
				.stream()
				.map((error) -> new Problems.FieldError(
						(result instanceof ParameterErrors) ? ""
								: String.valueOf(result.getMethodParameter().getParameterName()),
						String.valueOf(error.getDefaultMessage()))))
			.toList();
		return respond(Problems.malformed(errors), headers);
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleTypeMismatch(TypeMismatchException ex, HttpHeaders headers,
			HttpStatusCode status, WebRequest request) {
		String name = (ex instanceof MethodArgumentTypeMismatchException mismatch) ? mismatch.getName()
				: String.valueOf(ex.getPropertyName());
		Throwable root = ex.getMostSpecificCause();
		boolean ours = root instanceof IllegalArgumentException && !(root instanceof NumberFormatException)
				&& root.getMessage() != null;
		return malformed(name,
				ours ? String.valueOf(root.getMessage()) : "'" + ex.getValue() + "' is not a valid value");
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleExceptionInternal(Exception ex, @Nullable Object body,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		ProblemType type = ProblemType.of(status);
		String what = (body instanceof ProblemDetail detail && detail.getDetail() != null)
				? sentence(detail.getDetail()) : type.title();
		return respond(Problems.of(type, status, what), headers);
	}

	private static String sentence(String detail) {
		return detail.endsWith(".") ? detail.substring(0, detail.length() - 1) : detail;
	}

	private static ResponseEntity<Object> malformed(String pointer, String detail) {
		return respond(Problems.malformed(List.of(new Problems.FieldError(pointer, detail))), new HttpHeaders());
	}

	private static ResponseEntity<Object> respond(ProblemType type, String what, HttpHeaders headers) {
		return respond(Problems.of(type, type.status(), what), headers);
	}

	/** The media type is set, so that what the client accepts cannot hide the problem. */
	private static ResponseEntity<Object> respond(ProblemDetail problem, HttpHeaders headers) {
		return ResponseEntity.status(problem.getStatus())
			.headers(headers)
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.body(problem);
	}

}
