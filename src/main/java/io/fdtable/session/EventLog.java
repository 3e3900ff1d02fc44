package io.fdtable.session;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.fdtable.kernel.Errno;
import org.jspecify.annotations.Nullable;

/**
 * The latest events of one session, in a ring that new ones overwrite.
 *
 * <p>
 * A writer never waits for a reader: under the lock readers only copy a few references,
 * and whoever falls behind by a whole ring has lost its place. The ring grows as it
 * fills. When the memory for events is spent, the oldest make room for the newest. Safe
 * from any thread.
 */
final class EventLog {

	/** How many events a reader gets at once. */
	static final int BATCH = 64;

	/**
	 * How much memory the events that a reader gets at once may take, in bytes. A reader
	 * that does not write them out keeps them when the ring has dropped them.
	 */
	static final int BATCH_BYTES = 1 << 14;

	private static final int FIRST_SLOTS = 8;

	private final EventProperties bounds;

	private final EventMemory memory;

	private final int pid;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/** Event v is in slot v modulo the length; guarded by the lock, as all below. */
	private @Nullable Event[] slots = new Event[0];

	private long oldest = 1;

	private long newest;

	private boolean isEnded;

	private int streams;

	EventLog(EventProperties bounds, EventMemory memory, int pid) {
		this.bounds = bounds;
		this.memory = memory;
		this.pid = pid;
	}

	/** Appends an event, dropping old ones where there is no room. */
	void append(Instant time, Event.Change change) {
		this.lock.lock();
		try {
			if (this.isEnded) {
				return;
			}
			this.newest++;
			Event event = new Event(this.newest, time, this.pid, change);
			if (makeRoom(event.bytes())) {
				this.slots[index(this.newest)] = event;
			}
			else {
				this.oldest = this.newest + 1;
			}
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Appends the last event; the ring goes when the last reader has gone. */
	void end(Instant time, Event.Change change) {
		this.lock.lock();
		try {
			if (this.isEnded) {
				return;
			}
			this.newest++;
			Event last = new Event(this.newest, time, this.pid, change);
			// Whoever watches has to see the end, even where the budget is spent.
			this.memory.overcharge(last.bytes());
			makeSlot();
			this.slots[index(this.newest)] = last;
			this.isEnded = true;
			this.changed.signalAll();
			dropIfUnread();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Makes a slot for event {@code newest} and charges it, or drops everything. */
	private boolean makeRoom(long bytes) {
		if (this.newest - this.oldest >= this.bounds.ringSize()) {
			dropOldest();
		}
		while (!this.memory.tryCharge(bytes)) {
			if (this.oldest == this.newest) {
				return false;
			}
			dropOldest();
		}
		makeSlot();
		return true;
	}

	private void dropIfUnread() {
		if (this.isEnded && this.streams == 0) {
			while (this.oldest <= this.newest) {
				dropOldest();
			}
			this.slots = new Event[0];
		}
	}

	private void dropOldest() {
		this.memory.uncharge(at(this.oldest).bytes());
		this.slots[index(this.oldest)] = null;
		this.oldest++;
	}

	private void makeSlot() {
		if (this.newest - this.oldest < this.slots.length) {
			return;
		}
		@Nullable Event[] old = this.slots;
		int length = Math.min(Math.max(FIRST_SLOTS, 2 * old.length), this.bounds.ringSize() + 1);
		@Nullable Event[] wider = new Event[length];
		for (long version = this.oldest; version < this.newest; version++) {
			wider[(int) (version % length)] = old[(int) (version % old.length)];
		}
		this.slots = wider;
	}

	private int index(long version) {
		return (int) (version % this.slots.length);
	}

	private Event at(long version) {
		Event event = this.slots[index(version)];
		if (event == null) {
			throw new IllegalStateException("event " + version + " is not kept");
		}
		return event;
	}

	/**
	 * Finds the place of a new reader.
	 * @param since the version of the last event that it has seen, or null to see only
	 * what happens from now on
	 * @return the version of the last event that it has seen
	 */
	long open(@Nullable Long since) {
		this.lock.lock();
		try {
			if (this.isEnded) {
				throw Errno.ESRCH.exception();
			}
			long seen = (since != null) ? since : this.newest;
			if (seen < 0 || seen > this.newest) {
				throw new RequestRefusedException(RequestRefusedException.Reason.NO_SUCH_EVENT);
			}
			if (seen < this.oldest - 1) {
				throw new RequestRefusedException(RequestRefusedException.Reason.EVENTS_GONE);
			}
			if (this.streams == this.bounds.maxStreamsPerSession()) {
				throw new RequestRefusedException(RequestRefusedException.Reason.TOO_MANY_STREAMS);
			}
			this.streams++;
			return seen;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Takes a reader's place away. */
	void close() {
		this.lock.lock();
		try {
			this.streams--;
			dropIfUnread();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Wakes all readers, so that they see whether they are still wanted. */
	void wake() {
		this.lock.lock();
		try {
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Waits for what comes after the reader's place.
	 * @param stream the reader
	 * @param patience how long to wait at most
	 * @return events in order; none if nothing has happened; null if nothing can come any
	 * more, because the session has exited, or the reader has been overtaken or cut off
	 */
	@Nullable List<Event> next(EventStream stream, Duration patience) throws InterruptedException {
		long nanos = patience.toNanos();
		this.lock.lock();
		try {
			while (stream.seen() == this.newest && !this.isEnded && !stream.isCutOff()) {
				if (nanos <= 0) {
					return List.of();
				}
				nanos = this.changed.awaitNanos(nanos);
			}
			boolean isOvertaken = stream.seen() < this.oldest - 1;
			boolean isDone = this.isEnded && stream.seen() == this.newest;
			return (isOvertaken || isDone || stream.isCutOff()) ? null : copyAfter(stream.seen());
		}
		finally {
			this.lock.unlock();
		}
	}

	private List<Event> copyAfter(long seen) {
		List<Event> events = new ArrayList<>();
		long bytes = 0;
		for (long version = seen + 1; version <= this.newest && events.size() < BATCH
				&& bytes < BATCH_BYTES; version++) {
			Event event = at(version);
			events.add(event);
			bytes += event.bytes();
		}
		return events;
	}

}
