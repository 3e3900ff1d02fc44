package io.fdtable.session;

import java.time.Duration;

import io.fdtable.kernel.AllocatorOptions;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.Sysctl;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;

import org.springframework.util.unit.DataSize;

/** The session room as the service wires it, on a clock that only the test moves. */
final class SessionFixture {

	static final Duration TTL = Duration.ofMinutes(30);

	static final Duration RETENTION = Duration.ofMinutes(10);

	static final EventProperties EVENTS = new EventProperties(256, Duration.ofSeconds(15), 10, 10);

	final SettableClock clock = new SettableClock();

	final SessionRegistry registry;

	final LocalExecutor executor;

	final SessionExpiry expiry;

	SessionFixture(int maxSessions, int maxKeys) {
		this(maxSessions, maxKeys, EVENTS);
	}

	SessionFixture(int maxSessions, int maxKeys, EventProperties events) {
		FdtableProperties properties = new FdtableProperties(Sysctl.DEFAULT_NR_OPEN, 1000, DataSize.ofMegabytes(8),
				new FdtableProperties.File(DataSize.ofMegabytes(1)),
				new FdtableProperties.Session(maxSessions, TTL, Duration.ofHours(24)),
				new FdtableProperties.Idempotency(RETENTION, maxKeys));
		this.registry = new SessionRegistry(properties, events, this.clock);
		this.executor = new LocalExecutor(this.registry, this.clock);
		this.expiry = new SessionExpiry(this.registry, this.executor, this.clock);
	}

	SessionFixture() {
		this(100, 100);
	}

	static SessionRequest request(String label) {
		return new SessionRequest(label, 1024, 4096, true, AllocatorOptions.DEFAULT, null);
	}

	static Syscall open() {
		return new Syscall.Open(null, FileKind.OPAQUE, 0, null);
	}

	SessionId create() {
		return create(request("test")).id();
	}

	SessionSnapshot create(SessionRequest request) {
		SessionSnapshot session = this.registry.create(request, null).session();
		if (session == null) {
			throw new AssertionError("no session could be made");
		}
		return session;
	}

	Answer call(SessionId id, Syscall call) {
		return this.executor.execute(Request.of(id, call));
	}

	Answer call(SessionId id, Syscall call, String key) {
		return this.executor.execute(new Request(id, call, null, key));
	}

	SessionSnapshot fork(SessionId id, boolean shareFiles) {
		SessionSnapshot child = call(id, new Syscall.Fork(shareFiles, "child")).child();
		if (child == null) {
			throw new AssertionError("no child was made");
		}
		return child;
	}

	FdEntry openFd(SessionId id) {
		return ((SyscallResult.Descriptor) call(id, open()).result()).entry();
	}

}
