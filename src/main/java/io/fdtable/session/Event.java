package io.fdtable.session;

import java.time.Instant;
import java.util.List;

import io.fdtable.kernel.AcceptOutcome;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.FdEntry;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.jspecify.annotations.Nullable;

/**
 * Something that has changed the table, the limits or the life of a session.
 *
 * @param version counts the events of the session from 1
 * @param time when it happened
 * @param pid the process whose session it is
 * @param change what happened
 */
public record Event(long version, Instant time, int pid, Change change) {

	/** What an event takes in memory beside its text, in bytes; its slot included. */
	private static final int BYTES = 240;

	/** What can happen. */
	public sealed interface Change {

		/** Returns what its variable part takes in memory, in bytes. */
		long bytes();

	}

	/**
	 * The session has made a call.
	 *
	 * @param call the call
	 * @param result its answer, without open files: an event must not keep one alive;
	 * where a descriptor was made and not just reserved, its number
	 */
	public record Made(Syscall call, SyscallResult result) implements Change {

		@Override
		public long bytes() {
			long text = switch (this.call) {
				case Syscall.Open open -> length(open.path()) + length(open.label());
				case Syscall.Install install -> length(install.path()) + length(install.label());
				case Syscall.Fork fork -> length(fork.label());
				default -> 0;
			};
			long numbers = switch (this.result) {
				case SyscallResult.Executed executed -> executed.closed().length;
				case SyscallResult.Received received -> 16L * received.entries().size();
				default -> 0;
			};
			return 2 * text + 4 * numbers;
		}

	}

	/**
	 * A call, often another process's, has ended an accept that the session had pending.
	 *
	 * @param outcome how it ended
	 * @param by the process that made the call
	 */
	public record AcceptEnded(AcceptOutcome outcome, int by) implements Change {

		@Override
		public long bytes() {
			return 0;
		}

	}

	/** Returns what the event takes in memory, in bytes. */
	long bytes() {
		return BYTES + this.change.bytes();
	}

	/**
	 * Tells whether a call has changed what events are about. Reading, writing and
	 * seeking change the file and not the table; what is sent or listened to changes no
	 * descriptor.
	 */
	static boolean isWorthTelling(Syscall call, SyscallResult result) {
		if (result.errno() != null) {
			return false;
		}
		return switch (call) {
			case Syscall.Read read -> false;
			case Syscall.Write write -> false;
			case Syscall.Lseek lseek -> false;
			case Syscall.Sendmsg send -> false;
			case Syscall.Listen listen -> false;
			case Syscall.Connect connect -> false;
			case Syscall.Shutdown shutdown -> false;
			case Syscall.Dup2 dup -> dup.oldFd() != dup.newFd();
			case Syscall.Fcntl fcntl -> changes(fcntl.cmd());
			case Syscall.Unshare unshare -> ((SyscallResult.Unshared) result).copied();
			case Syscall.CloseRange range -> range.flags() != 0 || ((SyscallResult.Closed) result).closed() > 0;
			default -> true;
		};
	}

	private static boolean changes(int cmd) {
		return switch (cmd) {
			case Fcntl.F_DUPFD, Fcntl.F_DUPFD_CLOEXEC, Fcntl.F_SETFD, Fcntl.F_SETFL -> true;
			default -> false;
		};
	}

	/** Describes a call that the session has made. */
	static Change made(Syscall call, SyscallResult result) {
		return new Made(call, switch (result) {
			case SyscallResult.Descriptor made when !made.entry().isReserved() -> new SyscallResult.Value(made.ret());
			case SyscallResult.Installed installed -> new SyscallResult.Value(installed.ret());
			case SyscallResult.Pipe pipe -> new SyscallResult.Pipe(withoutFile(pipe.read()), withoutFile(pipe.write()));
			case SyscallResult.Received received ->
				new SyscallResult.Received(withoutFiles(received.entries()), received.truncated());
			default -> result;
		});
	}

	private static List<FdEntry> withoutFiles(List<FdEntry> entries) {
		return entries.stream().map(Event::withoutFile).toList();
	}

	private static FdEntry withoutFile(FdEntry entry) {
		return new FdEntry(entry.fd(), entry.generation(), entry.closeOnExec(), null, 0);
	}

	private static long length(@Nullable String text) {
		return (text != null) ? text.length() : 0;
	}

}
