package io.fdtable.trace;

import java.util.List;

import io.fdtable.kernel.CloseRange;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.FdEntry;
import io.fdtable.syscall.Syscall;
import io.fdtable.trace.TraceReport.DivergenceKind;
import org.jspecify.annotations.Nullable;

/**
 * Does calls on descriptors that exist: close, close_range, close-on-exec, and all that
 * only use one and so tell that it is open, or with EBADF that it is not.
 *
 * <p>
 * Tested by TraceTest, on recorded logs and on parts of them.
 */
final class DescriptorUses {

	private final ReplayListener listener;

	private final InitialDescriptors initial;

	private final ReplayModel model;

	private final Divergences divergences;

	private final UnseenChanges unseen;

	private final OverlappingCalls overlaps;

	DescriptorUses(ReplayListener listener, InitialDescriptors initial, ReplayModel model, Divergences divergences,
			UnseenChanges unseen, OverlappingCalls overlaps) {
		this.listener = listener;
		this.initial = initial;
		this.model = model;
		this.divergences = divergences;
		this.unseen = unseen;
		this.overlaps = overlaps;
	}

	/** Makes sure that the descriptor is open which a call duplicates or accepts from. */
	void checkSource(TracedProcess process, Call call) {
		if (call.fd >= 0 && call.type.fdArg() >= 0) {
			require(process, call, call.fd, true);
			this.listener.used(process, call.fd, call);
		}
	}

	void close(TracedProcess process, Call call) {
		if (call.failedWith("EBADF")) {
			notOpen(process, call);
			return;
		}
		if (!call.returned || call.fd < 0) {
			return;
		}
		// Linux frees the number even if close reports an error.
		require(process, call, call.fd, true);
		this.listener.closing(process, call.fd, call);
		this.model.interpret(process, new Syscall.Close(call.fd));
		this.model.closed(process, call.fd, call.offset);
	}

	void closeRange(TracedProcess process, Call call) {
		if (!call.succeeded()) {
			return;
		}
		long first = call.fd & 0xFFFF_FFFFL;
		long last = call.arg & 0xFFFF_FFFFL;
		boolean unshare = call.fdCount > 0;
		int flags = (unshare ? CloseRange.CLOSE_RANGE_UNSHARE : 0)
				| (call.closeOnExec ? CloseRange.CLOSE_RANGE_CLOEXEC : 0);
		if (unshare) {
			this.model.interpret(process, new Syscall.Unshare());
			this.model.followTable(process);
		}
		List<FdEntry> entries = process.table.files.entries((int) Math.min(first, TraceReplay.NR_OPEN),
				TraceReplay.NR_OPEN);
		if (this.model.interpret(process, new Syscall.CloseRange((int) first, (int) last, flags)).errno() != null) {
			this.model.lose(process);
			return;
		}
		if (!call.closeOnExec) {
			for (FdEntry entry : entries) {
				if (entry.fd() <= last && !entry.isReserved()) {
					this.listener.closing(process, entry.fd(), call);
					this.model.closed(process, entry.fd(), call.offset);
				}
			}
			// What no line has told yet is known to be free now.
			process.table.know((int) Math.min(first, TraceReplay.NR_OPEN),
					(int) Math.min(last + 1, TraceReplay.NR_OPEN));
		}
	}

	void closeOnExec(TracedProcess process, Call call) {
		if (call.failedWith("EBADF")) {
			notOpen(process, call);
			return;
		}
		if (!call.succeeded() || call.fd < 0) {
			return;
		}
		require(process, call, call.fd, true);
		boolean wanted = (call.op == Op.SET_CLOEXEC) ? call.closeOnExec : (call.ret & Fcntl.FD_CLOEXEC) != 0;
		boolean had = this.model.interpret(process, new Syscall.Fcntl(call.fd, Fcntl.F_GETFD, 0)).ret() == 1;
		if (call.op == Op.GET_CLOEXEC && had != wanted) {
			long made = process.table.made(call.fd);
			if (made == TracedTable.INITIAL && !had) {
				this.initial.setCloseOnExec(process.table.root, call.fd);
			}
			else if (made >= 0) {
				this.divergences.diverge(process, call, DivergenceKind.CLOSE_ON_EXEC, call.fd, Boolean.toString(had),
						Boolean.toString(wanted));
			}
		}
		this.model.interpret(process, new Syscall.Fcntl(call.fd, Fcntl.F_SETFD, wanted ? Fcntl.FD_CLOEXEC : 0));
		if (had && !wanted) {
			process.table.setCleared(call.fd, call.offset);
		}
		else if (wanted) {
			process.table.setCleared(call.fd, 0);
		}
	}

	void use(TracedProcess process, Call call) {
		if (call.fd < 0) {
			return;
		}
		if (call.failedWith("EBADF")) {
			// A file opened for reading only answers EBADF to a write, too.
			if (!process.table.isOpen(call.fd)) {
				notOpen(process, call);
			}
		}
		else if (call.succeeded()) {
			require(process, call, call.fd, true);
			this.listener.used(process, call.fd, call);
		}
		else if (call.returned && provesOpen(call.errno)) {
			require(process, call, call.fd, true);
			if (!call.failedWith("ENOTTY")) {
				this.listener.used(process, call.fd, call);
			}
		}
		if (call.op == Op.ADDRESS && call.textLength > 0 && (call.succeeded() || call.failedWith("EINPROGRESS"))) {
			process.table.setNamed(call.fd, call.offset);
		}
	}

	/** Tells whether Linux gives the error only after it has found the file. */
	private static boolean provesOpen(@Nullable String errno) {
		return errno != null && switch (errno) {
			case "ENOTTY", "ESPIPE", "EAGAIN", "ENOTSOCK", "EPIPE", "ENOTCONN", "ECONNREFUSED", "EINPROGRESS",
					"ECONNRESET", "EISDIR" ->
				true;
			default -> false;
		};
	}

	/** Makes sure that the descriptor is free to which a call answered EBADF. */
	void notOpen(TracedProcess process, Call call) {
		if (call.fd < 0) {
			return;
		}
		this.listener.notOpen(process, call.fd, call);
		require(process, call, call.fd, false);
		process.table.know(call.fd);
	}

	/** Makes sure that a number is open, or free, as the log says. */
	private void require(TracedProcess process, Call call, int fd, boolean isOpen) {
		TracedTable table = process.table;
		if (table.isOpen(fd) == isOpen || fd >= TraceReplay.NR_OPEN) {
			return;
		}
		if (table.judge != null) {
			this.overlaps.bring(process, fd, isOpen);
			return;
		}
		if (isOpen ? this.unseen.wasHidden(process, fd, fd + 1) : this.unseen.wasGone(process, fd)) {
			return;
		}
		if (isOpen) {
			this.divergences.diverge(process, call, DivergenceKind.OPEN_IN_LOG, fd, "EBADF", "open");
			this.model.place(process, fd, false, TracedTable.UNTRACED);
		}
		else {
			this.divergences.diverge(process, call, DivergenceKind.FREE_IN_LOG, fd, "open", "EBADF");
			this.model.interpret(process, new Syscall.Close(fd));
			this.model.closed(process, fd, 0);
		}
	}

}
