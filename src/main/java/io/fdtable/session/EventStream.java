package io.fdtable.session;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A reader of a session's events. Used by one thread, which closes it; cut off by any.
 */
public final class EventStream implements AutoCloseable {

	private final EventStreams owner;

	private final EventLog log;

	private long seen;

	private volatile boolean isCutOff;

	EventStream(EventStreams owner, EventLog log, long seen) {
		this.owner = owner;
		this.log = log;
		this.seen = seen;
	}

	/**
	 * Returns where the reader is.
	 * @return the version of the last event that {@link #next} has returned, or after
	 * which the stream began
	 */
	public long seen() {
		return this.seen;
	}

	/**
	 * Waits for events.
	 * @param patience how long to wait at most
	 * @return events in order, at least one; none if nothing has happened meanwhile; null
	 * at the end: after the exit of the session, when the service stops, or when newer
	 * events have overwritten what the reader had yet to see
	 * @throws InterruptedException if the thread is interrupted
	 */
	public @Nullable List<Event> next(Duration patience) throws InterruptedException {
		List<Event> events = this.log.next(this, patience);
		if (events != null && !events.isEmpty()) {
			this.seen = events.getLast().version();
		}
		return events;
	}

	boolean isCutOff() {
		return this.isCutOff;
	}

	void cutOff() {
		this.isCutOff = true;
		this.log.wake();
	}

	@Override
	public void close() {
		this.log.close();
		this.owner.remove(this);
	}

}
