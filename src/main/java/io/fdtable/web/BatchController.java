package io.fdtable.web;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.SyscallException;
import io.fdtable.kernel.Sysctl;
import io.fdtable.session.SessionId;
import io.fdtable.session.SessionRegistry;
import io.fdtable.session.SyscallExecutor;
import io.fdtable.web.BatchRun.Place;
import io.fdtable.web.openapi.Errnos;
import io.fdtable.web.problem.MalformedRequestException;
import io.fdtable.web.problem.NoMemoryException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.ArraySchema;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;

import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Batches: many calls in one request, answered one by one.
 */
@RestController
@RequestMapping("/v1/sessions/{id}/batch")
@Tag(name = "Batch")
class BatchController {

	private static final int RESPONSE_BUFFER_BYTES = 1 << 16;

	private static final int MAX_NESTING = 50;

	private static final String CALL = "A call: its name, its members as in the description, and pid to act as"
			+ " another process of the tree";

	private static final String RESULT = "ret, and errno or the further members of the call; a problem where the"
			+ " element is no call; or skipped";

	private static final String REQUEST_LINES = """
			{"call":"open","path":"/data/log","flags":["O_RDWR","O_CLOEXEC"]}
			{"call":"dup2","oldFd":3,"newFd":1}
			{"call":"close","fd":9}
			""";

	private static final String RESPONSE_LINES = """
			{"ret":3}
			{"ret":1}
			{"ret":-1,"errno":"EBADF"}
			""";

	private final Calls calls;

	private final SyscallExecutor executor;

	private final SessionRegistry registry;

