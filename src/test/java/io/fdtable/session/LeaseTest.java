package io.fdtable.session;

import java.time.Duration;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.session.RequestRefusedException.Reason;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards that a reserved descriptor belongs to the holder of its token, and that no
 * reservation outlives its lease or its session.
 */
class LeaseTest {

	private static final Duration LENGTH = Duration.ofSeconds(30);

	private final SessionFixture service = new SessionFixture();

	private final SessionId id = this.service.create();

	private Answer reserve(SessionId session, String token, String key) {
		return this.service.executor.execute(
				new Request(session, new Syscall.Reserve(0, false), null, key, new LeaseTerms.Grant(token, LENGTH)));
	}

	private Lease reserve(SessionId session) {
		Lease lease = reserve(session, "token", null).lease();
		assertThat(lease).isNotNull();
		return lease;
	}

	private SyscallResult install(SessionId session, int fd, String token) {
		return claim(session, new Syscall.Install(fd, 0, "/a", FileKind.REGULAR, 0, null), token);
	}

	private SyscallResult release(SessionId session, int fd, String token) {
		return claim(session, new Syscall.Release(fd, 0), token);
	}

	private SyscallResult claim(SessionId session, Syscall call, String token) {
		return this.service.executor.execute(new Request(session, call, null, null, new LeaseTerms.Claim(token)))
			.result();
	}

	private FdEntry entry(SessionId session, int fd) {
		Session found = this.service.registry.find(session);
		assertThat(found).isNotNull();
		return found.files().entry(fd);
	}

	private static void assertFails(SyscallResult result, Errno errno) {
		assertThat(result).isEqualTo(new SyscallResult.Failure(errno));
	}

	// Holders

	@Test
	void theHolderInstallsOnce() {
		Lease lease = reserve(this.id);
		assertThat(lease)
			.isEqualTo(new Lease(3, entry(this.id, 3).generation(), "token", SettableClock.START.plus(LENGTH)));
		assertThat(install(this.id, 3, "token")).isEqualTo(new SyscallResult.Installed(entry(this.id, 3)));
		assertThat(entry(this.id, 3).generation()).isEqualTo(lease.generation());
		assertFails(install(this.id, 3, "token"), Errno.EBUSY);
		assertFails(release(this.id, 3, "token"), Errno.EBUSY);
	}

	@Test
	void theHolderReleasesOnce() {
		reserve(this.id);
		assertThat(release(this.id, 3, "token").ret()).isZero();
		assertThat(entry(this.id, 3)).isNull();
		assertFails(release(this.id, 3, "token"), Errno.EBADF);
		assertFails(install(this.id, 3, "token"), Errno.EBADF);
	}

	@Test
	void nobodyElseDoes() {
		reserve(this.id);
		assertFails(install(this.id, 3, "tokem"), Errno.ESTALE);
		assertFails(release(this.id, 3, ""), Errno.ESTALE);
		SessionId sharer = this.service.fork(this.id, true).id();
		assertFails(install(sharer, 3, "token"), Errno.ESTALE);
		assertThat(entry(this.id, 3).isReserved()).isTrue();
	}

	@Test
	void aLostReservationIsNotTheNextOne() {
		reserve(this.id, "first", null);
		this.service.call(this.id, new Syscall.Release(3, 0));
		this.service.call(this.id, new Syscall.Reserve(0, false));
		assertFails(install(this.id, 3, "first"), Errno.ESTALE);
		reserve(this.id, "second", null);
		assertFails(install(this.id, 4, "first"), Errno.ESTALE);
		assertThat(install(this.id, 4, "second").ret()).isZero();
	}

	@Test
	void aFailedInstallLeavesTheReservation() {
		reserve(this.id);
		assertFails(claim(this.id, new Syscall.Install(3, 0, "", FileKind.REGULAR, 0, null), "token"), Errno.ENOENT);
		assertThat(install(this.id, 3, "token").ret()).isZero();
	}

