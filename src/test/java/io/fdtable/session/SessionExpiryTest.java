package io.fdtable.session;

import java.time.Duration;

import io.fdtable.kernel.AllocatorOptions;
import io.fdtable.syscall.Syscall;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards that sessions exit by themselves when, and only when, nobody uses them. */
class SessionExpiryTest {

	private static final Duration INSTANT = Duration.ofNanos(1);

	private final SessionFixture service = new SessionFixture();

	private final SettableClock clock = this.service.clock;

	private boolean lives(SessionId id) {
		this.service.expiry.sweep();
		return this.service.registry.find(id) != null;
	}

	@Test
	void exitsJustAfterItsTtl() {
		SessionId id = this.service.create();
		this.clock.advance(SessionFixture.TTL);
		assertThat(lives(id)).isTrue();
		this.clock.advance(INSTANT);
		assertThat(lives(id)).isFalse();
		assertThat(this.service.registry.sysctl().files()).isZero();
		assertThat(this.service.registry.sysctl().threads()).isZero();
		assertThat(this.service.registry.sysctl().memory()).isZero();
	}

	@Test
	void aCallProlongsItsLife() {
		SessionId id = this.service.create();
		this.clock.advance(SessionFixture.TTL);
		this.service.openFd(id);
		this.clock.advance(SessionFixture.TTL);
		assertThat(lives(id)).isTrue();
		this.clock.advance(INSTANT);
		assertThat(lives(id)).isFalse();
	}

	@Test
	void aLookProlongsItsLifeAndIsSeenInExpiresAt() {
		SessionId id = this.service.create();
		this.clock.advance(SessionFixture.TTL);
		assertThat(this.service.registry.use(id).snapshot().expiresAt())
			.isEqualTo(SettableClock.START.plus(SessionFixture.TTL).plus(SessionFixture.TTL));
		this.clock.advance(SessionFixture.TTL);
		assertThat(lives(id)).isTrue();
	}

	@Test
	void aListDoesNotProlongAnyLife() {
		SessionId id = this.service.create();
		this.clock.advance(SessionFixture.TTL.plus(INSTANT));
		assertThat(this.service.registry.list(null, 10)).hasSize(1);
		assertThat(lives(id)).isFalse();
	}

	@Test
	void eachSessionHasItsOwnTime() {
		SessionId shorter = this.service
			.create(new SessionRequest(null, 10, 10, true, AllocatorOptions.DEFAULT, Duration.ofSeconds(1)))
			.id();
		SessionId longer = this.service.create();
		this.clock.advance(Duration.ofSeconds(2));
		assertThat(lives(shorter)).isFalse();
		assertThat(lives(longer)).isTrue();
	}

	@Test
	void aParentsExpiryLeavesItsChildAlone() {
		SessionId parent = this.service.create();
		this.clock.advance(Duration.ofMinutes(1));
		SessionId child = this.service.fork(parent, true).id();
		this.clock.advance(SessionFixture.TTL);
		this.service.openFd(child);
		this.clock.advance(INSTANT);
		assertThat(lives(parent)).isFalse();
		assertThat(lives(child)).isTrue();
		assertThat(this.service.registry.use(child).snapshot().sharers()).isEqualTo(1);
	}

	@Test
	void sparesASessionThatIsUsedInTheLastMoment() {
		SessionId id = this.service.create();
		this.clock.advance(SessionFixture.TTL.plus(INSTANT));
		SessionExpiry expiry = new SessionExpiry(this.service.registry, (request) -> {
			this.service.registry.use(id);
			return this.service.executor.execute(request);
		}, this.clock);
		expiry.sweep();
		assertThat(this.service.registry.find(id)).isNotNull();
	}

	@Test
	void goesOnAfterASessionThatExitedByItselfMeanwhile() {
		SessionId one = this.service.create();
		SessionId two = this.service.create();
		this.clock.advance(SessionFixture.TTL.plus(INSTANT));
		SessionExpiry expiry = new SessionExpiry(this.service.registry, (request) -> {
			this.service.call(request.session(), new Syscall.Exit());
			return this.service.executor.execute(request);
		}, this.clock);
		expiry.sweep();
		assertThat(this.service.registry.find(one)).isNull();
		assertThat(this.service.registry.find(two)).isNull();
	}

	@Test
	void whatIsWrongWithOneSessionDoesNotKeepTheOthers() {
		SessionId first = this.service.create();
		SessionId second = this.service.create();
		SessionExpiry faulty = new SessionExpiry(this.service.registry, (request) -> {
			if (request.session().equals(this.service.registry.list(null, 1).getFirst().id())) {
				throw new IllegalStateException("I9");
			}
			return this.service.executor.execute(request);
		}, this.clock);
		this.clock.advance(SessionFixture.TTL.plus(INSTANT));
		faulty.sweep();
		assertThat(this.service.registry.list(null, 10)).hasSize(1);
		this.service.expiry.sweep();
		assertThat(this.service.registry.find(first)).isNull();
		assertThat(this.service.registry.find(second)).isNull();
	}

}
