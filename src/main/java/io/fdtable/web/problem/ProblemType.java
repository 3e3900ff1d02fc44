package io.fdtable.web.problem;

import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;

/**
 * A kind of problem that arises before the kernel model has run, so without an errno.
 */
public enum ProblemType {

	MALFORMED_REQUEST(HttpStatus.BAD_REQUEST, "Malformed request",
			"correct the members, parameters or headers that errors names"),

	NOT_FOUND(HttpStatus.NOT_FOUND, "No such resource", "see /v3/api-docs for the paths that exist"),

	METHOD_NOT_ALLOWED(HttpStatus.METHOD_NOT_ALLOWED, "Method not allowed",
			"use one of the methods that the Allow header lists"),

	NOT_ACCEPTABLE(HttpStatus.NOT_ACCEPTABLE, "Not acceptable", "accept application/json"),

	REQUEST_TIMEOUT(HttpStatus.REQUEST_TIMEOUT, "Request timeout", "send the whole request without a pause"),

	PRECONDITION_FAILED(HttpStatus.PRECONDITION_FAILED, "Descriptor has changed",
			"the descriptor is not, or no longer, the one that If-Match names: read it again and decide anew"),

	PAYLOAD_TOO_LARGE(HttpStatus.CONTENT_TOO_LARGE, "Request too large", "send a smaller body"),

	UNSUPPORTED_MEDIA_TYPE(HttpStatus.UNSUPPORTED_MEDIA_TYPE, "Unsupported media type", "send application/json"),

	EXPECTATION_FAILED(HttpStatus.EXPECTATION_FAILED, "Expectation failed", "send the request without it"),

	IDEMPOTENCY_KEY_REUSED(HttpStatus.UNPROCESSABLE_CONTENT, "Idempotency-Key reused",
			"this key belongs to a different request: use a new key for each new request"),

	TOO_MANY_IDEMPOTENCY_KEYS(HttpStatus.TOO_MANY_REQUESTS, "Too many Idempotency-Keys",
			"as many answers as may be are being kept for retries: wait until some expire, or send no key"),

	INTERNAL_ERROR(HttpStatus.INTERNAL_SERVER_ERROR, "Internal error",
			"this is a fault of the service: report it with the time and the instance"),

	NOT_IMPLEMENTED(HttpStatus.NOT_IMPLEMENTED, "Not implemented",
			"use GET, HEAD, OPTIONS, POST, PUT or DELETE, and send a body chunked or with a Content-Length"),

	HTTP_VERSION_NOT_SUPPORTED(HttpStatus.HTTP_VERSION_NOT_SUPPORTED, "HTTP version not supported", "use HTTP/1.1"),

	UNAVAILABLE(HttpStatus.SERVICE_UNAVAILABLE, "Service unavailable", "try again a little later"),

	EVENTS_GONE(HttpStatus.GONE, "Events gone",
			"newer events have overwritten what came after that version: stream without since, then read the table"),

	TOO_MANY_STREAMS(HttpStatus.SERVICE_UNAVAILABLE, "Too many event streams",
			"as many streams as may be are open: close one, or try again later");

	private final HttpStatus status;

	private final String title;

	private final String remedy;

	ProblemType(HttpStatus status, String title, String remedy) {
		this.status = status;
		this.title = title;
		this.remedy = remedy;
	}

	public HttpStatus status() {
		return this.status;
	}

	public String title() {
		return this.title;
	}

	/**
	 * Returns what the client can do about it.
	 * @return part of a sentence, in lower case
	 */
	public String remedy() {
		return this.remedy;
	}

	/**
	 * Returns the last part of the problem's type.
	 * @return for instance "malformed-request"
	 */
	public String slug() {
		return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
	}

	/** Finds the type that fits a status which the framework or the container chose. */
	static ProblemType of(HttpStatusCode status) {
		for (ProblemType type : values()) {
			if (type.status.isSameCodeAs(status)) {
				return (type != IDEMPOTENCY_KEY_REUSED) ? type : MALFORMED_REQUEST;
			}
		}
		return status.is4xxClientError() ? MALFORMED_REQUEST : INTERNAL_ERROR;
	}

}
