package io.fdtable.web;

import java.util.List;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.FdEntry;
import io.fdtable.session.Answer;
import io.fdtable.session.Session;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import io.fdtable.web.openapi.Errnos;
import io.fdtable.web.problem.SyscallFailedException;
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
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Descriptors of a session: open, close, duplicate, fcntl.
 */
@RestController
// So that what a client cannot read is refused before the call is made, not after.
@RequestMapping(path = "/v1/sessions/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Descriptors")
class DescriptorController {

	private final Calls calls;

	DescriptorController(Calls calls) {
		this.calls = calls;
	}

	/**
	 * A page of descriptors.
	 *
	 * @param fds in ascending order
	 * @param nextPageToken for the next page; missing on the last
	 */
	record DescriptorPage(List<Descriptor> fds,
			@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String nextPageToken) {
	}

	/**
	 * The body of dup.
	 *
	 * @param minFd the lowest acceptable number
	 * @param closeOnExec the FD_CLOEXEC of the duplicate
	 */
	record DupRequest(
			@Nullable @Schema(description = "The lowest acceptable number; when it is given, the call is"
					+ " fcntl(F_DUPFD) and not dup") FdNumber minFd,
			@Nullable @Schema(defaultValue = "false") Boolean closeOnExec) {

		static final DupRequest DEFAULT = new DupRequest(null, null);

		Syscall toSyscall(FdNumber fd) {
			boolean mark = Boolean.TRUE.equals(this.closeOnExec);
			if (this.minFd == null && !mark) {
				return new Syscall.Dup(fd.toInt());
			}
			FdNumber min = Objects.requireNonNullElse(this.minFd, FdNumber.ZERO);
			return new Syscall.Fcntl(fd.toInt(), mark ? Fcntl.F_DUPFD_CLOEXEC : Fcntl.F_DUPFD, min.toInt());
		}

	}

	/**
	 * The body of dup2.
	 *
	 * @param newFd the number to give
	 */
	record Dup2Request(@NotNull FdNumber newFd) {
	}

	/**
	 * The body of dup3.
	 *
	 * @param newFd the number to give
	 * @param flags names of flags
	 */
	record Dup3Request(@NotNull FdNumber newFd,
			@Nullable @Size(max = 64) @Schema(example = "[\"O_CLOEXEC\"]") List<String> flags) {
	}

	/**
	 * The answer to dup2 and dup3.
	 *
	 * @param descriptor the new descriptor
	 * @param replaced whether it referred to another file before
	 */
	record Duplicate(@JsonUnwrapped Descriptor descriptor, @Schema(
			description = "Whether the number referred to a file before, which has been closed") boolean replaced) {
	}

	/**
	 * The body of fcntl.
	 *
	 * @param cmd the name of a command
	 * @param arg its argument
	 */
	record FcntlRequest(
			@NotNull @Size(max = 64) @Schema(example = "F_DUPFD_CLOEXEC",
					description = "F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_QUERY,"
							+ " F_CREATED_QUERY, or the number of a command") String cmd,
			@Nullable @Schema(description = "An integer as in C", defaultValue = "0", example = "10") Long arg) {
	}

	/**
	 * The answer to fcntl.
	 *
	 * @param ret what the command returns in C
	 * @param accessMode the access mode that F_GETFL has returned
	 * @param flags the names of the flags that F_GETFL has returned
	 * @param descriptor the descriptor that F_DUPFD has made
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record FcntlResult(long ret, @Nullable String accessMode, @Nullable List<String> flags,
			@Nullable Descriptor descriptor) {

		static FcntlResult of(int cmd, SyscallResult result) {
			if (result instanceof SyscallResult.Descriptor made) {
				return new FcntlResult(made.ret(), null, null, Descriptor.of(made.entry()));
			}
			int ret = (int) result.ret();
			return (cmd == Fcntl.F_GETFL) ? new FcntlResult(ret, CNames.accessMode(ret), CNames.statusFlags(ret), null)
					: new FcntlResult(result.ret(), null, null, null);
		}

	}

	/**
	 * The body of close_range.
	 *
	 * @param first the lowest descriptor
	 * @param last the highest descriptor
	 * @param flags names of flags
	 */
	record CloseRangeRequest(@NotNull FdNumber first, @NotNull FdNumber last,
			@Nullable @Size(max = 64) @Schema(example = "[\"CLOSE_RANGE_CLOEXEC\"]",
					description = "CLOSE_RANGE_UNSHARE, CLOSE_RANGE_CLOEXEC") List<String> flags) {
	}

	/**
	 * The answer to close_range.
	 *
	 * @param closed how many descriptors were closed
	 */
	record CloseRangeResult(int closed) {
	}

