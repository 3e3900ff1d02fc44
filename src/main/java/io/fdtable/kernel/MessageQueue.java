package io.fdtable.kernel;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * The messages with open files that one process has not received yet. Each file in it has
 * a reference of the message's. Safe from any thread.
 */
final class MessageQueue {

	/** About as many as the send buffer of a Unix socket holds by default. */
	private static final int MAX_MESSAGES = 256;

	private static final int MESSAGE_BYTES = 64;

	private final Sysctl sysctl;

	/** Files in messages anywhere in the tree, like {@code unix_inflight}. */
	private final AtomicLong inFlight;

	private final Queue<OpenFile[]> messages = new ArrayDeque<>();

	private boolean closed;

	MessageQueue(Sysctl sysctl, AtomicLong inFlight) {
		this.sysctl = sysctl;
		this.inFlight = inFlight;
	}

	/**
	 * Adds a message, which takes over the caller's references.
	 * @throws SyscallException ESRCH if the process has exited; EAGAIN if the queue is
	 * full; ENOMEM if the memory budget is spent; the caller keeps its references
	 */
	synchronized void add(OpenFile[] files) {
		if (this.closed) {
			throw Errno.ESRCH.exception();
		}
		if (this.messages.size() == MAX_MESSAGES) {
			throw Errno.EAGAIN.exception();
		}
		this.sysctl.charge(bytesOf(files));
		this.inFlight.addAndGet(files.length);
		this.messages.add(files);
	}

	/** Takes the oldest message out, with its references; null if there is none. */
	synchronized OpenFile @Nullable [] poll() {
		OpenFile[] files = this.messages.poll();
		if (files != null) {
			this.sysctl.uncharge(bytesOf(files));
			this.inFlight.addAndGet(-files.length);
		}
		return files;
	}

	/** Drops every message and takes no more. */
	void close() {
		synchronized (this) {
			this.closed = true;
		}
		for (OpenFile[] files = poll(); files != null; files = poll()) {
			for (OpenFile file : files) {
				file.release();
			}
		}
	}

	private static long bytesOf(OpenFile[] files) {
		return MESSAGE_BYTES + 8L * files.length;
	}

}
