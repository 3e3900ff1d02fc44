package io.fdtable.kernel;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The sockets of one process tree. A listening socket is found by the number of its open
 * file, as a peer finds it by a port: whether any descriptor still refers to it does not
 * matter.
 *
 * <p>
 * Its monitor guards the state of every socket of the tree. Under it the {@code fileLock}
 * of a table and the monitor of a pipe may be taken, never the other way round.
 */
final class Sockets {

	/** The default of net.core.somaxconn. */
	private static final int SOMAXCONN = 4096;

	/**
	 * What a connection that waits for an accept takes, in bytes: two pipes, its end and
	 * its place. Once it is accepted the sockets at its ends have paid for it.
	 */
	static final int CONNECTION_BYTES = 320;

	private final Sysctl sysctl;

	private final Map<Long, Socket> listening = new TreeMap<>();

	/** How many accepts are pending, so that nobody searches for one where none is. */
	private int waiting;

	Sockets(Sysctl sysctl) {
		this.sysctl = sysctl;
	}

	Socket create() {
		return new Socket(this);
	}

	synchronized void listen(Socket socket, OpenFile file, int backlog) {
		if (socket.isConnected()) {
			throw Errno.EINVAL.exception();
		}
		Listener listener = socket.listener;
		if (listener == null) {
			listener = new Listener();
			socket.listener = listener;
			socket.clearShutdown();
			this.listening.put(file.id(), socket);
		}
		listener.backlog = (Integer.compareUnsigned(backlog, SOMAXCONN) < 0) ? backlog : SOMAXCONN;
	}

	/**
	 * Gives the accept the oldest connection, or lets it wait.
	 * @throws SyscallException EINVAL if the socket is not listening; EAGAIN if it is
	 * O_NONBLOCK and no connection waits
	 */
	synchronized void accept(Socket socket, Socket accepted, Listener.PendingAccept call) {
		Listener listener = socket.listener;
		if (listener == null) {
			throw Errno.EINVAL.exception();
		}
		Socket.Connection connection = listener.queued.poll();
		if (connection != null) {
			this.sysctl.uncharge(CONNECTION_BYTES);
			accepted.connect(connection);
			call.table().fdInstall(call.fd(), call.accepted());
		}
		else if (call.listening().isNonBlocking()) {
			throw Errno.EAGAIN.exception();
		}
		else {
			call.listening().acquire();
			listener.pending.add(call);
			this.waiting++;
		}
	}

	/**
	 * Connects a socket to a listening one, completing the oldest accept that waits.
	 * @return how that accept ended; empty if none waited
	 * @throws SyscallException EISCONN if the socket is connected or listening;
	 * ECONNREFUSED if nothing listens there; EAGAIN if the backlog is full; ENOMEM if the
	 * memory budget is spent
	 */
	synchronized List<AcceptOutcome> connect(Socket socket, long file) {
		if (socket.isConnected() || socket.listener != null) {
			throw Errno.EISCONN.exception();
		}
		Socket target = this.listening.get(file);
		Listener listener = (target != null) ? target.listener : null;
		if (listener == null) {
			throw Errno.ECONNREFUSED.exception();
		}
		Listener.PendingAccept call = listener.pending.poll();
		if (call == null) {
			// Linux, too, takes one more than the backlog says.
			if (listener.queued.size() > listener.backlog) {
				throw Errno.EAGAIN.exception();
			}
			this.sysctl.charge(CONNECTION_BYTES);
			listener.queued.add(pair(socket));
			return List.of();
		}
		this.waiting--;
		((Socket) call.accepted().operations()).connect(pair(socket));
		return List.of(call.complete());
	}

	/** Makes a connection, gives the socket one end and returns the other. */
	private Socket.Connection pair(Socket socket) {
		Pipe there = new Pipe(this.sysctl);
		Pipe back = new Pipe(this.sysctl);
		socket.clearShutdown();
		socket.connect(new Socket.Connection(back, there));
		return new Socket.Connection(there, back);
	}

	/**
	 * Shuts a socket down. A listening one stops listening unless only its sending side
	 * is meant, which it does not have.
	 * @return how the accepts that waited ended
	 * @throws SyscallException ENOTCONN if the socket is neither connected nor listening
	 */
	synchronized List<AcceptOutcome> shutdown(Socket socket, OpenFile file, int mask) {
		Listener listener = socket.listener;
		if (listener != null) {
			return ((mask & Socket.RECEIVE) != 0) ? stop(socket, listener, file.id()) : List.of();
		}
		boolean connected = socket.isConnected();
		socket.shutdown(mask);
		if (!connected) {
			throw Errno.ENOTCONN.exception();
		}
		return List.of();
	}

	private List<AcceptOutcome> stop(Socket socket, Listener listener, long file) {
		socket.listener = null;
		this.listening.remove(file);
		listener.queued.forEach((connection) -> {
			this.sysctl.uncharge(CONNECTION_BYTES);
			connection.shutdown(Socket.RECEIVE | Socket.SEND);
		});
		return fail(listener, (call) -> true, Errno.EINVAL);
	}

	private List<AcceptOutcome> fail(Listener listener, Predicate<Listener.PendingAccept> which, Errno errno) {
		List<AcceptOutcome> ended = new ArrayList<>();
		for (Iterator<Listener.PendingAccept> calls = listener.pending.iterator(); calls.hasNext();) {
			Listener.PendingAccept call = calls.next();
			if (which.test(call)) {
				calls.remove();
				this.waiting--;
				ended.add(call.fail(errno));
			}
		}
		return ended;
	}

	/** Ends what the last reference to a socket's file leaves behind. */
	synchronized void close(Socket socket, long file) {
		Listener listener = socket.listener;
		if (listener != null) {
			stop(socket, listener, file);
		}
		socket.shutdown(Socket.RECEIVE | Socket.SEND);
	}

	/** Ends the accepts of a process, as a signal that kills its threads does. */
	void cancel(Task task) {
		cancel((call) -> call.task() == task);
	}

	/**
	 * Ends the accept that has reserved a number.
	 * @return false if there is none
	 */
	boolean cancel(FilesStruct table, int fd) {
		return cancel((call) -> call.table() == table && call.fd() == fd);
	}

	private synchronized boolean cancel(Predicate<Listener.PendingAccept> which) {
		if (this.waiting == 0) {
			return false;
		}
		boolean found = false;
		// Ending the last accept on a listener that has no descriptor closes it.
		for (Socket socket : List.copyOf(this.listening.values())) {
			Listener listener = socket.listener;
			found |= listener != null && !fail(listener, which, Errno.EAGAIN).isEmpty();
		}
		return found;
	}

	/** Tells whether an accept has reserved the number. */
	synchronized boolean isPending(FilesStruct table, int fd) {
		return this.waiting > 0 && this.listening.values()
			.stream()
			.map((socket) -> socket.listener)
			.anyMatch((listener) -> hasPending(listener, table, fd));
	}

	private static boolean hasPending(@Nullable Listener listener, FilesStruct table, int fd) {
		return listener != null
				&& listener.pending.stream().anyMatch((call) -> call.table() == table && call.fd() == fd);
	}

}
