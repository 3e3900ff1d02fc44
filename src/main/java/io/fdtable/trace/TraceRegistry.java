package io.fdtable.trace;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.zip.GZIPInputStream;

import io.fdtable.kernel.Sysctl;
import io.fdtable.session.SessionRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * The traces that the service keeps: a bounded number, each for a bounded time after its
 * last use. Safe from any thread.
 */
@Component
public class TraceRegistry {

	private static final int GZIP_MAGIC_LENGTH = 2;

	private final TraceProperties properties;

	private final Sysctl sysctl;

	private final InstantSource clock;

	private final TraceDisk disk;

	private final SecureRandom random = new SecureRandom();

	private final Map<String, StoredTrace> traces = new ConcurrentSkipListMap<>();

	TraceRegistry(TraceProperties properties, SessionRegistry sessions, InstantSource clock) {
		this.properties = properties;
		this.sysctl = sessions.sysctl();
		this.disk = new TraceDisk(properties.maxDisk().toBytes());
		this.clock = clock;
	}

	/**
	 * Reads a log to its end and keeps it.
	 * @param log the output of strace, compressed with gzip or not
	 * @return the trace
	 * @throws TraceRefusedException if the log is too large or the traces take too much
	 * @throws IOException if the log cannot be read
	 */
	public StoredTrace add(InputStream log) throws IOException {
		StoredTrace stored = reserve();
		boolean isRead = false;
		try {
			InputStream bounded = new BoundedInputStream(unzipped(log), this.properties.maxSize().toBytes(),
					stored.memory());
			Trace trace = Trace.read(bounded, this.disk, this.sysctl, stored);
			// First, since a sweep takes what is complete and was used last too long ago.
			stored.use(this.clock.instant());
			stored.complete(trace);
			isRead = true;
			return stored;
		}
		finally {
			if (!isRead) {
				this.traces.remove(stored.id());
				stored.memory().uncharge();
			}
		}
	}

	private synchronized StoredTrace reserve() throws TraceRefusedException {
		if (this.traces.size() >= this.properties.max()) {
			throw new TraceRefusedException(TraceRefusedException.Reason.TOO_MANY,
					"there are " + this.properties.max() + " traces, which is the most that are kept");
		}
		byte[] id = new byte[16];
		this.random.nextBytes(id);
		StoredTrace stored = new StoredTrace(HexFormat.of().formatHex(id), this.clock.instant(),
				new TraceMemory(this.sysctl));
		this.traces.put(stored.id(), stored);
		return stored;
	}

	private static InputStream unzipped(InputStream log) throws IOException {
		BufferedInputStream buffered = new BufferedInputStream(log, 1 << 16);
		buffered.mark(GZIP_MAGIC_LENGTH);
		byte[] magic = buffered.readNBytes(GZIP_MAGIC_LENGTH);
		buffered.reset();
		boolean isGzip = magic.length == GZIP_MAGIC_LENGTH && magic[0] == (byte) 0x1f && magic[1] == (byte) 0x8b;
		return isGzip ? new GZIPInputStream(buffered, 1 << 16) : buffered;
	}

	/**
	 * Finds a trace and counts as using it.
	 * @param id its id
	 * @return null if there is none, or no more
	 */
	public @Nullable StoredTrace find(String id) {
		StoredTrace stored = this.traces.get(id);
		if (stored != null) {
			stored.use(this.clock.instant());
		}
		return stored;
	}

	/**
	 * Lists the traces, those that are being read included.
	 * @return in the order of their ids
	 */
	public List<StoredTrace> list() {
		return List.copyOf(this.traces.values());
	}

	/**
	 * Forgets a trace.
	 * @param id its id
	 * @return false if there was none, or it is still being read
	 */
	public boolean remove(String id) {
		StoredTrace stored = this.traces.get(id);
		Trace trace = (stored != null) ? stored.trace() : null;
		if (stored == null || trace == null || !this.traces.remove(id, stored)) {
			return false;
		}
		stored.memory().uncharge();
		trace.close();
		return true;
	}

	@Scheduled(fixedDelayString = "PT1S")
	void expire() {
		Instant deadline = this.clock.instant().minus(this.properties.ttl());
		for (StoredTrace stored : this.traces.values()) {
			if (stored.lastUse().isBefore(deadline)) {
				remove(stored.id());
			}
		}
	}

	/** Fails where the log would be larger than a log may be, or no memory is left. */
	private static final class BoundedInputStream extends FilterInputStream {

		private final long limit;

		private final TraceMemory memory;

		private long left;

		BoundedInputStream(InputStream in, long limit, TraceMemory memory) {
			super(in);
			this.memory = memory;
			this.limit = limit;
			this.left = limit;
		}

		@Override
		public int read() throws IOException {
			byte[] one = new byte[1];
			return (read(one, 0, 1) < 0) ? -1 : one[0] & 0xff;
		}

		@Override
		@SuppressWarnings("ThreadPriorityCheck") // fairness, nothing is right or wrong by
													// it
		public int read(byte[] bytes, int offset, int length) throws IOException {
			// A log that is all there must not keep a carrier of requests to itself.
			Thread.yield();
			int read = super.read(bytes, offset, length);
			this.left -= Math.max(read, 0);
			if (this.left < 0) {
				throw new TraceRefusedException(TraceRefusedException.Reason.TOO_LARGE,
						"the log is larger than " + this.limit + " bytes");
			}
			this.memory.charge(Math.max(read, 0));
			return read;
		}

	}

}
