package io.fdtable.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

import io.fdtable.kernel.Errno;
import io.fdtable.session.Event;
import io.fdtable.session.EventStream;
import io.fdtable.session.EventStreams;
import io.fdtable.session.Session;
import io.fdtable.web.openapi.Errnos;
import io.fdtable.web.problem.MalformedRequestException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Streams what happens to a session. Each stream has the (virtual) thread of its request,
 * so a client that reads slowly keeps only itself waiting.
 */
@RestController
@Tag(name = "Inspection")
class EventController {

	private static final int CHUNK_BYTES = 1 << 13;

	private static final String LAST_EVENT_ID = "Last-Event-ID";

	private static final Pattern VERSION = Pattern.compile("0|[1-9][0-9]{0,17}");

	private final Calls calls;

	private final EventStreams streams;

	private final JsonMapper json;

	EventController(Calls calls, EventStreams streams, JsonMapper json) {
		this.calls = calls;
		this.streams = streams;
		this.json = json;
	}

	@GetMapping(path = "/v1/sessions/{id}/events",
			produces = { MediaType.TEXT_EVENT_STREAM_VALUE, MediaType.APPLICATION_NDJSON_VALUE })
	@Errnos(Errno.ESRCH)
	@Operation(operationId = "streamEvents", summary = "Watch what happens to a session",
			description = "Streams every successful call of the session that changes its table, its limits or its life,"
					+ " with the names and members of a batch, and how accepts that it has pending end. Calls of"
					+ " other sessions that share the table are in their own streams. The stream ends after the"
					+ " session's exit; any other end means: resume. A heartbeat is a comment in server-sent events,"
					+ " and a line with nothing but version in NDJSON. A client that falls behind by more than the"
					+ " service keeps is cut off. Opening a stream counts as using the session, watching it does not.",
			responses = @ApiResponse(responseCode = "200", description = "OK", content = {
					@Content(mediaType = MediaType.TEXT_EVENT_STREAM_VALUE, schema = @Schema(type = "string")),
					@Content(mediaType = MediaType.APPLICATION_NDJSON_VALUE, schema = @Schema(type = "string")) }))
	void events(@PathVariable String id, @RequestParam(required = false) @Nullable @Schema(type = "string",
			description = "The version of the last event seen; 0 for all. Without it the stream begins now") String since,
			@RequestHeader(name = LAST_EVENT_ID, required = false) @Nullable @Schema(type = "string",
					description = "As since, which it overrules; browsers send it when they reconnect") String lastEventId,
			HttpServletRequest request, HttpServletResponse response) throws InterruptedException {
		Long seen = (lastEventId != null) ? version(LAST_EVENT_ID, lastEventId) : version("since", since);
		EventFormat format = EventFormat
			.preferredIn(accepted(Collections.list(request.getHeaders(HttpHeaders.ACCEPT))));
		Session session = this.calls.look(id);
		try (EventStream stream = this.streams.open(session, seen)) {
			response.setContentType(format.mediaType().toString());
			response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
			send(session, stream, format, response);
		}
	}

	private static @Nullable Long version(String name, @Nullable String text) {
		if (text == null) {
			return null;
		}
		if (!VERSION.matcher(text).matches()) {
			throw new MalformedRequestException(name, "must be the version of an event, or 0");
		}
		return Long.valueOf(text);
	}

	private static List<MediaType> accepted(List<String> lines) {
		List<MediaType> types = MediaType.parseMediaTypes(lines);
		MimeTypeUtils.sortBySpecificity(types);
		return types;
	}

	private void send(Session session, EventStream stream, EventFormat format, HttpServletResponse response)
			throws InterruptedException {
		try {
			ByteArrayOutputStream chunk = new ByteArrayOutputStream();
			format.begin(stream.seen(), chunk);
			send(chunk, response);
			for (List<Event> events = next(stream); events != null; events = next(stream)) {
				write(session, stream, events, format, response);
			}
		}
		catch (IOException ex) {
			// The client has gone, or has not read for as long as a connection may block.
		}
	}

	private @Nullable List<Event> next(EventStream stream) throws InterruptedException {
		return stream.next(this.streams.heartbeat());
	}

	/**
	 * Writes in small chunks, so that a stream whose client does not read takes little.
	 */
	private void write(Session session, EventStream stream, List<Event> events, EventFormat format,
			HttpServletResponse response) throws IOException {
		ByteArrayOutputStream chunk = new ByteArrayOutputStream();
		if (events.isEmpty()) {
			format.beat(stream.seen(), chunk);
		}
		for (Event event : events) {
			format.write(session.id(), event, this.json, chunk);
			if (chunk.size() >= CHUNK_BYTES) {
				send(chunk, response);
			}
		}
		send(chunk, response);
	}

	private static void send(ByteArrayOutputStream chunk, HttpServletResponse response) throws IOException {
		chunk.writeTo(response.getOutputStream());
		response.flushBuffer();
		chunk.reset();
	}

}
