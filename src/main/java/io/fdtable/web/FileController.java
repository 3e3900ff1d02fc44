package io.fdtable.web;

import io.fdtable.kernel.Errno;
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

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Reads, writes and moves positions.
 */
@RestController
@RequestMapping(path = "/v1/sessions/{id}/fds/{fd}", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "File I/O")
class FileController {

	private final Calls calls;

	FileController(Calls calls) {
		this.calls = calls;
	}

	/**
	 * The body of read.
	 *
	 * @param count how many bytes at most
	 */
	record ReadRequest(@NotNull @PositiveOrZero @Schema(example = "4096") Long count) {
	}

	/**
	 * The answer to read.
	 *
	 * @param bytes how many were read
	 * @param data the bytes
	 */
	record ReadResult(@Schema(description = "How many bytes were read; 0 at the end of the file") int bytes,
			Base64Bytes data) {
	}

	/**
	 * The body of write.
	 *
	 * @param data the bytes
	 */
	record WriteRequest(@NotNull Base64Bytes data) {
	}

	/**
	 * The answer to write.
	 *
	 * @param bytes how many were written
	 */
	record WriteResult(@Schema(description = "How many bytes were written, possibly fewer than were sent") long bytes) {
	}

	/**
	 * The body of lseek.
	 *
	 * @param offset where to
	 * @param whence counted from where
	 */
	record LseekRequest(@NotNull Int64 offset, @NotNull @Size(max = 64) @Schema(example = "SEEK_SET",
			description = "SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA, SEEK_HOLE, or a number") String whence) {
	}

	/**
	 * The answer to lseek.
	 *
	 * @param position the new position
	 */
	record LseekResult(Int64 position) {
	}

	@PostMapping("/read")
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.EISDIR, Errno.EINVAL, Errno.EAGAIN, Errno.ENOTCONN })
	@Operation(operationId = "readFd", summary = "Read at the position, like read",
			description = "Moves the position that all duplicates share. Nothing blocks: where Linux would wait, the"
					+ " answer is EAGAIN.")
	ReadResult read(@PathVariable String id, @PathVariable FdNumber fd, @Valid @RequestBody ReadRequest body,
			CallContext context) {
		Syscall call = new Syscall.Read(fd.toInt(), body.count());
		byte[] data = ((SyscallResult.Data) this.calls.make(id, fd, call, context).result()).bytes();
		return new ReadResult(data.length, new Base64Bytes(data));
	}

	@PostMapping("/write")
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.EFBIG, Errno.EAGAIN, Errno.EPIPE, Errno.EINVAL, Errno.ENOMEM })
	@Operation(operationId = "writeFd", summary = "Write at the position, like write",
			description = "At the end of the file with O_APPEND. A pipe that is nearly full takes a part.")
	WriteResult write(@PathVariable String id, @PathVariable FdNumber fd, @Valid @RequestBody WriteRequest body,
			CallContext context) {
		Syscall call = new Syscall.Write(fd.toInt(), body.data().bytes());
		return new WriteResult(this.calls.make(id, fd, call, context).result().ret());
	}

	@PostMapping("/lseek")
	@Errnos({ Errno.ESRCH, Errno.EBADF, Errno.EINVAL, Errno.ESPIPE, Errno.ENXIO })
	@Operation(operationId = "lseekFd", summary = "Move the position, like lseek")
	LseekResult lseek(@PathVariable String id, @PathVariable FdNumber fd, @Valid @RequestBody LseekRequest body,
			CallContext context) {
		Syscall call = new Syscall.Lseek(fd.toInt(), body.offset().value(), CNames.whence(body.whence()));
		return new LseekResult(new Int64(this.calls.make(id, fd, call, context).result().ret()));
	}

}
