package io.fdtable.web;

import io.fdtable.session.SessionId;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/**
 * A request for open, close or dup2 in the form that most clients give it: a path with
 * nothing to decode, no query, and no body but that of dup2. A request of another form is
 * not thereby wrong; it only takes the usual way.
 *
 * @param call which method of the controller is meant
 * @param session the id in the path
 * @param fd the descriptor in the path, unless the call is open
 */
record FastRequest(Call call, String session, FdNumber fd) {

	private static final String SESSIONS = "/v1/sessions/";

	private static final String FDS = "/fds";

	private static final String DUP2 = "/dup2";

	/** A method of {@link DescriptorController}. */
	enum Call {

		OPEN("/v1/sessions/{id}/fds"),

		CLOSE("/v1/sessions/{id}/fds/{fd}"),

		DUP2("/v1/sessions/{id}/fds/{fd}/dup2");

		private final String path;

		Call(String path) {
			this.path = path;
		}

		/** Returns its path, with the names of variables. */
		String path() {
			return this.path;
		}

	}

	/** Reads the head of a request; returns null if it has another form. */
	static @Nullable FastRequest of(HttpServletRequest request) {
		String path = request.getRequestURI();
		if (!path.startsWith(SESSIONS) || request.getQueryString() != null || !acceptsJson(request)) {
			return null;
		}
		int end = path.indexOf('/', SESSIONS.length());
		if (end < 0 || !path.startsWith(FDS, end)) {
			return null;
		}
		String session = path.substring(SESSIONS.length(), end);
		return (SessionId.parse(session) != null) ? of(request, session, path.substring(end + FDS.length())) : null;
	}

	private static @Nullable FastRequest of(HttpServletRequest request, String session, String rest) {
		String method = request.getMethod();
		if (rest.isEmpty()) {
			return (method.equals("POST") && hasNoBody(request)) ? new FastRequest(Call.OPEN, session, FdNumber.ZERO)
					: null;
		}
		if (rest.charAt(0) != '/') {
			return null;
		}
		if (method.equals("DELETE") && hasNoBody(request)) {
			return of(Call.CLOSE, session, rest.substring(1));
		}
		if (method.equals("POST") && rest.endsWith(DUP2) && rest.length() > DUP2.length() && isJson(request)) {
			return of(Call.DUP2, session, rest.substring(1, rest.length() - DUP2.length()));
		}
		return null;
	}

	private static @Nullable FastRequest of(Call call, String session, String fd) {
		try {
			return new FastRequest(call, session, FdNumber.valueOf(fd));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static boolean acceptsJson(HttpServletRequest request) {
		String accept = request.getHeader(HttpHeaders.ACCEPT);
		return accept == null || accept.equals(MediaType.ALL_VALUE) || accept.equals(MediaType.APPLICATION_JSON_VALUE);
	}

	private static boolean isJson(HttpServletRequest request) {
		return MediaType.APPLICATION_JSON_VALUE.equals(request.getContentType());
	}

	private static boolean hasNoBody(HttpServletRequest request) {
		long length = request.getContentLengthLong();
		return (length == 0 || (length < 0 && request.getHeader(HttpHeaders.TRANSFER_ENCODING) == null))
				&& (request.getContentType() == null || isJson(request));
	}

}
