package io.fdtable.web;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.session.Lease;
import io.fdtable.session.LeaseTerms;
import io.fdtable.session.LeaseTokens;
import io.fdtable.session.ReservationProperties;
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
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Reservations: the two steps of which every open consists in the kernel.
 */
@RestController
// So that what a client cannot read is refused before the call is made, not after.
@RequestMapping(path = "/v1/sessions/{id}/reservations", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Reservations")
class ReservationController {

	static final String TOKEN_HEADER = "Reservation-Token";

	private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

	private static final Duration MIN_LEASE = Duration.ofSeconds(1);

	private final Calls calls;

	private final LeaseTokens tokens;

	private final Duration maxLease;

	ReservationController(Calls calls, LeaseTokens tokens, ReservationProperties properties) {
		this.calls = calls;
		this.tokens = tokens;
		this.maxLease = properties.maxLease();
	}

	/**
	 * The body of reserve.
	 *
	 * @param minFd the lowest acceptable number
	 * @param closeOnExec the FD_CLOEXEC of the descriptor
	 * @param lease how long the reservation may last
	 */
	record ReserveRequest(
			@Nullable @Schema(description = "The lowest acceptable number", defaultValue = "0") FdNumber minFd,
			@Nullable @Schema(defaultValue = "false") Boolean closeOnExec,
			@Nullable @Schema(type = "string", format = "duration", defaultValue = "PT30S",
					description = "How long the reservation lasts unless it is installed; PT1S to PT1H unless the"
							+ " service is set otherwise") Duration lease) {

		static final ReserveRequest DEFAULT = new ReserveRequest(null, null, null);

		Syscall toSyscall() {
			return new Syscall.Reserve(Objects.requireNonNullElse(this.minFd, FdNumber.ZERO).toInt(),
					Boolean.TRUE.equals(this.closeOnExec));
		}

	}

	/**
	 * A reservation.
	 *
	 * @param fd the reserved number
	 * @param generation which handing-out of the number it is
	 * @param token what installing and releasing demand
	 * @param expiresAt when the number is given back by itself
	 */
	record Reservation(int fd, @Schema(example = "17") String generation,
			@Schema(description = "What installing and releasing demand; shown only here",
					example = "mfrggzdfmztwq2lknnwg23tpob") String token,
			Instant expiresAt) {

		static Reservation of(Lease lease) {
			return new Reservation(lease.fd(), Long.toString(lease.generation()), lease.token(), lease.expiresAt());
		}

	}

	/**
	 * The body of install.
	 *
	 * @param token of the reservation
	 * @param path as for open
	 * @param kind as for open
	 * @param flags as for open
	 * @param label as for open
	 */
	record InstallRequest(@NotNull @Size(max = 64) @Schema(example = "mfrggzdfmztwq2lknnwg23tpob") String token,
			@Nullable @Size(max = 65536) @Schema(example = "/data/log") String path,
			@Nullable @Schema(defaultValue = "OPAQUE") FileKind kind,
			@Nullable @Size(max = 64) @Schema(example = "[\"O_RDWR\"]",
					description = "Names of open(2) flags as in C; O_CLOEXEC is ignored, as closeOnExec was decided by"
							+ " the reservation") List<String> flags,
			@Nullable @Size(max = 256) String label) {

		Syscall toSyscall(FdNumber fd) {
			return new Syscall.Install(fd.toInt(), 0, this.path, Objects.requireNonNullElse(this.kind, FileKind.OPAQUE),
					CNames.openFlags(this.flags), this.label);
		}

	}

	@PostMapping
	@ResponseStatus(HttpStatus.CREATED)
	@Errnos({ Errno.ESRCH, Errno.EMFILE, Errno.ENOMEM })
	@Operation(operationId = "reserveFd", summary = "Reserve a descriptor, like get_unused_fd_flags",
			description = "Takes the lowest free number that is at least minFd, without a file: close and dup answer"
					+ " EBADF there, dup2 onto it EBUSY. When the lease expires, or the session exits, runs a program or"
					+ " leaves its table, the number is given back. A forked child has it free.")
	ResponseEntity<Reservation> reserve(@PathVariable String id,
			@Valid @RequestBody(required = false) @Nullable ReserveRequest body, CallContext context) {
		ReserveRequest request = Objects.requireNonNullElse(body, ReserveRequest.DEFAULT);
		LeaseTerms terms = new LeaseTerms.Grant(this.tokens.next(), length(request.lease()));
		Lease lease = Objects.requireNonNull(this.calls.make(id, request.toSyscall(), terms, context).lease());
		return ResponseEntity.created(URI.create("/v1/sessions/" + id + "/reservations/" + lease.fd()))
			.body(Reservation.of(lease));
	}

	private Duration length(@Nullable Duration lease) {
		if (lease == null) {
			return (DEFAULT_LEASE.compareTo(this.maxLease) < 0) ? DEFAULT_LEASE : this.maxLease;
		}
		if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(this.maxLease) > 0) {
			throw new MalformedRequestException("/lease", "must be " + MIN_LEASE + " to " + this.maxLease);
		}
		return lease;
	}

	@PutMapping("/{fd}")
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.EBUSY, Errno.ESTALE, Errno.EINVAL, Errno.ENAMETOOLONG, Errno.ENFILE,
			Errno.ENOENT, Errno.EEXIST, Errno.EISDIR, Errno.ENOTDIR, Errno.ENOMEM })
	@Operation(operationId = "installFd", summary = "Open a file into a reserved descriptor, like fd_install",
			description = "EBADF if the number is free, EBUSY if it has a file, ESTALE if the token is not that of the"
					+ " reservation or the lease has expired. After any other errno the reservation stays.")
	ResponseEntity<Descriptor> install(@PathVariable String id, @PathVariable FdNumber fd,
			@Valid @RequestBody InstallRequest body, CallContext context) {
		LeaseTerms claim = new LeaseTerms.Claim(body.token());
		FdEntry entry = ((SyscallResult.Installed) this.calls.make(id, body.toSyscall(fd), claim, context).result())
			.entry();
		return ResponseEntity.ok().eTag(Descriptor.etag(entry)).body(Descriptor.of(entry));
	}

	@DeleteMapping("/{fd}")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.EBUSY, Errno.ESTALE })
	@Operation(operationId = "releaseFd", summary = "Give a reserved descriptor back, like put_unused_fd",
			description = "Errnos as for installFd. The token comes in a header, because paths and queries end up in"
					+ " logs.")
	void release(@PathVariable String id, @PathVariable FdNumber fd,
			@RequestHeader(TOKEN_HEADER) @Schema(example = "mfrggzdfmztwq2lknnwg23tpob",
					description = "The token of the reservation") String token,
			CallContext context) {
		this.calls.make(id, new Syscall.Release(fd.toInt(), 0), new LeaseTerms.Claim(token), context);
	}

}
