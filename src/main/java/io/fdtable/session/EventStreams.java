package io.fdtable.session;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Opens streams of events, as many as there may be, and ends them when the service stops:
 * before the server waits for the requests that are under way. Safe from any thread.
 */
@Component
public class EventStreams implements SmartLifecycle {

	private final EventProperties bounds;

	/** Guarded by this. */
	private final Set<EventStream> streams = new HashSet<>();

	/** Guarded by this. */
	private boolean isRunning;

	EventStreams(EventProperties bounds) {
		this.bounds = bounds;
	}

	/**
	 * Opens a stream, which the caller must close.
	 * @param session whose events
	 * @param since the version of the last event that the client has seen, or null to see
	 * only what happens from now on
	 * @return a new stream
	 * @throws RequestRefusedException if there has been no such event yet, what came
	 * after it has been overwritten, or there are as many streams as there may be
	 * @throws io.fdtable.kernel.SyscallException ESRCH if the session has exited
	 */
	public synchronized EventStream open(Session session, @Nullable Long since) {
		if (!this.isRunning || this.streams.size() == this.bounds.maxStreams()) {
			throw new RequestRefusedException(RequestRefusedException.Reason.TOO_MANY_STREAMS);
		}
		EventStream stream = new EventStream(this, session.events(), session.events().open(since));
		this.streams.add(stream);
		return stream;
	}

	/**
	 * Returns how long a stream may be silent.
	 * @return the time between heartbeats
	 */
	public Duration heartbeat() {
		return this.bounds.heartbeat();
	}

	synchronized void remove(EventStream stream) {
		this.streams.remove(stream);
	}

	@Override
	public synchronized void start() {
		this.isRunning = true;
	}

	@Override
	public synchronized void stop() {
		this.isRunning = false;
		this.streams.forEach(EventStream::cutOff);
	}

	@Override
	public synchronized boolean isRunning() {
		return this.isRunning;
	}

}
