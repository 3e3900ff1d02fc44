package io.fdtable.session;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

import io.fdtable.kernel.Sysctl;
import io.fdtable.session.RequestRefusedException.Reason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards the promise behind an Idempotency-Key: one action and one answer per key, for a
 * fixed time, within bounds of number and memory.
 */
class IdempotencyLedgerTest {

	private static final Duration RETENTION = Duration.ofMinutes(10);

	private static final Instant NOW = SettableClock.START;

	/** What an answer takes under a key of one character, without a variable part. */
	private static final long BYTES = 402;

	private final Sysctl sysctl = new Sysctl(Sysctl.DEFAULT_NR_OPEN, 10, 10, 2000);

	private final IdempotencyLedger ledger = new IdempotencyLedger(new FdtableProperties.Idempotency(RETENTION, 3), 3,
			this.sysctl);

	private int actions;

	private record Told(int action, long bytes, boolean isReplayed) implements IdempotencyLedger.Keepable<Told> {

		@Override
		public Told replayed() {
			return new Told(this.action, this.bytes, true);
		}

	}

	private Supplier<Told> act(long bytes) {
		return () -> new Told(++this.actions, bytes, false);
	}

	private Told answer(String key, Object fingerprint, Instant now) {
		return this.ledger.answer(key, fingerprint, now, act(0));
	}

