package io.fdtable.session;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.kernel.Rlimit;
import io.fdtable.kernel.Seek;
import io.fdtable.session.RequestRefusedException.Reason;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards the one door to every table: conditions, calls and kept answers are one step.
 */
class LocalExecutorTest {

	private final SessionFixture service = new SessionFixture(10, 2);

	private final SessionId id = this.service.create();

	private final Syscall open = SessionFixture.open();

	private Answer callIf(Precondition precondition, Syscall call, String key) {
		return this.service.executor.execute(new Request(this.id, call, precondition, key));
	}

	private void assertRefused(Reason reason, Runnable request) {
		assertThatExceptionOfType(RequestRefusedException.class).isThrownBy(request::run)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	private static Precondition is(int fd, SlotVersion... versions) {
		return new Precondition.Unchanged(fd, List.of(versions));
	}

	private FdEntry entry(int fd) {
		return this.service.registry.use(this.id).files().entry(fd);
	}

	// Calls

	@Test
	void answersEsrchWhereThereIsNoSession() {
		SessionId nobody = new SessionId(this.id.tree(), 2);
		assertThat(this.service.call(nobody, this.open))
			.isEqualTo(new Answer(new SyscallResult.Failure(Errno.ESRCH), Rlimit.DEFAULT, null, false));
	}

	@Test
	void countsCallsByNameAndOutcomeForTheSessionAndTheService() {
		SessionId other = this.service.create();
		this.service.call(this.id, this.open);
		this.service.call(this.id, new Syscall.Close(3));
		this.service.call(this.id, new Syscall.Close(3));
		this.service.call(other, this.open);
		assertThat(this.service.registry.use(this.id).calls().asMap())
			.isEqualTo(Map.of("openat", Map.of("ok", 1L), "close", Map.of("ok", 1L, "EBADF", 1L)));
		assertThat(this.service.registry.calls().asMap())
			.isEqualTo(Map.of("openat", Map.of("ok", 2L), "close", Map.of("ok", 1L, "EBADF", 1L)));
	}

	@Test
	void tellsTheLimitsAfterTheCall() {
		assertThat(this.service.call(this.id, new Syscall.Prlimit(4, 5)).nofile()).isEqualTo(new Rlimit(4, 5));
		this.service.openFd(this.id);
		assertThat(this.service.call(this.id, this.open))
			.isEqualTo(new Answer(new SyscallResult.Failure(Errno.EMFILE), new Rlimit(4, 5), null, false));
	}

	// Retries

	@Test
	void aRetryGetsTheSameAnswerWhateverHasHappenedSince() {
		Answer first = this.service.call(this.id, this.open, "key");
		this.service.call(this.id, new Syscall.Fcntl(3, Fcntl.F_SETFD, 1));
		this.service.call(this.id, new Syscall.Close(3));
		this.service.call(this.id, new Syscall.Prlimit(10, 10));
		assertThat(this.service.call(this.id, this.open, "key"))
			.isEqualTo(new Answer(first.result(), first.nofile(), null, true));
		assertThat(entry(3)).isNull();
	}

	@Test
	void aRetryOfAFailureFailsAgainThoughItWouldNowSucceed() {
		Syscall close = new Syscall.Close(3);
		assertThat(this.service.call(this.id, close, "key").result()).isEqualTo(new SyscallResult.Failure(Errno.EBADF));
		this.service.openFd(this.id);
		Answer again = this.service.call(this.id, close, "key");
		assertThat(again.result()).isEqualTo(new SyscallResult.Failure(Errno.EBADF));
		assertThat(again.isReplayed()).isTrue();
		assertThat(entry(3)).isNotNull();
	}

	@Test
	void aRetryOfAForkMakesNoSecondChild() {
		Syscall fork = new Syscall.Fork(false, "child");
		Answer first = this.service.call(this.id, fork, "key");
		this.service.clock.advance(Duration.ofMinutes(1));
		Answer again = this.service.call(this.id, fork, "key");
		assertThat(again).isEqualTo(new Answer(new SyscallResult.Forked(2), first.nofile(), first.child(), true));
		assertThat(this.service.registry.list(null, 10)).hasSize(2);
	}

	@Test
	void aRetryIsNotCountedAsACall() {
		this.service.call(this.id, this.open, "key");
		this.service.call(this.id, this.open, "key");
		assertThat(this.service.registry.calls().asMap()).isEqualTo(Map.of("openat", Map.of("ok", 1L)));
	}

	@Test
	void aKeyBelongsToItsRequestAndItsSession() {
		SessionId other = this.service.create();
		this.service.call(this.id, this.open, "key");
		assertRefused(Reason.KEY_REUSED, () -> this.service.call(this.id, new Syscall.Close(3), "key"));
		assertRefused(Reason.KEY_REUSED, () -> callIf(is(3), this.open, "key"));
		assertThat(entry(3)).isNotNull();
		assertThat(this.service.call(other, this.open, "key").isReplayed()).isFalse();
	}

	@Test
	void refusesFurtherKeysWhenFullAndDoesNothing() {
		this.service.call(this.id, this.open, "one");
		this.service.call(this.id, this.open, "two");
		assertRefused(Reason.LEDGER_FULL, () -> this.service.call(this.id, this.open, "three"));
		assertThat(entry(5)).isNull();
		assertThat(this.service.call(this.id, this.open, "two").isReplayed()).isTrue();
		this.service.clock.advance(SessionFixture.RETENTION);
		assertThat(this.service.call(this.id, this.open, "three").result().ret()).isEqualTo(5);
	}

	@Test
	void givesBackTheMemoryOfKeptAnswersWhenTheSessionExits() {
		long before = this.service.registry.sysctl().memory();
		this.service.call(this.id, new Syscall.Fcntl(0, Fcntl.F_GETFD, 0), "one");
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(before + 406);
		this.service.call(this.id, new Syscall.Exit());
		assertThat(this.service.registry.sysctl().memory()).isZero();
	}

	@Test
	void whatIsKeptForARetryCountsWithItsEntityTags() {
		SlotVersion[] seen = new SlotVersion[64];
		Arrays.setAll(seen, (i) -> new SlotVersion(1000 + i, 0));
		seen[0] = SlotVersion.of(entry(0));
		long before = this.service.registry.sysctl().memory();
		callIf(is(0, seen), new Syscall.Fcntl(0, Fcntl.F_GETFD, 0), "k");
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(before + 402 + 64 * 40);
		this.service.call(this.id, new Syscall.Exit());
		assertThat(this.service.registry.sysctl().memory()).isZero();
	}

	@Test
	void whatIsKeptForARetryCountsWithItsData() {
		SessionId id = this.service.create();
		this.service.call(id, new Syscall.Open("/f", FileKind.REGULAR, OpenFlags.O_RDWR | OpenFlags.O_CREAT, null));
		this.service.call(id, new Syscall.Write(3, new byte[1000]));
		this.service.call(id, new Syscall.Lseek(3, 0, Seek.SEEK_SET));
		long before = this.service.registry.sysctl().memory();
		this.service.call(id, new Syscall.Read(3, 1000), "r");
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(before + 402 + 1000);
		this.service.call(id, new Syscall.Write(-1, new byte[3000]), "w");
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(before + 402 + 1000 + 402 + 3000);
		this.service.call(this.id, new Syscall.Open("x".repeat(5000), FileKind.REGULAR, 0, null), "o");
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(before + 3 * 402 + 1000 + 3000 + 10_000);
	}

	@Test
	void aRetryOfACallThatHasEndedItsSessionGetsItsAnswer() {
		Answer first = this.service.call(this.id, new Syscall.Exit(), "key");
		Answer again = this.service.call(this.id, new Syscall.Exit(), "key");
		assertThat(first.result()).isEqualTo(new SyscallResult.Value(0));
		assertThat(again).isEqualTo(new Answer(first.result(), first.nofile(), null, true));
		assertThat(this.service.call(this.id, new Syscall.Exit(), "other").result())
			.isEqualTo(new SyscallResult.Failure(Errno.ESRCH));
		assertThat(this.service.call(this.id, new Syscall.Exit()).result())
			.isEqualTo(new SyscallResult.Failure(Errno.ESRCH));
		assertRefused(Reason.KEY_REUSED, () -> this.service.call(this.id, this.open, "key"));
	}

	@Test
	void theAnswerThatEndedOneSessionIsNobodyElses() {
		SessionId other = this.service.create();
		this.service.call(this.id, new Syscall.Exit(), "key");
		Answer exit = this.service.call(other, new Syscall.Exit(), "key");
		assertThat(exit.result()).isEqualTo(new SyscallResult.Value(0));
		assertThat(exit.isReplayed()).isFalse();
	}

	@Test
	void aKeyOfTheLivingSessionIsNoKeyOfItsExit() {
		this.service.call(this.id, this.open, "key");
		assertRefused(Reason.KEY_REUSED, () -> this.service.call(this.id, new Syscall.Exit(), "key"));
		assertThat(this.service.call(this.id, new Syscall.Execve(), "exec").result().errno()).isNull();
		assertThat(this.service.call(this.id, new Syscall.Execve(), "exec").isReplayed()).isTrue();
		// The session lives on, so that its own ledger is enough for the exec.
		this.service.call(this.id, new Syscall.Exit());
		assertThat(this.service.registry.sysctl().memory()).isZero();
	}

	@Test
	void aFailedExecIsAnsweredAgainToo() {
		this.service.call(this.id, new Syscall.Dup2(0, 300));
		SessionId sharer = this.service.fork(this.id, true).id();
		this.service.registry.sysctl().setNrOpen(64);
		Answer first = this.service.call(sharer, new Syscall.Execve(), "key");
		assertThat(first.result()).isEqualTo(new SyscallResult.Failure(Errno.EMFILE));
		Answer again = this.service.call(sharer, new Syscall.Execve(), "key");
		assertThat(again).isEqualTo(new Answer(first.result(), first.nofile(), null, true));
	}

	@Test
	void theAnswerToAnExitIsKeptForItsTimeAndThenGivenBack() {
		this.service.call(this.id, new Syscall.Exit(), "key");
		// Its key has the id of the session before it: 28 characters and a space.
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(400 + 2 * (29 + 3));
		this.service.clock.advance(SessionFixture.RETENTION.minusNanos(1));
		this.service.expiry.sweep();
		assertThat(this.service.call(this.id, new Syscall.Exit(), "key").isReplayed()).isTrue();
		this.service.clock.advance(Duration.ofNanos(1));
		this.service.expiry.sweep();
		assertThat(this.service.registry.sysctl().memory()).isZero();
		assertThat(this.service.call(this.id, new Syscall.Exit(), "key").result())
			.isEqualTo(new SyscallResult.Failure(Errno.ESRCH));
	}

	@Test
	void anExitKeepsTheAnswersOfItsBatchAndNoOthers() {
		SessionFixture service = new SessionFixture(10, 4);
		SessionId id = service.create();
		Answer first = service.call(id, this.open, "k#0");
		service.call(id, this.open, "k");
		service.call(id, this.open, "kk#1");
		service.clock.advance(SessionFixture.RETENTION.minusNanos(1));
		service.call(id, new Syscall.Exit(), "k#2");
		service.clock.advance(SessionFixture.RETENTION.minusNanos(1));
		service.expiry.sweep();
		assertThat(service.call(id, this.open, "k#0"))
			.isEqualTo(new Answer(first.result(), first.nofile(), null, true));
		assertThat(service.call(id, new Syscall.Exit(), "k#2").isReplayed()).isTrue();
		assertThat(service.call(id, this.open, "k").result()).isEqualTo(new SyscallResult.Failure(Errno.ESRCH));
		assertThat(service.call(id, this.open, "kk#1").result()).isEqualTo(new SyscallResult.Failure(Errno.ESRCH));
		service.clock.advance(Duration.ofNanos(1));
		service.expiry.sweep();
		assertThat(service.registry.sysctl().memory()).isZero();
	}

	@Test
	void lastAnswersAreBoundedByTheMemoryAndNoPromiseIsDropped() {
		SessionFixture small = new SessionFixture(2, 2);
		SessionId one = small.create();
		small.call(one, new Syscall.Exit(), "key");
		for (int i = 0; i < 3; i++) {
			small.call(small.create(), new Syscall.Exit(), "key");
		}
		SessionId last = small.create();
		long left = small.registry.sysctl().memoryMax() - small.registry.sysctl().memory();
		assertThat(small.registry.sysctl().tryCharge(left)).isTrue();
		assertRefused(Reason.LEDGER_FULL, () -> small.call(last, new Syscall.Exit(), "key"));
		assertThat(small.registry.find(last)).isNotNull();
		assertThat(small.call(one, new Syscall.Exit(), "key").isReplayed()).isTrue();
		assertThat(small.call(last, new Syscall.Exit()).result()).isEqualTo(new SyscallResult.Value(0));
	}

	/** The answer keeps the file in memory, whoever has closed it. */
	@Test
	void whatIsKeptForARetryCountsWithItsFiles() {
		long before = memory();
		this.service.call(this.id, new Syscall.Open("/file", FileKind.REGULAR, 0, "label"), "k");
		this.service.call(this.id, new Syscall.Close(3));
		// The path's entry stays, and two events: 240 each and the texts of the open.
		long others = 80 + 96 + 2 * 5 + 240 + 2 * (5 + 5) + 240;
		long kept = 400 + 2 + 2 * (5 + 5) + 48 + 160 + 2 * (5 + 5);
		assertThat(memory()).isEqualTo(before + others + kept);
		before = memory();
		this.service.call(this.id, new Syscall.Pipe2(0), "p");
		this.service.call(this.id, new Syscall.Close(3));
		this.service.call(this.id, new Syscall.Close(4));
		assertThat(memory()).isEqualTo(before + 3 * 240 + 402 + 2 * (48 + 248));
	}

	@Test
	void labelsInRequestsAreChargedWithTheirAnswers() {
		long before = memory();
		SessionRequest request = SessionFixture.request("l".repeat(200));
		this.service.registry.create(request, "c");
		long session = memory() - before;
		this.service.registry.create(request, null);
		assertThat(session).isEqualTo(memory() - before - session + 402 + 400);
		before = memory();
		this.service.call(this.id, new Syscall.Fork(true, "l".repeat(100)), "f");
		assertThat(memory()).isEqualTo(before + 402 + 200 + 240 + 200);
	}

	private long memory() {
		return this.service.registry.sysctl().memory();
	}

	@Test
	void concurrentRetriesOfAnExitAllGetItsAnswer() throws InterruptedException {
		for (int round = 0; round < 50; round++) {
			SessionFixture fresh = new SessionFixture(10, 2);
			SessionId session = fresh.create();
			Callable<Answer> retry = () -> fresh.call(session, new Syscall.Exit(), "key");
			try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
				List<Answer> answers = threads.invokeAll(Collections.nCopies(16, retry))
					.stream()
					.map(Future::resultNow)
					.toList();
				assertThat(answers).extracting(Answer::result).containsOnly(new SyscallResult.Value(0));
				assertThat(answers).filteredOn(Answer::isReplayed).hasSize(15);
			}
		}
	}

