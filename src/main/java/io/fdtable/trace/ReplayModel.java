package io.fdtable.trace;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.kernel.ProcessTree;
import io.fdtable.kernel.Sysctl;
import io.fdtable.kernel.Task;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallInterpreter;
import io.fdtable.syscall.SyscallResult;
import org.jspecify.annotations.Nullable;

/**
 * The kernel model that a replay works on, one step at a time, with what is known beside
 * each table kept in step: who made a number, who closed it, how many are open.
 *
 * <p>
 * Tested by TraceTest, on recorded logs and on parts of them.
 */
final class ReplayModel {

	private static final long MAX_FILES = 4_000_000;

	/**
	 * For tables and open files, in bytes; what is known beside them takes thrice as
	 * much.
	 */
	private static final long MAX_MEMORY = Runtime.getRuntime().maxMemory() / 16;

	private static final String NO_MEMORY = "memory of the tables: " + MAX_MEMORY
			+ " bytes; some processes are not followed to their end";

	private final Allocator allocator;

	private final ReplayListener listener;

	private final Sysctl sysctl = new Sysctl(TraceReplay.NR_OPEN, MAX_FILES, TraceReplay.MAX_THREADS, MAX_MEMORY);

	private final ProcessTree tree = new ProcessTree(this.sysctl);

	private final SyscallInterpreter interpreter = new SyscallInterpreter();

	private int open;

	ReplayModel(Allocator allocator, ReplayListener listener) {
		this.allocator = allocator;
		this.listener = listener;
	}

	/**
	 * Returns what the tables and open files take.
	 * @return bytes
	 */
	long bytes() {
		return this.sysctl.memory();
	}

	/** Returns how many descriptors all processes have open. */
	int open() {
		return this.open;
	}

	/**
	 * Counts descriptors that came with a copy of a table, or went with the last user.
	 */
	void count(int opened) {
		this.open += opened;
	}

	/** Makes a process without a parent, whose table is empty. */
	Task init() {
		return this.tree.init(TraceReplay.NR_OPEN, TraceReplay.NR_OPEN, false, this.allocator);
	}

	/** Makes a child, or returns null if there is no room for one. */
	@Nullable Task fork(TracedProcess parent, boolean share) {
		SyscallResult result = interpret(parent, new Syscall.Fork(share, null));
		if (result instanceof SyscallResult.Forked forked) {
			return this.tree.find(forked.pid());
		}
		this.listener
			.capped((result.errno() == Errno.ENOMEM) ? NO_MEMORY : "threads alive at once: " + TraceReplay.MAX_THREADS);
		return null;
	}

	/** Does one call as one process. */
	SyscallResult interpret(TracedProcess process, Syscall call) {
		return this.interpreter.interpret(process.task, call);
	}

	/** Reserves the lowest free number, or returns NONE. */
	int lowest(TracedProcess process, int from, boolean closeOnExec) {
		SyscallResult result = interpret(process, new Syscall.Reserve(from, closeOnExec));
		if (result.errno() == Errno.ENOMEM) {
			lose(process);
		}
		return (result.errno() == null) ? (int) result.ret() : CallUnderWay.NONE;
	}

	/** Puts a file on a reserved number. */
	boolean install(TracedProcess process, int fd, String label) {
		SyscallResult result = interpret(process, new Syscall.Install(fd, 0, null, FileKind.OPAQUE, 0, label));
		if (result.errno() != null) {
			release(process, fd);
		}
		return result.errno() == null;
	}

	/** Gives a reserved number back. */
	void release(TracedProcess process, int fd) {
		interpret(process, new Syscall.Release(fd, 0));
	}

	/** Does what the call does and returns the descriptor, or NONE if there was none. */
	int attempt(TracedProcess process, Call call) {
		SyscallResult result = interpret(process, switch (call.op) {
			case DUP -> new Syscall.Dup(call.fd);
			case DUP_FROM ->
				new Syscall.Fcntl(call.fd, call.closeOnExec ? Fcntl.F_DUPFD_CLOEXEC : Fcntl.F_DUPFD, call.arg);
			default -> new Syscall.Open(null, FileKind.OPAQUE, call.closeOnExec ? OpenFlags.O_CLOEXEC : 0, label(call));
		});
		if (result.errno() == Errno.ENOMEM || result.errno() == Errno.ENFILE) {
			lose(process);
		}
		return (result.errno() == null) ? (int) result.ret() : CallUnderWay.NONE;
	}

	/** Closes what an attempt has opened. */
	void undo(TracedProcess process, int fd) {
		if (fd >= 0) {
			interpret(process, new Syscall.Close(fd));
		}
	}

	/** Gives a process up whose table has become too large to follow. */
	void lose(TracedProcess process) {
		process.leader.isLost = true;
		this.listener.capped(NO_MEMORY);
	}

	/** The file's own note tells where it was opened; dup, fork and exec keep it. */
	static String label(Call call) {
		return Long.toString(call.offset);
	}

	/** Notes which call made a number. */
	void made(TracedProcess process, int fd, Call call) {
		int before = process.table.open;
		process.table.setMade(fd, call.offset);
		this.open += process.table.open - before;
		this.listener.made(process, fd, call);
	}

	/** Notes which call closed a number. */
	void closed(TracedProcess process, int fd, long offset) {
		int before = process.table.open;
		process.table.setClosed(fd, offset);
		this.open += process.table.open - before;
	}

	/** Opens a number without a call, because the log says that it is open. */
	boolean place(TracedProcess process, int fd, boolean closeOnExec, long origin) {
		int reserved = lowest(process, fd, closeOnExec);
		if (reserved != fd) {
			if (reserved >= 0) {
				release(process, reserved);
			}
			return false;
		}
		if (!install(process, fd, Long.toString(origin))) {
			return false;
		}
		int before = process.table.open;
		process.table.setMade(fd, origin);
		this.open += process.table.open - before;
		return true;
	}

	/** Sets the soft limit, as far as the model goes. */
	void setLimit(TracedProcess process, long soft) {
		// The hard limit of the log decides nothing that the log does not show.
		interpret(process, new Syscall.Prlimit(Math.min(soft, TraceReplay.NR_OPEN), TraceReplay.NR_OPEN));
		process.isLimitKnown = true;
	}

	/** Splits what is known of a table when the model has made it private. */
	void followTable(TracedProcess process) {
		TracedTable old = process.table;
		if (process.task.hasExited() || process.task.files() == old.files) {
			return;
		}
		process.table = old.copy(process.task.files());
		old.sharers--;
		if (old.sharers == 1) {
			old.judge = null;
		}
		this.open += process.table.open;
	}

}
