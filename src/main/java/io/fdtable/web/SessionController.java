package io.fdtable.web;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Rlimit;
import io.fdtable.session.Answer;
import io.fdtable.session.FdtableProperties;
import io.fdtable.session.SessionId;
import io.fdtable.session.SessionRegistry;
import io.fdtable.session.SessionSnapshot;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import io.fdtable.web.openapi.Errnos;
import io.fdtable.web.problem.MalformedRequestException;
import io.fdtable.web.problem.SyscallFailedException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sessions: virtual processes, their lives and their limits.
 */
@RestController
// So that what a client cannot read is refused before the call is made, not after.
@RequestMapping(path = "/v1/sessions", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Sessions")
class SessionController {

	private final Calls calls;

	private final SessionRegistry registry;

	private final Duration maxTtl;

	SessionController(Calls calls, SessionRegistry registry, FdtableProperties properties) {
		this.calls = calls;
		this.registry = registry;
		this.maxTtl = properties.session().maxTtl();
	}

	/**
	 * The body of fork.
	 *
	 * @param shareFiles whether the child shares the table
	 * @param label a note on the child
	 */
	record ForkRequest(
			@Schema(description = "Whether the child uses the same table, as with CLONE_FILES, instead of a copy",
					defaultValue = "false") @Nullable Boolean shareFiles,
			@Nullable @Size(max = 256) @Schema(example = "worker") String label) {

		static final ForkRequest DEFAULT = new ForkRequest(null, null);

		Syscall toSyscall() {
			return new Syscall.Fork(Boolean.TRUE.equals(this.shareFiles), this.label);
		}

	}

	/**
	 * The answer to unshare.
	 *
	 * @param unshared whether the table was shared, and has been copied
	 */
	record UnshareResult(boolean unshared) {
	}

	/**
	 * The answer to exec.
	 *
	 * @param closed the descriptors that were marked close-on-exec
	 * @param unshared whether the table was shared, and has been copied first
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record ExecResult(int[] closed, boolean unshared) {
	}

	/**
	 * A page of sessions.
	 *
	 * @param sessions in the order of their ids
	 * @param nextPageToken for the next page; missing on the last
	 */
	record SessionPage(List<SessionResource> sessions,
			@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String nextPageToken) {
	}

	@PostMapping
	@ResponseStatus(HttpStatus.CREATED)
	@Errnos({ Errno.ENFILE, Errno.ENOMEM, Errno.EINVAL, Errno.EPERM })
	@Operation(operationId = "createSession", summary = "Start a process",
			description = "Starts the first process of a new tree, with descriptors 0, 1 and 2 open unless stdio is"
					+ " false. It exits by itself when it has not been used for its ttl.")
	ResponseEntity<SessionResource> create(@Valid @RequestBody(required = false) @Nullable CreateSession body,
			CallContext context) {
		CreateSession request = Objects.requireNonNullElse(body, CreateSession.DEFAULT);
		checkTtl(request.ttl());
		SessionRegistry.Created created = this.registry.create(request.toRequest(), context.idempotencyKey());
		if (created.isReplayed()) {
			context.markReplayed();
		}
		if (created.errno() != null) {
			throw new SyscallFailedException(created.errno(), null, Rlimit.DEFAULT);
		}
		return created(Objects.requireNonNull(created.session()));
	}

	private void checkTtl(@Nullable Duration ttl) {
		if (ttl != null && (ttl.compareTo(Duration.ofSeconds(1)) < 0 || ttl.compareTo(this.maxTtl) > 0)) {
			throw new MalformedRequestException("/ttl", "must be PT1S to " + this.maxTtl);
		}
	}

	private static ResponseEntity<SessionResource> created(SessionSnapshot session) {
		return ResponseEntity.created(URI.create("/v1/sessions/" + session.id())).body(SessionResource.of(session));
	}

	@GetMapping
	@Operation(operationId = "listSessions", summary = "List sessions",
			description = "Lists the sessions that have not exited, in the order of their ids.")
	SessionPage list(@RequestParam(defaultValue = PageRequest.DEFAULT_SIZE) int pageSize,
			@RequestParam(required = false) @Nullable String pageToken) {
		int size = PageRequest.size(pageSize);
		SessionId after = (pageToken != null) ? SessionId.parse(pageToken) : null;
		if (pageToken != null && after == null) {
			throw PageRequest.badToken();
		}
		List<SessionResource> page = this.registry.list(after, size).stream().map(SessionResource::of).toList();
		return new SessionPage(page, (page.size() == size) ? page.getLast().id() : null);
	}

	@GetMapping("/{id}")
	@Errnos(Errno.ESRCH)
	@Operation(operationId = "getSession", summary = "Read a session",
			description = "Looking at a session counts as using it.")
	SessionResource get(@PathVariable String id) {
		return SessionResource.of(this.calls.look(id).snapshot());
	}

	@DeleteMapping("/{id}")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	@Errnos(Errno.ESRCH)
	@Operation(operationId = "exitSession", summary = "End a process, like exit_group",
			description = "The last session that uses a table closes all of its descriptors. Children live on.")
	void exit(@PathVariable String id, CallContext context) {
		this.calls.make(id, new Syscall.Exit(), context);
	}

	@PostMapping("/{id}/fork")
	@ResponseStatus(HttpStatus.CREATED)
	@Errnos({ Errno.ESRCH, Errno.ENOMEM, Errno.EMFILE, Errno.ENFILE })
	@Operation(operationId = "forkSession", summary = "Make a child process, like fork or clone",
			description = "The child gets a copy of the table (dup_fd): the same open files under the same numbers,"
					+ " FD_CLOEXEC and all; numbers that are reserved here are free there. With shareFiles both use"
					+ " one table (CLONE_FILES).")
	ResponseEntity<SessionResource> fork(@PathVariable String id,
			@Valid @RequestBody(required = false) @Nullable ForkRequest body, CallContext context) {
		Answer answer = this.calls.make(id, Objects.requireNonNullElse(body, ForkRequest.DEFAULT).toSyscall(), context);
		return created(Objects.requireNonNull(answer.child()));
	}

	@PostMapping("/{id}/unshare")
	@Errnos({ Errno.ESRCH, Errno.ENOMEM, Errno.EMFILE })
	@Operation(operationId = "unshareFiles", summary = "Get a table of one's own, like unshare(CLONE_FILES)",
			description = "Copies the table if other sessions share it; does nothing otherwise.")
	UnshareResult unshare(@PathVariable String id, CallContext context) {
		Answer answer = this.calls.make(id, new Syscall.Unshare(), context);
		return new UnshareResult(((SyscallResult.Unshared) answer.result()).copied());
	}

	@PostMapping("/{id}/exec")
	@Errnos({ Errno.ESRCH, Errno.ENOMEM, Errno.EMFILE })
	@Operation(operationId = "execSession", summary = "Replace the program, like execve",
			description = "Makes the table private, then closes every descriptor that is marked close-on-exec."
					+ " An errno comes past the point of no return: the session has died.")
	ExecResult exec(@PathVariable String id, CallContext context) {
		Answer answer = this.calls.make(id, new Syscall.Execve(), context);
		SyscallResult.Executed executed = (SyscallResult.Executed) answer.result();
		return new ExecResult(executed.closed(), executed.unshared());
	}

	@GetMapping("/{id}/limits")
	@Errnos(Errno.ESRCH)
	@Operation(operationId = "getLimits", summary = "Read RLIMIT_NOFILE, like getrlimit")
	Limits limits(@PathVariable String id) {
		return Limits.of(this.calls.look(id).snapshot().nofile());
	}

	@PutMapping("/{id}/limits")
	@Errnos({ Errno.ESRCH, Errno.EINVAL, Errno.EPERM })
	@Operation(operationId = "setLimits", summary = "Set RLIMIT_NOFILE, like prlimit",
			description = "Descriptors at or above a lowered soft limit stay open. The hard limit can only be lowered.")
	Limits setLimits(@PathVariable String id, @Valid @RequestBody Limits body, CallContext context) {
		Syscall call = new Syscall.Prlimit(body.nofile().soft(), body.nofile().hard());
		return Limits.of(this.calls.make(id, call, context).nofile());
	}

}