	@Test
	void concurrentRetriesGetOneDescriptor() throws InterruptedException {
		Callable<Answer> retry = () -> this.service.call(this.id, this.open, "key");
		List<Answer> answers;
		try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
			answers = threads.invokeAll(Collections.nCopies(16, retry)).stream().map(Future::resultNow).toList();
		}
		assertThat(answers).hasSize(16).extracting((answer) -> answer.result().ret()).containsOnly(3L);
		assertThat(answers).extracting(Answer::result).containsOnly(answers.getFirst().result());
		assertThat(answers).filteredOn(Answer::isReplayed).hasSize(15);
		assertThat(this.service.registry.use(this.id).files().statistics().open()).isEqualTo(4);
	}

	// Conditions

	@Test
	void aDescriptorThatHasChangedHandsIsNotClosed() {
		SlotVersion seen = SlotVersion.of(this.service.openFd(this.id));
		this.service.call(this.id, new Syscall.Close(3));
		SlotVersion now = SlotVersion.of(this.service.openFd(this.id));
		assertRefused(Reason.PRECONDITION_FAILED, () -> callIf(is(3, seen), new Syscall.Close(3), null));
		assertThat(entry(3)).isNotNull();
		assertThat(callIf(is(3, seen, now), new Syscall.Close(3), null).result()).isEqualTo(new SyscallResult.Value(0));
		assertThat(entry(3)).isNull();
	}

	@Test
	void aChangeOfFlagsIsAChange() {
		SlotVersion seen = SlotVersion.of(this.service.openFd(this.id));
		this.service.call(this.id, new Syscall.Fcntl(3, Fcntl.F_SETFD, 1));
		assertRefused(Reason.PRECONDITION_FAILED, () -> callIf(is(3, seen), new Syscall.Close(3), null));
		this.service.call(this.id, new Syscall.Fcntl(3, Fcntl.F_SETFD, 0));
		assertThat(callIf(is(3, seen), new Syscall.Close(3), null).result().ret()).isZero();
	}

	@Test
	void anyVersionWillDoButThereMustBeOne() {
		this.service.openFd(this.id);
		assertThat(callIf(is(3), new Syscall.Close(3), null).result().ret()).isZero();
		assertRefused(Reason.PRECONDITION_FAILED, () -> callIf(is(3), new Syscall.Close(3), null));
		assertRefused(Reason.PRECONDITION_FAILED, () -> callIf(is(-1), new Syscall.Close(-1), null));
	}

	@Test
	void aReservedDescriptorIsNotThere() {
		this.service.registry.use(this.id).files().allocFd(0, 1024, false);
		assertRefused(Reason.PRECONDITION_FAILED, () -> callIf(is(3), new Syscall.Close(3), null));
		assertRefused(Reason.PRECONDITION_FAILED,
				() -> callIf(is(3, SlotVersion.of(entry(3))), new Syscall.Close(3), null));
	}

	@Test
	void nothingIsKeptOrCountedWhenAConditionFails() {
		long before = this.service.registry.sysctl().memory();
		assertRefused(Reason.PRECONDITION_FAILED, () -> callIf(is(3), new Syscall.Close(3), "key"));
		assertThat(this.service.registry.sysctl().memory()).isEqualTo(before);
		assertThat(this.service.registry.calls().asMap()).isEmpty();
		assertThat(this.service.call(this.id, this.open, "key").isReplayed()).isFalse();
	}

	@Test
	void aRetryIsAnsweredThoughItsConditionNoLongerHolds() {
		SlotVersion seen = SlotVersion.of(this.service.openFd(this.id));
		callIf(is(3, seen), new Syscall.Close(3), "key");
		assertThat(callIf(is(3, seen), new Syscall.Close(3), "key"))
			.isEqualTo(new Answer(new SyscallResult.Value(0), Rlimit.DEFAULT, null, true));
	}

}