	/**
	 * The body of pipe.
	 *
	 * @param flags names of flags
	 */
	record PipeRequest(@Nullable @Size(max = 64) @Schema(example = "[\"O_CLOEXEC\"]",
			description = "O_CLOEXEC, O_NONBLOCK, O_DIRECT") List<String> flags) {
	}

	/**
	 * The answer to pipe.
	 *
	 * @param read the end to read from
	 * @param write the end to write to
	 */
	record Pipe(Descriptor read, Descriptor write) {

		static Pipe of(SyscallResult.Pipe pipe) {
			return new Pipe(Descriptor.of(pipe.read()), Descriptor.of(pipe.write()));
		}

	}

	@PostMapping("/fds")
	@ResponseStatus(HttpStatus.CREATED)
	@Errnos({ Errno.ESRCH, Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EINVAL, Errno.ENOENT, Errno.EEXIST,
			Errno.EISDIR, Errno.ENOTDIR, Errno.ENAMETOOLONG })
	@Operation(operationId = "openFd", summary = "Allocate the lowest free descriptor, like open",
			description = "Opens a file and installs it on the lowest free number. Without a body: an opaque file"
					+ " without a name, which is what plain allocation is.")
	ResponseEntity<Descriptor> open(@PathVariable String id,
			@Valid @RequestBody(required = false) @Nullable OpenRequest body, CallContext context) {
		Syscall call = Objects.requireNonNullElse(body, OpenRequest.DEFAULT).toSyscall();
		return Descriptor.created(id, this.calls.make(id, call, context));
	}

	@GetMapping("/fds")
	@Errnos(Errno.ESRCH)
	@Operation(operationId = "listFds", summary = "List descriptors",
			description = "Lists the descriptors that are not free, in ascending order.")
	DescriptorPage list(@PathVariable String id, @RequestParam(defaultValue = PageRequest.DEFAULT_SIZE) int pageSize,
			@RequestParam(required = false) @Nullable String pageToken) {
		int size = PageRequest.size(pageSize);
		List<FdEntry> page = this.calls.look(id).files().entries(PageRequest.firstFd(pageToken), size);
		String next = (page.size() == size) ? Integer.toString(page.getLast().fd() + 1) : null;
		return new DescriptorPage(page.stream().map(Descriptor::of).toList(), next);
	}

	@GetMapping("/fds/{fd}")
	@Errnos({ Errno.ESRCH, Errno.EBADF })
	@Operation(operationId = "getFd", summary = "Read a descriptor",
			description = "A reserved number has no file; a free one answers EBADF. The ETag serves If-None-Match here"
					+ " and If-Match on what changes the descriptor.")
	ResponseEntity<Descriptor> get(@PathVariable String id, @PathVariable FdNumber fd) {
		FdEntry entry = this.calls.look(id).files().entry(fd.toInt());
		if (entry == null) {
			throw SyscallFailedException.badDescriptor();
		}
		return ResponseEntity.ok().eTag(Descriptor.etag(entry)).body(Descriptor.of(entry));
	}

	@DeleteMapping("/fds/{fd}")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	@Errnos({ Errno.ESRCH, Errno.EBADF })
	@Operation(operationId = "closeFd", summary = "Free a descriptor, like close",
			description = "The number is free the moment the call returns. A client that may retry sends If-Match or"
					+ " an Idempotency-Key, so that it never closes what somebody else was given meanwhile.")
	void close(@PathVariable String id, @PathVariable FdNumber fd, CallContext context) {
		this.calls.make(id, fd, new Syscall.Close(fd.toInt()), context);
	}

