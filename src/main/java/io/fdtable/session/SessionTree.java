package io.fdtable.session;

import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.ProcessTree;

/**
 * The sessions that descend from one, and the order of their calls: whoever holds the
 * lock decides what the tree does next.
 */
final class SessionTree {

	private final String id;

	private final ProcessTree processes;

	private final Allocator allocator;

	private final ReentrantLock lock = new ReentrantLock();

	private final ConcurrentNavigableMap<Integer, Session> sessions = new ConcurrentSkipListMap<>();

	SessionTree(String id, ProcessTree processes, Allocator allocator) {
		this.id = id;
		this.processes = processes;
		this.allocator = allocator;
	}

	String id() {
		return this.id;
	}

	ProcessTree processes() {
		return this.processes;
	}

	Allocator allocator() {
		return this.allocator;
	}

	ReentrantLock lock() {
		return this.lock;
	}

	/** Returns the sessions that have not exited, by pid. */
	ConcurrentNavigableMap<Integer, Session> sessions() {
		return this.sessions;
	}

}
