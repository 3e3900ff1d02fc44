package io.fdtable.web;

import java.util.List;
import java.util.Map;

import io.fdtable.kernel.AcceptOutcome;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.session.Answer;
import io.fdtable.session.SessionId;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import io.fdtable.web.problem.Problems;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

import org.springframework.http.ProblemDetail;

/**
 * Writes the results of a batch as JSON objects. A result has a member {@code ret} if and
 * only if the kernel model has run.
 */
final class ResultWriter {

	private final JsonGenerator json;

	ResultWriter(JsonGenerator json) {
		this.json = json;
	}

	/** Writes what a call has answered. */
	void write(Syscall call, Answer answer) {
		this.json.writeStartObject();
		writeMembers(call, answer.result(), (answer.child() != null) ? answer.child().id() : null);
		this.json.writeEndObject();
	}

	/** Writes what a call has answered into an object that has been begun. */
	void writeMembers(Syscall call, SyscallResult result, @Nullable SessionId child) {
		this.json.writeNumberProperty("ret", result.ret());
		switch (result) {
			case SyscallResult.Failure failure -> writeErrno(failure.errno());
			case SyscallResult.Descriptor made -> {
				if (call instanceof Syscall.Accept4 && made.entry().isReserved()) {
					this.json.writeBooleanProperty("pending", true);
				}
			}
			case SyscallResult.Closed closed -> this.json.writeNumberProperty("closed", closed.closed());
			case SyscallResult.Forked forked -> {
				if (child != null) {
					this.json.writeStringProperty("session", child.toString());
				}
			}
			case SyscallResult.Executed executed -> writeDescriptors("closed", executed.closed());
			case SyscallResult.Pipe pipe -> writeDescriptors("fds", new int[] { pipe.read().fd(), pipe.write().fd() });
			case SyscallResult.Received received -> {
				writeDescriptors("fds", received.entries().stream().mapToInt(FdEntry::fd).toArray());
				this.json.writeBooleanProperty("truncated", received.truncated());
			}
			case SyscallResult.Data data -> this.json.writeBinaryProperty("data", data.bytes());
			case SyscallResult.Woke woke -> writeEnded(woke.ended());
			case SyscallResult.Value value -> {
			}
			case SyscallResult.Unshared unshared -> {
			}
			case SyscallResult.Installed installed -> {
			}
		}
	}

	private void writeErrno(Errno errno) {
		this.json.writeStringProperty("errno", errno.name());
	}

	private void writeDescriptors(String name, int[] fds) {
		this.json.writeName(name);
		this.json.writeArray(fds, 0, fds.length);
	}

	private void writeEnded(List<AcceptOutcome> ended) {
		this.json.writeArrayPropertyStart("ended");
		for (AcceptOutcome accept : ended) {
			this.json.writeStartObject();
			this.json.writeNumberProperty("pid", accept.pid());
			this.json.writeNumberProperty("fd", accept.fd());
			this.json.writeStringProperty("generation", Long.toString(accept.generation()));
			this.json.writeStringProperty("errno", (accept.errno() != null) ? accept.errno().name() : null);
			this.json.writeEndObject();
		}
		this.json.writeEndArray();
	}

	/** Writes that a call was not made because one before it has failed. */
	void writeSkipped() {
		this.json.writeStartObject();
		this.json.writeBooleanProperty("skipped", true);
		this.json.writeEndObject();
	}

	/**
	 * Writes why an element was not carried out.
	 * @param problem the reason
	 * @param place what {@code position} counts: "line" from 1, or "index" from 0
	 */
	void writeProblem(ProblemDetail problem, String place, long position) {
		this.json.writeStartObject();
		this.json.writeStringProperty("type", String.valueOf(problem.getType()));
		this.json.writeStringProperty("title", problem.getTitle());
		this.json.writeNumberProperty("status", problem.getStatus());
		this.json.writeStringProperty("detail", problem.getDetail());
		this.json.writeNumberProperty(place, position);
		Map<String, Object> properties = problem.getProperties();
		if (properties != null && properties.get("errors") instanceof List<?> errors) {
			this.json.writeArrayPropertyStart("errors");
			errors.forEach((error) -> writeError((Problems.FieldError) error));
			this.json.writeEndArray();
		}
		this.json.writeEndObject();
	}

	private void writeError(Problems.FieldError error) {
		this.json.writeStartObject();
		this.json.writeStringProperty("pointer", error.pointer());
		this.json.writeStringProperty("detail", error.detail());
		this.json.writeEndObject();
	}

}
