package io.fdtable.web;

import java.util.List;

import io.fdtable.kernel.Errno;
import io.fdtable.session.Answer;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import io.fdtable.web.openapi.Errnos;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.PositiveOrZero;
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
 * Hands open files from one process of a tree to another.
 */
@RestController
@RequestMapping(path = "/v1/sessions/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Transfer")
class TransferController {

	private final Calls calls;

	TransferController(Calls calls) {
		this.calls = calls;
	}

	/**
	 * The body of getfd.
	 *
	 * @param session whose descriptor
	 * @param fd which descriptor
	 */
	record GetfdRequest(@NotNull @Size(max = 64) @Schema(description = "A session of the same tree",
			example = "mfrggzdfmztwq2lknnwg23tpob-1") String session, @NotNull FdNumber fd) {
	}

	/**
	 * The body of messages.
	 *
	 * @param to who may receive
	 * @param fds what to send
	 */
	record MessageRequest(
			@NotNull @Size(max = 64) @Schema(description = "A session of the same tree",
					example = "mfrggzdfmztwq2lknnwg23tpob-2") String to,
			@NotNull @Size(max = 1024) @Schema(description = "1 to 253 descriptors") List<@NotNull FdNumber> fds) {

		int[] numbers() {
			return this.fds.stream().mapToInt(FdNumber::toInt).toArray();
		}

	}

	/**
	 * The answer to messages.
	 *
	 * @param sent how many descriptors are on their way
	 */
	record MessageResult(int sent) {
	}

	/**
	 * The body of receive.
	 *
	 * @param maxFds how many there is room for
	 * @param closeOnExec their FD_CLOEXEC
	 */
	record ReceiveRequest(
			@Nullable @PositiveOrZero @Schema(
					description = "How many descriptors there is room for; what a message has" + " beyond is dropped",
					defaultValue = "253") Integer maxFds,
			@Nullable @Schema(description = "As MSG_CMSG_CLOEXEC", defaultValue = "false") Boolean closeOnExec) {

		static final int MAX_FDS = 253;

		Syscall toSyscall() {
			return new Syscall.Recvmsg((this.maxFds != null) ? this.maxFds : MAX_FDS,
					Boolean.TRUE.equals(this.closeOnExec));
		}

	}

	/**
	 * The answer to receive.
	 *
	 * @param fds the new descriptors
	 * @param truncated whether the message had more
	 */
	record ReceiveResult(List<Descriptor> fds,
			@Schema(description = "Whether the message had more, which are dropped (MSG_CTRUNC)") boolean truncated) {
	}

	@PostMapping("/getfd")
	@ResponseStatus(HttpStatus.CREATED)
	@Errnos({ Errno.ESRCH, Errno.EPERM, Errno.EBADF, Errno.EMFILE, Errno.ENOMEM })
	@Operation(operationId = "pidfdGetfd", summary = "Take another process's open file, like pidfd_getfd",
			description = "The lowest free number here, on the same open file, always close-on-exec.")
	ResponseEntity<Descriptor> getfd(@PathVariable String id, @Valid @RequestBody GetfdRequest body,
			CallContext context) {
		Syscall call = this.calls.inTree(id, body.session(), (pid) -> new Syscall.PidfdGetfd(pid, body.fd().toInt()));
		Answer answer = this.calls.make(id, call, context);
		return Descriptor.created(id, answer);
	}

	@PostMapping("/messages")
	@ResponseStatus(HttpStatus.CREATED)
	@Errnos({ Errno.ESRCH, Errno.EPERM, Errno.EINVAL, Errno.EBADF, Errno.ETOOMANYREFS, Errno.EAGAIN, Errno.ENOMEM })
	@Operation(operationId = "sendFds", summary = "Send open files, like sendmsg with SCM_RIGHTS",
			description = "All or none. What is on its way holds its open files, also after the sender has closed them.")
	MessageResult send(@PathVariable String id, @Valid @RequestBody MessageRequest body, CallContext context) {
		Syscall call = this.calls.inTree(id, body.to(), (pid) -> new Syscall.Sendmsg(pid, body.numbers()));
		this.calls.make(id, call, context);
		return new MessageResult(body.fds().size());
	}

	@PostMapping("/messages/receive")
	@Errnos({ Errno.ESRCH, Errno.EAGAIN })
	@Operation(operationId = "receiveFds", summary = "Receive open files, like recvmsg",
			description = "Takes the oldest message. Installs as many as there is room and numbers for; the rest is"
					+ " dropped, and truncated says so.")
	ReceiveResult receive(@PathVariable String id, @Valid @RequestBody(required = false) @Nullable ReceiveRequest body,
			CallContext context) {
		ReceiveRequest request = (body != null) ? body : new ReceiveRequest(null, null);
		SyscallResult.Received received = (SyscallResult.Received) this.calls.make(id, request.toSyscall(), context)
			.result();
		return new ReceiveResult(received.entries().stream().map(Descriptor::of).toList(), received.truncated());
	}

}
