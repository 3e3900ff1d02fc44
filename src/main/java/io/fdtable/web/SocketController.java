package io.fdtable.web;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.fdtable.kernel.AcceptOutcome;
import io.fdtable.kernel.Errno;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import io.fdtable.web.openapi.Errnos;
import io.fdtable.web.problem.MalformedRequestException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sockets as far as descriptors are concerned: a pending accept holds its number reserved
 * and its listening socket pinned.
 */
@RestController
@RequestMapping(path = "/v1/sessions/{id}/fds/{fd}", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Sockets")
class SocketController {

	private static final Pattern FILE = Pattern.compile("o([1-9][0-9]{0,17})");

	/** How long a backlog is unless the caller says otherwise. */
	static final int SOMAXCONN = 4096;

	private final Calls calls;

	SocketController(Calls calls) {
		this.calls = calls;
	}

	/**
	 * The body of listen.
	 *
	 * @param backlog how many connections may wait
	 */
	record ListenRequest(@Nullable @Schema(description = "How many connections may wait for an accept",
			defaultValue = "4096") Integer backlog) {
	}

	/**
	 * The body of accept.
	 *
	 * @param flags names of flags
	 */
	record AcceptRequest(@Nullable @Size(max = 64) @Schema(example = "[\"O_CLOEXEC\"]",
			description = "O_CLOEXEC, O_NONBLOCK") List<String> flags) {
	}

	/**
	 * The body of connect.
	 *
	 * @param file the listening socket's open file
	 */
	record ConnectRequest(@NotNull @Size(max = 64) @Schema(example = "o4",
			description = "The listening socket's open file, which need"
					+ " not have a descriptor any more") String file) {

		long number() {
			Matcher matcher = FILE.matcher(this.file);
			if (!matcher.matches()) {
				throw new MalformedRequestException("/file", "must be the file of a descriptor, such as o4");
			}
			return Long.parseLong(matcher.group(1));
		}

	}

	/**
	 * The body of shutdown.
	 *
	 * @param how which directions
	 */
	record ShutdownRequest(@NotNull @Size(max = 64) @Schema(example = "SHUT_RDWR",
			description = "SHUT_RD, SHUT_WR, SHUT_RDWR, or a number") String how) {
	}

	/**
	 * The answer to connect and shutdown.
	 *
	 * @param ended the pending accepts that the call has ended
	 */
	record WokeResult(@Schema(description = "The pending accepts that the call has ended") List<EndedAccept> ended) {

		static WokeResult of(SyscallResult result) {
			return new WokeResult(((SyscallResult.Woke) result).ended().stream().map(EndedAccept::of).toList());
		}

	}

	/**
	 * A pending accept that has ended.
	 *
	 * @param pid whose
	 * @param fd the number it held reserved
	 * @param generation which handing-out of the number
	 * @param errno why it has failed
	 */
	record EndedAccept(int pid, int fd, String generation,
			@Nullable @Schema(description = "Why it has failed; null if the number has its connection now",
					example = "EINVAL") String errno) {

		static EndedAccept of(AcceptOutcome outcome) {
			Errno errno = outcome.errno();
			return new EndedAccept(outcome.pid(), outcome.fd(), Long.toString(outcome.generation()),
					(errno != null) ? errno.name() : null);
		}

	}

	@PostMapping("/listen")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.ENOTSOCK, Errno.EINVAL })
	@Operation(operationId = "listenFd", summary = "Accept connections, like listen")
	void listen(@PathVariable String id, @PathVariable FdNumber fd,
			@Valid @RequestBody(required = false) @Nullable ListenRequest body, CallContext context) {
		int backlog = (body != null && body.backlog() != null) ? body.backlog() : SOMAXCONN;
		this.calls.make(id, fd, new Syscall.Listen(fd.toInt(), backlog), context);
	}

	@PostMapping("/accept")
	@ResponseStatus(HttpStatus.CREATED)
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.ENOTSOCK, Errno.EINVAL, Errno.EMFILE, Errno.ENFILE, Errno.EAGAIN,
			Errno.ENOMEM })
	@Operation(operationId = "acceptFd", summary = "Take a connection, like accept4",
			description = "Where none waits, the call is pending: the answer is a reserved number, which a later connect"
					+ " installs. Closing or replacing the listening number neither wakes nor redirects it; shutdown"
					+ " ends it with EINVAL. With an O_NONBLOCK listener: EAGAIN.")
	ResponseEntity<Descriptor> accept(@PathVariable String id, @PathVariable FdNumber fd,
			@Valid @RequestBody(required = false) @Nullable AcceptRequest body, CallContext context) {
		Syscall call = new Syscall.Accept4(fd.toInt(), CNames.openFlags((body != null) ? body.flags() : null));
		return Descriptor.created(id, this.calls.make(id, fd, call, context));
	}

	@PostMapping("/connect")
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.ENOTSOCK, Errno.EISCONN, Errno.ECONNREFUSED, Errno.EAGAIN, Errno.ENOMEM })
	@Operation(operationId = "connectFd", summary = "Connect to a listening socket of the tree, like connect",
			description = "Completes the oldest pending accept, which gets the number it had reserved.")
	WokeResult connect(@PathVariable String id, @PathVariable FdNumber fd, @Valid @RequestBody ConnectRequest body,
			CallContext context) {
		Syscall call = new Syscall.Connect(fd.toInt(), body.number());
		return WokeResult.of(this.calls.make(id, fd, call, context).result());
	}

	@PostMapping("/shutdown")
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.ENOTSOCK, Errno.EINVAL, Errno.ENOTCONN })
	@Operation(operationId = "shutdownFd", summary = "End communication, like shutdown",
			description = "On a listening socket it ends every pending accept with EINVAL.")
	WokeResult shutdown(@PathVariable String id, @PathVariable FdNumber fd, @Valid @RequestBody ShutdownRequest body,
			CallContext context) {
		Syscall call = new Syscall.Shutdown(fd.toInt(), CNames.shutdown(body.how()));
		return WokeResult.of(this.calls.make(id, fd, call, context).result());
	}

}
