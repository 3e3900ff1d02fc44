package io.fdtable.kernel;

import org.jspecify.annotations.Nullable;

/**
 * A stream socket. Its state changes only under the monitor of the {@link Sockets} of its
 * tree; reading and writing see the state as it is.
 *
 * <p>
 * An unconnected one answers as TCP does. A connection is local, a pipe in each
 * direction: what one end writes the other can read at once.
 */
final class Socket implements FileOperations {

	/** RCV_SHUTDOWN. */
	static final int RECEIVE = 1;

	/** SEND_SHUTDOWN. */
	static final int SEND = 2;

	private static final byte[] NOTHING = new byte[0];

	private final Sockets sockets;

	/** Null unless the socket is listening; guarded by {@link Sockets}. */
	@Nullable Listener listener;

	private volatile @Nullable Connection connection;

	private volatile int shutdown;

	Socket(Sockets sockets) {
		this.sockets = sockets;
	}

	/**
	 * One end of a connection.
	 *
	 * @param in what the peer writes to
	 * @param out what the peer reads from
	 */
	record Connection(Pipe in, Pipe out) {

		Connection {
			in.attach(true, false);
			out.attach(false, true);
		}

		void shutdown(int mask) {
			this.in.detach((mask & RECEIVE) != 0, false);
			this.out.detach(false, (mask & SEND) != 0);
		}

	}

	boolean isConnected() {
		return this.connection != null;
	}

	void connect(Connection end) {
		this.connection = end;
	}

	/** Ends one or both directions; what has been ended before stays so. */
	void shutdown(int mask) {
		Connection end = this.connection;
		if (end != null) {
			end.shutdown(mask & ~this.shutdown);
		}
		this.shutdown |= mask;
	}

	int shutdownMask() {
		return this.shutdown;
	}

	void clearShutdown() {
		this.shutdown = 0;
	}

	@Override
	public void released(OpenFile file) {
		this.sockets.close(this, file.id());
	}

	@Override
	public byte[] read(OpenFile file, int count) {
		Connection end = this.connection;
		boolean ended = (this.shutdown & RECEIVE) != 0;
		if (end != null) {
			return (ended && end.in().isEmpty()) ? NOTHING : end.in().read(count);
		}
		if (ended || count == 0) {
			return NOTHING;
		}
		throw Errno.ENOTCONN.exception();
	}

	@Override
	public int write(OpenFile file, byte[] data) {
		Connection end = this.connection;
		if (end == null || (this.shutdown & SEND) != 0) {
			throw Errno.EPIPE.exception();
		}
		return end.out().write(data, false);
	}

	@Override
	public long llseek(OpenFile file, long offset, int whence) {
		throw Errno.ESPIPE.exception();
	}

}