	private void assertRefused(Reason reason, Runnable request) {
		assertThatExceptionOfType(RequestRefusedException.class).isThrownBy(request::run)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	@Test
	void actsOnceForAKey() {
		assertThat(answer("a", "request", NOW)).isEqualTo(new Told(1, 0, false));
		assertThat(answer("a", "request", NOW)).isEqualTo(new Told(1, 0, true));
		assertThat(answer("b", "request", NOW)).isEqualTo(new Told(2, 0, false));
		assertThat(this.actions).isEqualTo(2);
	}

	@Test
	void actsEveryTimeWithoutAKeyAndKeepsNothing() {
		assertThat(answer(null, "request", NOW)).isEqualTo(new Told(1, 0, false));
		assertThat(answer(null, "request", NOW)).isEqualTo(new Told(2, 0, false));
		assertThat(this.sysctl.memory()).isZero();
	}

	@Test
	void refusesAKeyOfADifferentRequestAndKeepsTheFirst() {
		answer("a", "request", NOW);
		assertRefused(Reason.KEY_REUSED, () -> answer("a", "other", NOW));
		assertThat(answer("a", "request", NOW)).isEqualTo(new Told(1, 0, true));
		assertThat(this.actions).isEqualTo(1);
	}

	@Test
	void keepsAnAnswerForExactlyItsTime() {
		answer("a", "request", NOW);
		assertThat(answer("a", "request", NOW.plus(RETENTION).minusNanos(1)).isReplayed()).isTrue();
		assertThat(answer("a", "request", NOW.plus(RETENTION))).isEqualTo(new Told(2, 0, false));
	}

	@Test
	void replayingDoesNotProlongTheTime() {
		answer("a", "request", NOW);
		answer("a", "request", NOW.plus(RETENTION).minusNanos(1));
		assertThat(answer("a", "request", NOW.plus(RETENTION)).isReplayed()).isFalse();
	}

	@Test
	void refusesFurtherKeysWhenFullAndDropsNoPromise() {
		answer("a", "request", NOW);
		answer("b", "request", NOW.plusSeconds(1));
		answer("c", "request", NOW.plusSeconds(2));
		assertRefused(Reason.LEDGER_FULL, () -> answer("d", "request", NOW.plusSeconds(3)));
		assertThat(this.actions).isEqualTo(3);
		assertThat(answer("a", "request", NOW.plusSeconds(3)).isReplayed()).isTrue();
		// The oldest has run out, so one place is free, and only one.
		assertThat(answer("d", "request", NOW.plus(RETENTION)).isReplayed()).isFalse();
		assertRefused(Reason.LEDGER_FULL, () -> answer("e", "request", NOW.plus(RETENTION)));
		assertThat(answer(null, "request", NOW.plus(RETENTION)).action()).isEqualTo(5);
	}

	@Test
	void chargesForWhatItKeepsAndGivesItBackWhenItRunsOut() {
		this.ledger.answer("a", "request", NOW, act(100));
		assertThat(this.sysctl.memory()).isEqualTo(BYTES + 100);
		answer("four", "request", NOW.plusSeconds(1));
		assertThat(this.sysctl.memory()).isEqualTo(BYTES + 100 + 408);
		answer("c", "request", NOW.plus(RETENTION));
		assertThat(this.sysctl.memory()).isEqualTo(408 + BYTES);
	}

	@Test
	void givesEverythingBackWhenItsOwnerHasGone() {
		this.ledger.answer("a", "request", NOW, act(100));
		answer("b", "request", NOW);
		this.ledger.clear();
		assertThat(this.sysctl.memory()).isZero();
	}

	@Test
	void countsAPlaceSetAsideUntilItIsTakenOrGivenBack() {
		long one = this.ledger.promise("a", "request", NOW);
		long two = this.ledger.promise("b", "request", NOW);
		this.ledger.promise("c", "request", NOW);
		assertThat(this.sysctl.memory()).isEqualTo(3 * BYTES);
		assertRefused(Reason.LEDGER_FULL, () -> this.ledger.promise("d", "request", NOW));
		this.ledger.keep("a", "request", new Told(1, 0, false), NOW, one);
		assertRefused(Reason.LEDGER_FULL, () -> this.ledger.promise("d", "request", NOW));
		this.ledger.withdraw(two);
		assertThat(this.sysctl.memory()).isEqualTo(2 * BYTES);
		assertThat(answer("d", "request", NOW)).isEqualTo(new Told(1, 0, false));
		assertThat(answer("a", "request", NOW)).isEqualTo(new Told(1, 0, true));
	}

	@Test
	void chargesForWhatVariesInTheRequestBeforeItActs() {
		IdempotencyLedger.Sized large = () -> 2000 - BYTES + 1;
		assertRefused(Reason.LEDGER_FULL, () -> answer("a", large, NOW));
		assertThat(this.actions).isZero();
		IdempotencyLedger.Sized fitting = () -> 2000 - BYTES;
		assertThat(answer("a", fitting, NOW).isReplayed()).isFalse();
		assertThat(this.sysctl.memory()).isEqualTo(2000);
		this.ledger.forgetExpired(NOW.plus(RETENTION));
		assertThat(this.sysctl.memory()).isZero();
	}

	@Test
	void keepsNothingWhenTheActionThrows() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.ledger.answer("a", "request", NOW, () -> {
				throw new IllegalStateException("precondition");
			}));
		assertThat(this.sysctl.memory()).isZero();
		assertThat(answer("a", "other", NOW)).isEqualTo(new Told(1, 0, false));
	}

	@Test
	void refusesAndDoesNotActWhenTheMemoryBudgetIsSpent() {
		assertThat(this.sysctl.tryCharge(2000 - BYTES + 1)).isTrue();
		assertRefused(Reason.LEDGER_FULL, () -> answer("a", "request", NOW));
		assertThat(this.actions).isZero();
		this.sysctl.uncharge(1);
		assertThat(answer("a", "request", NOW)).isEqualTo(new Told(1, 0, false));
		assertThat(this.sysctl.memory()).isEqualTo(2000);
	}

	@Test
	void anErrorGivesThePlaceBackToo() {
		for (int i = 0; i < 10; i++) {
			assertThatExceptionOfType(StackOverflowError.class)
				.isThrownBy(() -> this.ledger.answer("a", "request", NOW, () -> {
					throw new StackOverflowError();
				}));
		}
		assertThat(this.sysctl.memory()).isZero();
		assertThat(answer("a", "request", NOW)).isEqualTo(new Told(1, 0, false));
	}

}
