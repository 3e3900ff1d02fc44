package io.fdtable.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.fdtable.kernel.AcceptOutcome;
import io.fdtable.kernel.CloseRange;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.session.Event;
import io.fdtable.session.SessionId;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes events as JSON objects: a call with the names and members that it has in a
 * batch, and its result likewise, in one object.
 */
final class EventJson {

	private static final Map<Integer, String> FCNTL_COMMANDS = Map.of(io.fdtable.kernel.Fcntl.F_DUPFD, "F_DUPFD",
			io.fdtable.kernel.Fcntl.F_DUPFD_CLOEXEC, "F_DUPFD_CLOEXEC", io.fdtable.kernel.Fcntl.F_SETFD, "F_SETFD",
			io.fdtable.kernel.Fcntl.F_SETFL, "F_SETFL");

	private EventJson() {
	}

	static void write(SessionId session, Event event, JsonGenerator json) {
		json.writeStartObject();
		json.writeStringProperty("version", Long.toString(event.version()));
		json.writeStringProperty("time", event.time().toString());
		json.writeNumberProperty("pid", event.pid());
		switch (event.change()) {
			case Event.Made(Syscall call, SyscallResult result) -> {
				call(call, json);
				new ResultWriter(json).writeMembers(call, result, child(session, result));
			}
			case Event.AcceptEnded(AcceptOutcome outcome, int by) -> {
				json.writeStringProperty("call", "accept4");
				json.writeNumberProperty("reserved", outcome.fd());
				json.writeNumberProperty("by", by);
				ret((outcome.errno() != null) ? -1 : outcome.fd(), outcome.errno(), json);
			}
		}
		json.writeEndObject();
	}

	private static void call(Syscall call, JsonGenerator json) {
		json.writeStringProperty("call", name(call));
		switch (call) {
			case Syscall.Open open -> file(open.path(), open.kind(), open.flags(), open.label(), json);
			case Syscall.Close close -> fd("fd", close.fd(), json);
			case Syscall.CloseRange range -> {
				fd("first", range.first(), json);
				fd("last", range.last(), json);
				strings("flags", closeRangeFlags(range.flags()), json);
			}
			case Syscall.Dup dup -> fd("oldFd", dup.oldFd(), json);
			case Syscall.Dup2 dup -> {
				fd("oldFd", dup.oldFd(), json);
				fd("newFd", dup.newFd(), json);
			}
			case Syscall.Dup3 dup -> {
				fd("oldFd", dup.oldFd(), json);
				fd("newFd", dup.newFd(), json);
				strings("flags", CNames.statusFlags(dup.flags()), json);
			}
			case Syscall.Fcntl fcntl -> {
				fd("fd", fcntl.fd(), json);
				json.writeStringProperty("cmd",
						FCNTL_COMMANDS.getOrDefault(fcntl.cmd(), Integer.toString(fcntl.cmd())));
				json.writeNumberProperty("arg", fcntl.arg());
			}
			case Syscall.Fork fork -> {
				json.writeBooleanProperty("shareFiles", fork.shareFiles());
				json.writeStringProperty("label", fork.label());
			}
			case Syscall.Reserve reserve -> {
				fd("minFd", reserve.minFd(), json);
				json.writeBooleanProperty("closeOnExec", reserve.closeOnExec());
			}
			case Syscall.Install install -> {
				fd("fd", install.fd(), json);
				file(install.path(), install.kind(), install.flags(), install.label(), json);
			}
			case Syscall.Release release -> fd("fd", release.fd(), json);
			case Syscall.Pipe2 pipe -> strings("flags", CNames.statusFlags(pipe.flags()), json);
			case Syscall.PidfdGetfd getfd -> {
				json.writeNumberProperty("fromPid", getfd.fromPid());
				fd("fd", getfd.fd(), json);
			}
			case Syscall.Recvmsg receive -> {
				json.writeNumberProperty("maxFds", receive.maxFds());
				json.writeBooleanProperty("closeOnExec", receive.closeOnExec());
			}
			case Syscall.Prlimit prlimit -> {
				json.writeNumberProperty("soft", prlimit.soft());
				json.writeNumberProperty("hard", prlimit.hard());
			}
			case Syscall.Accept4 accept -> {
				fd("fd", accept.fd(), json);
				strings("flags", CNames.statusFlags(accept.flags()), json);
			}
			// These have no members, or never become events.
			default -> {
			}
		}
	}

	/** Names a call as batches do, where Linux's own name is of a wider call. */
	private static String name(Syscall call) {
		return switch (call) {
			case Syscall.Open open -> "open";
			case Syscall.Fork fork -> "fork";
			case Syscall.Exit exit -> "exit";
			case Syscall.Prlimit prlimit -> "prlimit";
			default -> call.name();
		};
	}

	private static void file(@Nullable String path, FileKind kind, int flags, @Nullable String label,
			JsonGenerator json) {
		json.writeStringProperty("path", path);
		json.writeStringProperty("kind", kind.name());
		strings("flags", openFlags(flags), json);
		json.writeStringProperty("label", label);
	}

	/** The access mode is left out where it is the default, as it may be in a request. */
	private static List<String> openFlags(int flags) {
		List<String> names = new ArrayList<>();
		if ((flags & OpenFlags.O_ACCMODE) != OpenFlags.O_RDONLY) {
			names.add(CNames.accessMode(flags));
		}
		names.addAll(CNames.statusFlags(flags));
		return names;
	}

	private static List<String> closeRangeFlags(int flags) {
		return Stream
			.of(((flags & CloseRange.CLOSE_RANGE_UNSHARE) != 0) ? "CLOSE_RANGE_UNSHARE" : "",
					((flags & CloseRange.CLOSE_RANGE_CLOEXEC) != 0) ? "CLOSE_RANGE_CLOEXEC" : "")
			.filter((name) -> !name.isEmpty())
			.toList();
	}

	private static @Nullable SessionId child(SessionId session, SyscallResult result) {
		return (result instanceof SyscallResult.Forked forked) ? new SessionId(session.tree(), forked.pid()) : null;
	}

	private static void ret(long ret, @Nullable Errno errno, JsonGenerator json) {
		json.writeNumberProperty("ret", ret);
		if (errno != null) {
			json.writeStringProperty("errno", errno.name());
		}
	}

	private static void fd(String name, int fd, JsonGenerator json) {
		json.writeNumberProperty(name, Integer.toUnsignedLong(fd));
	}

	private static void strings(String name, List<String> values, JsonGenerator json) {
		json.writeArrayPropertyStart(name);
		values.forEach(json::writeString);
		json.writeEndArray();
	}

}