	@Test
	void aRetryGetsTheSameToken() {
		Answer first = reserve(this.id, "first", "key");
		Answer again = reserve(this.id, "second", "key");
		assertThat(again.isReplayed()).isTrue();
		assertThat(again.lease()).isEqualTo(first.lease());
		assertThat(entry(this.id, 4)).isNull();
		assertThatExceptionOfType(RequestRefusedException.class)
			.isThrownBy(() -> this.service.executor.execute(new Request(this.id, new Syscall.Reserve(0, false), null,
					"key", new LeaseTerms.Grant("third", LENGTH.plusSeconds(1)))))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.KEY_REUSED));
	}

	// Time

	@Test
	void anExpiredLeaseIsGivenBack() {
		reserve(this.id);
		this.service.clock.advance(LENGTH.minusNanos(1));
		this.service.expiry.sweep();
		assertThat(entry(this.id, 3)).isNotNull();
		this.service.clock.advance(Duration.ofNanos(1));
		this.service.expiry.sweep();
		assertThat(entry(this.id, 3)).isNull();
		assertThat(this.service.registry.find(this.id).calls().asMap().get("release")).containsEntry("ok", 1L);
	}

	@Test
	void aLateInstallIsStaleThoughNoSweepHasCome() {
		reserve(this.id);
		this.service.clock.advance(LENGTH);
		assertFails(install(this.id, 3, "token"), Errno.ESTALE);
		assertFails(release(this.id, 3, "token"), Errno.ESTALE);
		this.service.expiry.sweep();
		assertThat(entry(this.id, 3)).isNull();
	}

	@Test
	void theSweepLeavesWhatHasBeenInstalledOrReservedAnew() {
		reserve(this.id);
		reserve(this.id);
		install(this.id, 3, "token");
		this.service.call(this.id, new Syscall.Release(4, 0));
		this.service.call(this.id, new Syscall.Reserve(0, false));
		this.service.clock.advance(LENGTH);
		this.service.expiry.sweep();
		assertThat(entry(this.id, 3).isReserved()).isFalse();
		assertThat(entry(this.id, 4).isReserved()).isTrue();
	}

	@Test
	void theSweepDoesNotCountAsUse() {
		reserve(this.id);
		this.service.clock.advance(SessionFixture.TTL);
		this.service.expiry.sweep();
		assertThat(entry(this.id, 3)).isNull();
		this.service.clock.advance(Duration.ofNanos(1));
		this.service.expiry.sweep();
		assertThat(this.service.registry.find(this.id)).isNull();
	}

	@Test
	void anExpiryIsToldAsARelease() throws InterruptedException {
		EventStreams streams = new EventStreams(new EventProperties(8, LENGTH, 1, 1));
		streams.start();
		long generation = reserve(this.id).generation();
		try (EventStream stream = streams.open(this.service.registry.use(this.id), null)) {
			this.service.clock.advance(LENGTH);
			this.service.expiry.sweep();
			assertThat(stream.next(Duration.ZERO)).extracting(Event::change)
				.containsExactly(new Event.Made(new Syscall.Release(3, generation), new SyscallResult.Value(0)));
		}
	}

	// Processes

	@Test
	void aChildHasTheNumberFree() {
		reserve(this.id);
		SessionId child = this.service.fork(this.id, false).id();
		assertThat(entry(child, 3)).isNull();
		assertFails(install(child, 3, "token"), Errno.EBADF);
		assertThat(install(this.id, 3, "token").ret()).isZero();
	}

	@Test
	void anExitGivesTheNumberBackToThoseWhoShareTheTable() {
		SessionId sharer = this.service.fork(this.id, true).id();
		reserve(this.id);
		reserve(sharer, "other", null);
		this.service.call(this.id, new Syscall.Exit());
		assertThat(entry(sharer, 3)).isNull();
		assertThat(install(sharer, 4, "other").ret()).isZero();
	}

	@Test
	void anUnshareGivesTheNumberBackInTheTableLeftBehind() {
		SessionId sharer = this.service.fork(this.id, true).id();
		reserve(this.id);
		this.service.call(this.id, new Syscall.Unshare());
		assertThat(entry(sharer, 3)).isNull();
		assertThat(entry(this.id, 3)).isNull();
		assertFails(install(this.id, 3, "token"), Errno.EBADF);
	}

	@Test
	void anExecGivesTheNumberBack() {
		reserve(this.id);
		this.service.call(this.id, new Syscall.Execve());
		assertThat(entry(this.id, 3)).isNull();
		SessionId sharer = this.service.fork(this.id, true).id();
		reserve(this.id);
		this.service.call(this.id, new Syscall.Execve());
		assertThat(entry(sharer, 3)).isNull();
	}

	@Test
	void anExpiredSessionGivesTheNumberBack() {
		SessionId sharer = this.service.fork(this.id, true).id();
		this.service.executor.execute(new Request(this.id, new Syscall.Reserve(0, false), null, null,
				new LeaseTerms.Grant("token", Duration.ofDays(1))));
		this.service.clock.advance(SessionFixture.TTL);
		this.service.openFd(sharer);
		this.service.clock.advance(Duration.ofNanos(1));
		this.service.expiry.sweep();
		assertThat(entry(sharer, 3)).isNull();
	}

	// Memory

	@Test
	void leasesAreChargedAndGivenBack() {
		SessionFixture single = new SessionFixture(10, 10, new EventProperties(1, LENGTH, 1, 1));
		SessionId session = single.create();
		single.openFd(session);
		long before = single.registry.sysctl().memory();
		Request request = new Request(session, new Syscall.Reserve(0, false), null, null,
				new LeaseTerms.Grant("token", LENGTH));
		single.executor.execute(request);
		assertThat(single.registry.sysctl().memory()).isEqualTo(before + Leases.BYTES);
		single.executor.execute(new Request(session, new Syscall.Reserve(5000, false), null, null,
				new LeaseTerms.Grant("token", LENGTH)));
		assertThat(single.registry.sysctl().memory()).isEqualTo(before + Leases.BYTES);
		single.call(session, new Syscall.Release(4, 0));
		assertThat(single.registry.sysctl().memory()).isEqualTo(before);
		long left = single.registry.sysctl().memoryMax() - before;
		assertThat(single.registry.sysctl().tryCharge(left)).isTrue();
		assertFails(single.executor.execute(request).result(), Errno.ENOMEM);
		single.registry.sysctl().uncharge(left);
		single.executor.execute(request);
		single.call(session, new Syscall.Exit());
		assertThat(single.registry.sysctl().memory()).isZero();
	}

}
