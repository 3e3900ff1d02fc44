package io.fdtable.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.fdtable.trace.StoredTrace;
import io.fdtable.trace.Trace;
import io.fdtable.trace.TraceRegistry;
import io.fdtable.trace.TraceReport;
import io.fdtable.trace.TraceSummary;
import io.fdtable.trace.TraceViews;
import io.fdtable.web.problem.NoSuchResourceException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Logs of strace: what leaks, what diverges from Linux, and what any table was at any
 * line.
 */
@RestController
@RequestMapping("/v1/traces")
@Tag(name = "Traces")
class TraceController {

	private final TraceRegistry registry;

	TraceController(TraceRegistry registry) {
		this.registry = registry;
	}

	/**
	 * A trace with its report.
	 *
	 * @param id its id
	 * @param report what the log says
	 */
	record TraceResource(String id, @JsonUnwrapped TraceReport report) {
	}

	/**
	 * A trace, and how far its reading is.
	 *
	 * @param id its id
	 * @param reading whether it is still being read
	 * @param lines lines read
	 * @param bytes bytes read, uncompressed
	 */
	record TraceState(String id, boolean reading, @Schema(example = "256") long lines,
			@Schema(type = "string", example = "22221") String bytes) {
	}

	/**
	 * Traces.
	 *
	 * @param traces in the order of their ids
	 */
	record TraceList(List<TraceState> traces) {
	}

	/**
	 * What would have been.
	 *
	 * @param limit under another limit; missing unless asked for
	 * @param allocators with each allocator
	 */
	record WhatIf(TraceViews.@Nullable UnderLimit limit, List<TraceViews.SearchCost> allocators) {
	}

	@PostMapping(produces = MediaType.APPLICATION_JSON_VALUE)
	@ResponseStatus(HttpStatus.CREATED)
	@Operation(operationId = "createTrace", summary = "Replay a log of strace",
			description = "Send the log as it is, or compressed with gzip; it is read while it arrives. Every process"
					+ " of the log is replayed on the kernel model and compared with it. Record with strace -f"
					+ " -e trace=%desc,%process,%network,close_range,prlimit64,setrlimit -o log COMMAND.",
			requestBody = @io.swagger.v3.oas.annotations.parameters.RequestBody(required = true,
					content = @Content(mediaType = MediaType.TEXT_PLAIN_VALUE, schema = @Schema(type = "string"))))
	ResponseEntity<TraceResource> create(HttpServletRequest request) throws IOException {
		StoredTrace stored = read(request);
		return ResponseEntity.created(location(stored)).body(new TraceResource(stored.id(), trace(stored).report()));
	}

	@PostMapping(produces = MediaType.TEXT_PLAIN_VALUE)
	@ResponseStatus(HttpStatus.CREATED)
	ResponseEntity<String> summarize(HttpServletRequest request) throws IOException {
		StoredTrace stored = read(request);
		return ResponseEntity.created(location(stored)).body(TraceSummary.of(trace(stored).report()));
	}

	private StoredTrace read(HttpServletRequest request) throws IOException {
		try (InputStream log = request.getInputStream()) {
			return this.registry.add(log);
		}
	}

	private static URI location(StoredTrace stored) {
		return URI.create("/v1/traces/" + stored.id());
	}

	@GetMapping
	@Operation(operationId = "listTraces", summary = "List traces, and see how far their reading is")
	TraceList list() {
		return new TraceList(this.registry.list()
			.stream()
			.map((stored) -> new TraceState(stored.id(), stored.trace() == null, stored.lines(),
					Long.toString(stored.bytes())))
			.toList());
	}

	@GetMapping(path = "/{traceId}", produces = MediaType.APPLICATION_JSON_VALUE)
	@Operation(operationId = "getTrace", summary = "Read the report of a trace",
			description = "As JSON, or as text/plain for a terminal.")
	TraceResource get(@PathVariable String traceId) {
		return new TraceResource(traceId, find(traceId).report());
	}

	@GetMapping(path = "/{traceId}", produces = MediaType.TEXT_PLAIN_VALUE)
	String summary(@PathVariable String traceId) {
		return TraceSummary.of(find(traceId).report());
	}

	@DeleteMapping("/{traceId}")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	@Operation(operationId = "deleteTrace", summary = "Forget a trace")
	void delete(@PathVariable String traceId) {
		if (!this.registry.remove(traceId)) {
			throw noTrace(traceId);
		}
	}

	@GetMapping("/{traceId}/processes/{pid}/fds")
	@Operation(operationId = "getTracedTable", summary = "See a table as it was just after a line")
	TraceViews.TableAt table(@PathVariable String traceId, @PathVariable int pid, @RequestParam long line)
			throws IOException {
		TraceViews.TableAt table = find(traceId).tableAt(pid, line);
		if (table == null) {
			throw new NoSuchResourceException("no process " + pid + " is alive after line " + line);
		}
		return table;
	}

	@GetMapping("/{traceId}/processes/{pid}/diff")
	@Operation(operationId = "getTracedDiff", summary = "See what became of a table between two lines")
	TraceViews.TableDiff diff(@PathVariable String traceId, @PathVariable int pid, @RequestParam long from,
			@RequestParam long to) throws IOException {
		TraceViews.TableDiff diff = find(traceId).diff(pid, Math.min(from, to), Math.max(from, to));
		if (diff == null) {
			throw new NoSuchResourceException(
					"no process " + pid + " is alive after line " + from + " and after line " + to);
		}
		return diff;
	}

	@GetMapping("/{traceId}/processes/{pid}/fds/{tracedFd}/history")
	@Operation(operationId = "getTracedHistory", summary = "See who held a number, and when")
	TraceViews.History history(@PathVariable String traceId, @PathVariable int pid, @PathVariable int tracedFd)
			throws IOException {
		return find(traceId).history(pid, tracedFd);
	}

	@GetMapping("/{traceId}/what-if")
	@Operation(operationId = "getTraceWhatIf", summary = "See what another limit or allocator would have done",
			description = "With nofile, the first call of each process that the soft limit would have failed; and in"
					+ " any case how many words of the bitmaps each allocator reads for this log.")
	WhatIf whatIf(@PathVariable String traceId, @RequestParam(required = false) @Nullable Integer nofile)
			throws IOException {
		Trace trace = find(traceId);
		return new WhatIf((nofile != null) ? trace.underLimit(nofile) : null, trace.searchCosts().strategies());
	}

	private Trace find(String traceId) {
		StoredTrace stored = this.registry.find(traceId);
		if (stored == null) {
			throw noTrace(traceId);
		}
		return trace(stored);
	}

	private static Trace trace(StoredTrace stored) {
		Trace trace = stored.trace();
		if (trace == null) {
			throw new NoSuchResourceException("trace " + stored.id() + " is still being read");
		}
		return trace;
	}

	private static NoSuchResourceException noTrace(String traceId) {
		return new NoSuchResourceException("there is no trace " + traceId);
	}

}