	/** Without separators between values, so that each can end its own line. */
	private final JsonFactory json = JsonFactory.builder()
		.rootValueSeparator((String) null)
		.streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_NESTING).build())
		.build();

	BatchController(Calls calls, SyscallExecutor executor, SessionRegistry registry) {
		this.calls = calls;
		this.executor = executor;
		this.registry = registry;
	}

	@PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE, produces = MediaType.APPLICATION_JSON_VALUE)
	@Errnos(Errno.ESRCH)
	@Operation(operationId = "runBatch", summary = "Make many calls in one request",
			description = "Calls are made in their order and each is answered, failures included. Other requests may"
					+ " come between them.\n\n"
					+ "**application/json**: an array of at most 10,000 calls, read to its end before the first is"
					+ " made; the answer is an array of as many results. With an Idempotency-Key each result is kept,"
					+ " so that a retry makes only the calls that have not been made, also when one of them has ended"
					+ " the session; Idempotent-Replayed is true if the first had been.\n\n"
					+ "**application/x-ndjson**: one call a line, streamed both ways without a bound on their number,"
					+ " each answered on a line of its own as soon as no more input waits. A line may have 64 KiB,"
					+ " and a write as much more as a file can hold. Read while you write: a client that reads"
					+ " nothing before it has sent everything is no longer read itself when the buffers of the"
					+ " connection are full, and ends in a timeout. Idempotency-Key is refused here.\n\n"
					+ "A call is `{\"call\": name, …members}`: open (path, kind, flags, label), close (fd),"
					+ " close_range (first, last, flags), dup (oldFd), dup2 (oldFd, newFd), dup3 (oldFd, newFd,"
					+ " flags), fcntl (fd, cmd, arg), pipe2 (flags), fork (shareFiles, label), unshare, execve, exit,"
					+ " reserve (minFd, closeOnExec), install (fd, then as open), release (fd), pidfd_getfd (fromPid,"
					+ " fd), sendmsg (toPid, fds), recvmsg (maxFds, closeOnExec), read (fd, count), write (fd, data"
					+ " in base64), lseek (fd, offset, whence), prlimit (soft, hard), listen (fd, backlog), accept4"
					+ " (fd, flags), connect (fd, file), shutdown (fd, how). A result has `ret` if and only if the"
					+ " model has run; what is malformed is answered with a problem that names its line or index.",
			requestBody = @io.swagger.v3.oas.annotations.parameters.RequestBody(required = true,
					content = {
							@Content(mediaType = MediaType.APPLICATION_JSON_VALUE,
									array = @ArraySchema(maxItems = CallArray.MAX_CALLS,
											schema = @Schema(type = "object", description = CALL))),
							@Content(mediaType = MediaType.APPLICATION_NDJSON_VALUE,
									schema = @Schema(type = "string", description = CALL), examples = @ExampleObject(
											name = "example", value = REQUEST_LINES)) }),
			responses = @ApiResponse(responseCode = "200", description = "OK",
					content = {
							@Content(mediaType = MediaType.APPLICATION_JSON_VALUE,
									array = @ArraySchema(schema = @Schema(type = "object", description = RESULT))),
							@Content(mediaType = MediaType.APPLICATION_NDJSON_VALUE,
									schema = @Schema(type = "string", description = RESULT),
									examples = @ExampleObject(name = "example", value = RESPONSE_LINES)) }))
	void runArray(@PathVariable String id,
			@Parameter(description = "What a failure means for the calls after it",
					schema = @Schema(allowableValues = { "continue", "stop" },
							defaultValue = "continue")) @RequestParam(defaultValue = "continue") String onError,
			HttpServletRequest request, HttpServletResponse response, CallContext context) throws IOException {
		String key = context.idempotencyKey();
		if (key == null) {
			// Before the body is read; with a key it takes the body to know.
			this.calls.look(id);
		}
		boolean stops = stopsAtFailure(onError);
		List<BatchItem> items = read(request);
		SessionId session = session(id, key, items.size());
		response.setContentType(MediaType.APPLICATION_JSON_VALUE);
		response.setBufferSize(RESPONSE_BUFFER_BYTES);
		// Not closed if a call throws: that would end an array which is not complete.
		JsonGenerator results = generator(response);
		BatchRun run = new BatchRun(this.executor, session, stops, Place.INDEX, new ResultWriter(results));
		results.writeStartArray();
		for (int i = 0; i < items.size(); i++) {
			if (run.isStopped()) {
				run.skip();
			}
			else if (run.run(items.get(i), i, context.idempotencyKey(i)) && i == 0) {
				context.markReplayed();
			}
		}
		results.writeEndArray();
		results.close();
	}

	/** Finds the session, which has ended if it is a retry of the batch that ended it. */
	private SessionId session(String id, @Nullable String key, int calls) {
		try {
			return this.calls.look(id).id();
		}
		catch (SyscallException ex) {
			// Only now, as a session that ends goes after its answers have come.
			SessionId session = SessionId.parse(id);
			if (session != null && key != null && this.registry.wasEndedBy(session, key, calls)) {
				return session;
			}
			throw ex;
		}
	}

	private static boolean stopsAtFailure(String onError) {
		return switch (onError) {
			case "continue" -> false;
			case "stop" -> true;
			default -> throw new MalformedRequestException("onError", "must be continue or stop");
		};
	}

	private List<BatchItem> read(HttpServletRequest request) throws IOException {
		try {
			return CallArray.read(this.json, request.getInputStream());
		}
		catch (JacksonException ex) {
			throw new HttpMessageNotReadableException("not JSON", ex, new ServletServerHttpRequest(request));
		}
	}

	private JsonGenerator generator(HttpServletResponse response) throws IOException {
		return this.json.createGenerator(ObjectWriteContext.empty(), response.getOutputStream());
	}

	@PostMapping(consumes = MediaType.APPLICATION_NDJSON_VALUE, produces = MediaType.APPLICATION_NDJSON_VALUE)
	@Operation(hidden = true)
	void runLines(@PathVariable String id, @RequestParam(defaultValue = "continue") String onError,
			HttpServletRequest request, HttpServletResponse response, CallContext context) throws IOException {
		SessionId session = this.calls.look(id).id();
		boolean stops = stopsAtFailure(onError);
		if (context.idempotencyKey() != null) {
			throw new MalformedRequestException(CallContext.IDEMPOTENCY_KEY,
					"is not possible with a stream: send an array of calls");
		}
		Sysctl sysctl = this.registry.sysctl();
		if (!sysctl.tryCharge(RESPONSE_BUFFER_BYTES)) {
			throw new NoMemoryException("the memory budget has no room for another stream of results");
		}
		try {
			runLines(request.getInputStream(), response, session, stops);
		}
		catch (JacksonIOException ex) {
			// The client has gone; nobody is left to answer.
		}
		finally {
			sysctl.uncharge(RESPONSE_BUFFER_BYTES);
		}
	}

	private void runLines(InputStream in, HttpServletResponse response, SessionId session, boolean stops)
			throws IOException {
		Sysctl sysctl = this.registry.sysctl();
		JsonGenerator results = generator(response);
		LineReader reader = new LineReader(in, CallLines.maxBytes(sysctl.fileMaxBytes()), sysctl, results::flush);
		try {
			response.setContentType(MediaType.APPLICATION_NDJSON_VALUE);
			response.setBufferSize(RESPONSE_BUFFER_BYTES);
			run(new BatchRun(this.executor, session, stops, Place.LINE, new ResultWriter(results)),
					new CallLines(this.json, reader), results);
			results.close();
		}
		finally {
			reader.close();
		}
	}

	private static void run(BatchRun run, CallLines lines, JsonGenerator results) {
		try {
			while (lines.next()) {
				if (run.isStopped()) {
					run.skip();
				}
				else {
					run.run(lines.read(), lines.number(), null);
				}
				results.writeRaw('\n');
			}
		}
		catch (IOException ex) {
			// The status is long sent, so the last line has to say it.
			run.run(new BatchItem.Malformed("", "the body ended before its end, or nothing came for too long"),
					lines.number() + 1, null);
			results.writeRaw('\n');
		}
	}

}
