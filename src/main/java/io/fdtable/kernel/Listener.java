package io.fdtable.kernel;

import java.util.ArrayDeque;
import java.util.Queue;

import org.jspecify.annotations.Nullable;

/**
 * What a listening socket waits with: connections for an accept, or accepts for a
 * connection, never both. Guarded by {@link Sockets}.
 */
final class Listener {

	/** Connections that no accept has taken yet, oldest first. */
	final Queue<Socket.Connection> queued = new ArrayDeque<>();

	/** Accepts that no connection has completed yet, oldest first. */
	final Queue<PendingAccept> pending = new ArrayDeque<>();

	int backlog;

	/**
	 * A call that Linux would let sleep. It pins the listening file, and the number that
	 * it has reserved stays its own: what happens to the listener's number does not
	 * matter.
	 *
	 * @param task who called
	 * @param table where the number is reserved
	 * @param fd the number
	 * @param generation which handing-out of the number it is
	 * @param listening the listening file, with a reference of this call's
	 * @param accepted the file to install, with its first reference
	 */
	record PendingAccept(Task task, FilesStruct table, int fd, long generation, OpenFile listening, OpenFile accepted) {

		AcceptOutcome complete() {
			this.table.fdInstall(this.fd, this.accepted);
			return end(null);
		}

		AcceptOutcome fail(Errno errno) {
			this.table.putUnusedFd(this.fd);
			this.accepted.release();
			return end(errno);
		}

		private AcceptOutcome end(@Nullable Errno errno) {
			this.listening.release();
			return new AcceptOutcome(this.task.pid(), this.fd, this.generation, errno);
		}

	}

}
