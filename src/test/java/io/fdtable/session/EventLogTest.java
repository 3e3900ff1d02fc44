package io.fdtable.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.fdtable.kernel.AcceptOutcome;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.SyscallException;
import io.fdtable.session.RequestRefusedException.Reason;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards what streams of events show, that what they keep is bounded, and that they never
 * hold up a call.
 */
class EventLogTest {

	private static final int RING = 4;

	private static final int MAX_STREAMS = 3;

	private static final int MAX_PER_SESSION = 2;

	private static final Syscall CLOSE = new Syscall.Close(3);

	private final EventProperties bounds = new EventProperties(RING, Duration.ofSeconds(15), MAX_STREAMS,
			MAX_PER_SESSION);

	private final SessionFixture service = new SessionFixture(10, 10, this.bounds);

	private final EventStreams streams = new EventStreams(this.bounds);

	private final SessionId id = this.service.create();

	@BeforeEach
	void start() {
		this.streams.start();
	}

	private EventStream open(SessionId session, Long since) {
		return this.streams.open(this.service.registry.use(session), since);
	}

	/** Returns what a stream has at the moment. */
	private static List<Event> read(EventStream stream) throws InterruptedException {
		return stream.next(Duration.ZERO);
	}

	private List<Event.Change> changes(SessionId session) throws InterruptedException {
		try (EventStream stream = open(session, 0L)) {
			return read(stream).stream().map(Event::change).toList();
		}
	}