	@PostMapping("/fds/{fd}/dup")
	@ResponseStatus(HttpStatus.CREATED)
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.EMFILE, Errno.EINVAL, Errno.ENOMEM })
	@Operation(operationId = "dupFd", summary = "Duplicate a descriptor, like dup or F_DUPFD",
			description = "The lowest free number that is at least minFd, on the same open file.")
	ResponseEntity<Descriptor> dup(@PathVariable String id, @PathVariable FdNumber fd,
			@Valid @RequestBody(required = false) @Nullable DupRequest body, CallContext context) {
		Syscall call = Objects.requireNonNullElse(body, DupRequest.DEFAULT).toSyscall(fd);
		return Descriptor.created(id, this.calls.make(id, fd, call, context));
	}

	@PostMapping("/fds/{fd}/dup2")
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.EBUSY, Errno.ENOMEM })
	@Operation(operationId = "dup2Fd", summary = "Duplicate onto a given number, like dup2",
			description = "What the number referred to before is replaced in one step. With both numbers the same,"
					+ " only checks that the descriptor is open.")
	ResponseEntity<Duplicate> dup2(@PathVariable String id, @PathVariable FdNumber fd,
			@Valid @RequestBody Dup2Request body, CallContext context) {
		return duplicate(this.calls.make(id, fd, new Syscall.Dup2(fd.toInt(), body.newFd().toInt()), context));
	}

	@PostMapping("/fds/{fd}/dup3")
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.EBUSY, Errno.EINVAL, Errno.ENOMEM })
	@Operation(operationId = "dup3Fd", summary = "Duplicate onto a given number with flags, like dup3",
			description = "As dup2, with O_CLOEXEC as an option; both numbers the same is EINVAL.")
	ResponseEntity<Duplicate> dup3(@PathVariable String id, @PathVariable FdNumber fd,
			@Valid @RequestBody Dup3Request body, CallContext context) {
		Syscall call = new Syscall.Dup3(fd.toInt(), body.newFd().toInt(), CNames.openFlags(body.flags()));
		return duplicate(this.calls.make(id, fd, call, context));
	}

	private static ResponseEntity<Duplicate> duplicate(Answer answer) {
		SyscallResult.Descriptor made = (SyscallResult.Descriptor) answer.result();
		return ResponseEntity.ok()
			.eTag(Descriptor.etag(made.entry()))
			.body(new Duplicate(Descriptor.of(made.entry()), made.replaced()));
	}

	@PostMapping("/fds/{fd}/fcntl")
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.EINVAL, Errno.EMFILE, Errno.ENOMEM, Errno.ENOSYS })
	@Operation(operationId = "fcntlFd", summary = "Run a command on a descriptor, like fcntl",
			description = "Commands that Linux has and this model does not, such as locks and leases, answer ENOSYS.")
	FcntlResult fcntl(@PathVariable String id, @PathVariable FdNumber fd, @Valid @RequestBody FcntlRequest body,
			CallContext context) {
		int cmd = CNames.fcntlCommand(body.cmd());
		Syscall call = new Syscall.Fcntl(fd.toInt(), cmd, Objects.requireNonNullElse(body.arg(), 0L));
		return FcntlResult.of(cmd, this.calls.make(id, fd, call, context).result());
	}

	@PostMapping("/pipe")
	@ResponseStatus(HttpStatus.CREATED)
	@Errnos({ Errno.ESRCH, Errno.EINVAL, Errno.ENFILE, Errno.EMFILE, Errno.ENOMEM })
	@Operation(operationId = "createPipe", summary = "Make a pipe, like pipe2",
			description = "Two descriptors or none. Flags: O_CLOEXEC, O_NONBLOCK, O_DIRECT. A virtual pipe never blocks:"
					+ " where Linux would wait, the answer is EAGAIN.")
	Pipe pipe(@PathVariable String id, @Valid @RequestBody(required = false) @Nullable PipeRequest body,
			CallContext context) {
		Syscall call = new Syscall.Pipe2(CNames.openFlags((body != null) ? body.flags() : null));
		return Pipe.of((SyscallResult.Pipe) this.calls.make(id, call, context).result());
	}

	@GetMapping(path = "/fds/{fd}/info", produces = MediaType.APPLICATION_JSON_VALUE)
	@Errnos({ Errno.ESRCH, Errno.EBADF })
	@Operation(operationId = "getFdInfo", summary = "Read position and references, like /proc/pid/fdinfo",
			description = "What changes with every use, and so is no part of the descriptor's ETag. As text/plain in the"
					+ " form of /proc.")
	FdInfo info(@PathVariable String id, @PathVariable FdNumber fd) {
		return info(this.calls.look(id), fd);
	}

	@GetMapping(path = "/fds/{fd}/info", produces = MediaType.TEXT_PLAIN_VALUE)
	String infoAsInProc(@PathVariable String id, @PathVariable FdNumber fd) {
		return info(this.calls.look(id), fd).asInProc();
	}

	private static FdInfo info(Session session, FdNumber fd) {
		FdEntry entry = session.files().entry(fd.toInt());
		if (entry == null || entry.file() == null) {
			throw SyscallFailedException.badDescriptor();
		}
		return FdInfo.of(entry, session.references(entry.file()));
	}

	@PostMapping("/close-range")
	@Errnos({ Errno.ESRCH, Errno.EINVAL, Errno.ENOMEM, Errno.EMFILE })
	@Operation(operationId = "closeRange", summary = "Close or mark a range, like close_range",
			description = "Closes every descriptor of the inclusive range, or marks it close-on-exec with"
					+ " CLOSE_RANGE_CLOEXEC. CLOSE_RANGE_UNSHARE makes the table private first.")
	CloseRangeResult closeRange(@PathVariable String id, @Valid @RequestBody CloseRangeRequest body,
			CallContext context) {
		Syscall call = new Syscall.CloseRange(body.first().toInt(), body.last().toInt(),
				CNames.closeRangeFlags(body.flags()));
		return new CloseRangeResult(((SyscallResult.Closed) this.calls.make(id, call, context).result()).closed());
	}

}