	private void assertRefused(Reason reason, Long since) {
		assertThatExceptionOfType(RequestRefusedException.class).isThrownBy(() -> open(this.id, since))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	// What is told

	@Test
	void tellsACallAndItsResultWithTimeAndVersion() throws InterruptedException {
		this.service.clock.advance(Duration.ofSeconds(7));
		this.service.openFd(this.id);
		this.service.call(this.id, CLOSE);
		SyscallResult opened = new SyscallResult.Value(3);
		try (EventStream stream = open(this.id, 0L)) {
			assertThat(read(stream)).containsExactly(
					new Event(1, SettableClock.START.plusSeconds(7), 1, new Event.Made(SessionFixture.open(), opened)),
					new Event(2, SettableClock.START.plusSeconds(7), 1,
							new Event.Made(CLOSE, new SyscallResult.Value(0))));
			assertThat(stream.seen()).isEqualTo(2);
			assertThat(read(stream)).isEmpty();
		}
	}

	@Test
	void tellsNothingOfWhatChangesNothing() throws InterruptedException {
		Stream
			.of(new Syscall.Close(99), new Syscall.Fcntl(0, Fcntl.F_GETFD, 0), new Syscall.Fcntl(0, Fcntl.F_GETFL, 0),
					new Syscall.Dup2(0, 0), new Syscall.Unshare(), new Syscall.CloseRange(50, 60, 0),
					new Syscall.Fork(false, null))
			.forEach((call) -> this.service.call(this.id, call));
		assertThat(changes(this.id))
			.containsExactly(new Event.Made(new Syscall.Fork(false, null), new SyscallResult.Forked(2)));
	}

	@Test
	void aRetryIsNotToldAgain() throws InterruptedException {
		this.service.call(this.id, SessionFixture.open(), "key");
		this.service.call(this.id, SessionFixture.open(), "key");
		assertThat(changes(this.id)).hasSize(1);
	}

	@Test
	void aSharersCallsAreInItsOwnStream() throws InterruptedException {
		SessionId sharer = this.service.fork(this.id, true).id();
		this.service.openFd(sharer);
		this.service.call(this.id, CLOSE);
		assertThat(changes(this.id)).last().isEqualTo(new Event.Made(CLOSE, new SyscallResult.Value(0)));
		assertThat(changes(this.id)).hasSize(2);
		assertThat(changes(sharer)).singleElement()
			.extracting((change) -> ((Event.Made) change).call())
			.isEqualTo(SessionFixture.open());
	}

	@Test
	void aPendingAcceptIsToldWhenAnotherProcessEndsIt() throws InterruptedException {
		Syscall socket = new Syscall.Open(null, FileKind.SOCKET, 0, null);
		FdEntry listening = ((SyscallResult.Descriptor) this.service.call(this.id, socket).result()).entry();
		this.service.call(this.id, new Syscall.Listen(3, 1));
		SessionId other = this.service.fork(this.id, false).id();
		FdEntry pending = ((SyscallResult.Descriptor) this.service.call(this.id, new Syscall.Accept4(3, 0)).result())
			.entry();
		this.service.call(other, socket);
		long file = Objects.requireNonNull(listening.file()).id();
		try (EventStream stream = open(this.id, null)) {
			assertThat(this.service.call(other, new Syscall.Connect(4, file)).result().ret()).isZero();
			assertThat(read(stream)).extracting(Event::change)
				.containsExactly(new Event.AcceptEnded(new AcceptOutcome(1, 4, pending.generation(), null), 2));

			Answer again = this.service.call(this.id, new Syscall.Accept4(3, 0));
			long second = ((SyscallResult.Descriptor) again.result()).entry().generation();
			this.service.call(other, new Syscall.Shutdown(3, 2));
			assertThat(read(stream)).extracting(Event::change)
				.last()
				.isEqualTo(new Event.AcceptEnded(new AcceptOutcome(1, 5, second, Errno.EINVAL), 2));
		}
	}

	// Bounds

	@Test
	void whatIsOverwrittenIsGone() throws InterruptedException {
		for (int i = 0; i < RING + 2; i++) {
			this.service.openFd(this.id);
		}
		assertRefused(Reason.EVENTS_GONE, 1L);
		try (EventStream stream = open(this.id, 2L)) {
			assertThat(read(stream)).extracting(Event::version).containsExactly(3L, 4L, 5L, 6L);
		}
		assertRefused(Reason.NO_SUCH_EVENT, 7L);
		try (EventStream stream = open(this.id, null)) {
			assertThat(stream.seen()).isEqualTo(6);
			assertThat(read(stream)).isEmpty();
		}
	}

	@Test
	void aSlowReaderIsOvertakenAndThenCutOff() throws InterruptedException {
		try (EventStream stream = open(this.id, 0L)) {
			for (int i = 0; i < RING; i++) {
				this.service.openFd(this.id);
			}
			assertThat(read(stream)).hasSize(RING);
			for (int i = 0; i < RING + 1; i++) {
				this.service.openFd(this.id);
			}
			assertThat(read(stream)).isNull();
			assertThat(stream.seen()).isEqualTo(RING);
		}
	}

	@Test
	void streamsAreBoundedForASessionAndForTheService() {
		EventStream first = open(this.id, null);
		EventStream second = open(this.id, null);
		assertRefused(Reason.TOO_MANY_STREAMS, null);
		SessionId other = this.service.create();
		EventStream third = open(other, null);
		first.close();
		assertThat(open(this.id, null)).isNotNull();
		assertRefused(Reason.TOO_MANY_STREAMS, null);
		second.close();
		third.close();
		assertThat(open(other, null)).isNotNull();
	}

	@Test
	void whatIsKeptIsChargedAndGivenBack() {
		long before = this.service.registry.sysctl().memory();
		this.service.call(this.id, new Syscall.Dup(0));
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(before + 240);
		for (int i = 0; i < 2 * RING; i++) {
			this.service.call(this.id, new Syscall.Dup(0));
		}
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(before + RING * 240);
		this.service.call(this.id, new Syscall.Exit());
		assertThat(this.service.registry.sysctl().memory()).isZero();
	}

	@Test
	void whenTheMemoryIsSpentOldEventsMakeRoomAndNoCallIsRefused() throws InterruptedException {
		this.service.call(this.id, new Syscall.Dup(0));
		this.service.call(this.id, new Syscall.Dup(0));
		SessionId other = this.service.create();
		long left = this.service.registry.sysctl().memoryMax() - this.service.registry.sysctl().memory();
		assertThat(this.service.registry.sysctl().tryCharge(left)).isTrue();
		assertThat(this.service.call(this.id, new Syscall.Dup(0)).result().ret()).isEqualTo(5);
		assertRefused(Reason.EVENTS_GONE, 0L);
		try (EventStream stream = open(this.id, 1L)) {
			assertThat(read(stream)).extracting(Event::version).containsExactly(2L, 3L);
		}
		// Where there is nothing to drop, the event itself is.
		try (EventStream stream = open(other, null)) {
			assertThat(this.service.call(other, new Syscall.Dup(0)).result().ret()).isEqualTo(3);
			assertThat(read(stream)).isNull();
		}
		this.service.registry.sysctl().uncharge(left);
		this.service.call(other, new Syscall.Dup(0));
		try (EventStream stream = open(other, 1L)) {
			assertThat(read(stream)).extracting(Event::version).containsExactly(2L);
		}
	}

	@Test
	void eventsTakeAtMostAnEighthOfTheMemory() {
		EventMemory memory = new EventMemory(this.service.registry.sysctl());
		long share = this.service.registry.sysctl().memoryMax() / 8;
		assertThat(memory.tryCharge(share)).isTrue();
		assertThat(memory.tryCharge(1)).isFalse();
		memory.uncharge(1);
		assertThat(memory.tryCharge(1)).isTrue();
	}

	// Ends

	@Test
	void aStreamEndsWithTheExit() throws InterruptedException {
		try (EventStream stream = open(this.id, null)) {
			this.service.openFd(this.id);
			this.service.call(this.id, new Syscall.Exit());
			List<Event> events = read(stream);
			assertThat(events).hasSize(2);
			assertThat(events.getLast().change())
				.isEqualTo(new Event.Made(new Syscall.Exit(), new SyscallResult.Value(0)));
			assertThat(read(stream)).isNull();
		}
	}

	@Test
	void anExitThatFillsTheRingIsToldToo() throws InterruptedException {
		try (EventStream stream = open(this.id, 0L)) {
			for (int i = 0; i < RING; i++) {
				this.service.openFd(this.id);
			}
			this.service.call(this.id, new Syscall.Exit());
			assertThat(read(stream)).extracting(Event::version).containsExactly(1L, 2L, 3L, 4L, 5L);
			assertThat(read(stream)).isNull();
		}
	}

	@Test
	void anExpiryIsAnExit() throws InterruptedException {
		try (EventStream stream = open(this.id, null)) {
			this.service.clock.advance(SessionFixture.TTL.plusNanos(1));
			this.service.expiry.sweep();
			assertThat(read(stream)).extracting((event) -> ((Event.Made) event.change()).call())
				.containsExactly(new Syscall.Exit());
			assertThat(read(stream)).isNull();
		}
	}

	@Test
	void thereIsNoStreamAfterTheExit() {
		Session session = this.service.registry.use(this.id);
		this.service.call(this.id, new Syscall.Exit());
		assertThatExceptionOfType(SyscallException.class).isThrownBy(() -> this.streams.open(session, null))
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.ESRCH));
	}

	@Test
	void aStopEndsStreamsThatWaitAndRefusesNewOnes() throws Exception {
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
				EventStream stream = open(this.id, null)) {
			Future<List<Event>> waiting = threads.submit(() -> stream.next(Duration.ofDays(1)));
			this.streams.stop();
			assertThat(waiting.get()).isNull();
			assertThat(this.streams.isRunning()).isFalse();
			assertRefused(Reason.TOO_MANY_STREAMS, null);
		}
	}

	@Test
	void aReaderThatWaitsGetsEveryEventOnceAndInOrder() throws Exception {
		int calls = 2000;
		EventProperties wide = new EventProperties(calls, Duration.ofSeconds(15), 1, 1);
		SessionFixture busy = new SessionFixture(10, 10, wide);
		EventStreams open = new EventStreams(wide);
		open.start();
		SessionId session = busy.create();
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
				EventStream stream = open.open(busy.registry.use(session), null)) {
			Future<List<Long>> reader = threads.submit(() -> {
				List<Long> versions = new ArrayList<>();
				for (List<Event> events = stream.next(Duration.ofDays(1)); events != null; events = stream
					.next(Duration.ofDays(1))) {
					events.forEach((event) -> versions.add(event.version()));
				}
				return versions;
			});
			for (int i = 0; i < calls / 2; i++) {
				busy.openFd(session);
				busy.call(session, CLOSE);
			}
			busy.call(session, new Syscall.Exit());
			assertThat(reader.get()).isEqualTo(Stream.iterate(1L, (version) -> version + 1).limit(calls + 1L).toList());
		}
	}

	@Test
	void whatASlowReaderStillHasToReadStaysChargedAfterTheExit() throws InterruptedException {
		EventStream stream = open(this.id, null);
		this.service.call(this.id, new Syscall.Dup(0));
		this.service.call(this.id, new Syscall.Exit());
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(2 * 240);
		assertThat(read(stream)).hasSize(2);
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(2 * 240);
		stream.close();
		assertThat(this.service.registry.sysctl().memory()).isZero();
	}

	@Test
	void aReaderGetsNoMoreMemoryAtOnceThanABatchMayTake() throws InterruptedException {
		SessionFixture wide = new SessionFixture(10, 10);
		EventStreams open = new EventStreams(SessionFixture.EVENTS);
		open.start();
		SessionId session = wide.create();
		try (EventStream stream = open.open(wide.registry.use(session), null)) {
			for (int i = 0; i < 10; i++) {
				wide.call(session,
						new Syscall.Open("/" + "p".repeat(4000), io.fdtable.kernel.FileKind.REGULAR, 0, null));
			}
			// Each takes 240 and twice its 4,001 characters: two make more than 16 KiB.
			assertThat(read(stream)).extracting(Event::version).containsExactly(1L, 2L);
			assertThat(read(stream)).extracting(Event::version).containsExactly(3L, 4L);
		}
	}

}
