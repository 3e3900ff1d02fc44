package io.fdtable.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.AllocatorOptions;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Rlimit;
import io.fdtable.kernel.SyscallException;
import io.fdtable.session.RequestRefusedException.Reason;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Guards the lives of sessions: made, found, adopted, listed, bounded, forgotten. */
class SessionRegistryTest {

	private final SessionFixture service = new SessionFixture(4, 2);

	private final SessionRegistry registry = this.service.registry;

	@Test
	void startsTheFirstProcessOfANewTree() {
		SessionSnapshot session = this.service
			.create(new SessionRequest("build", 100, 200, true, AllocatorOptions.DEFAULT, Duration.ofSeconds(5)));
		assertThat(session.id().tree()).matches("[a-z2-7]{26}");
		assertThat(session).isEqualTo(new SessionSnapshot(new SessionId(session.id().tree(), 1), 0, "build",
				new Rlimit(100, 200), Allocator.WORD_FIRST, 1, SettableClock.START, SettableClock.START.plusSeconds(5),
				Duration.ofSeconds(5)));
		assertThat(this.service.openFd(session.id()).fd()).isEqualTo(3);
	}

	@Test
	void startsWithoutStdioOnRequest() {
		SessionSnapshot session = this.service
			.create(new SessionRequest(null, 100, 200, false, AllocatorOptions.DEFAULT, null));
		assertThat(session.ttl()).isEqualTo(SessionFixture.TTL);
		assertThat(this.service.openFd(session.id()).fd()).isZero();
	}

	@Test
	void refusesLimitsThatSetrlimitRefusesAndLeavesNothingBehind() {
		assertThat(this.registry.create(new SessionRequest(null, 201, 200, true, AllocatorOptions.DEFAULT, null), null))
			.isEqualTo(new SessionRegistry.Created(null, Errno.EINVAL, false));
		assertThat(this.registry.create(new SessionRequest(null, 1, 1_048_577, true, AllocatorOptions.DEFAULT, null),
				null))
			.isEqualTo(new SessionRegistry.Created(null, Errno.EPERM, false));
		assertThat(this.registry.list(null, 10)).isEmpty();
		assertThat(this.registry.sysctl().threads()).isZero();
		assertThat(this.registry.sysctl().files()).isZero();
		assertThat(this.registry.sysctl().memory()).isZero();
	}

	@Test
	void adoptsForkedProcessesIntoTheTreeOfTheirParent() {
		SessionId parent = this.service.create();
		SessionSnapshot copy = this.service.fork(parent, false);
		SessionSnapshot sharer = this.service.fork(copy.id(), true);
		assertThat(copy.id()).isEqualTo(new SessionId(parent.tree(), 2));
		assertThat(copy.parentPid()).isEqualTo(1);
		assertThat(copy.sharers()).isEqualTo(1);
		assertThat(copy.label()).isEqualTo("child");
		assertThat(sharer.id()).isEqualTo(new SessionId(parent.tree(), 3));
		assertThat(sharer.parentPid()).isEqualTo(2);
		assertThat(sharer.sharers()).isEqualTo(2);
		assertThat(this.registry.use(sharer.id()).files()).isSameAs(this.registry.use(copy.id()).files());
		assertThat(this.registry.use(parent).files()).isNotSameAs(this.registry.use(copy.id()).files());
	}

	@Test
	void childrenInheritTheTtl() {
		SessionSnapshot parent = this.service
			.create(new SessionRequest(null, 100, 200, true, AllocatorOptions.DEFAULT, Duration.ofSeconds(7)));
		assertThat(this.service.fork(parent.id(), false).ttl()).isEqualTo(Duration.ofSeconds(7));
	}

	@Test
	void answersEnfileWhenThereAreAsManySessionsAsThereMayBe() {
		SessionId parent = this.service.create();
		this.service.create();
		this.service.fork(parent, false);
		this.service.fork(parent, true);
		assertThat(this.registry.create(SessionFixture.request("fifth"), null))
			.isEqualTo(new SessionRegistry.Created(null, Errno.ENFILE, false));
		Answer fork = this.service.call(parent, new Syscall.Fork(false, null));
		assertThat(fork.result()).isEqualTo(new SyscallResult.Failure(Errno.ENFILE));
		assertThat(fork.child()).isNull();
		assertThat(this.registry.sysctl().threads()).isEqualTo(4);
		this.service.call(parent, new Syscall.Exit());
		assertThat(this.registry.create(SessionFixture.request("fifth"), null).errno()).isNull();
	}

	@Test
	void forgetsWhatHasExitedAndATreeWithItsLastProcess() {
		SessionId parent = this.service.create();
		SessionId child = this.service.fork(parent, false).id();
		assertThat(this.service.call(parent, new Syscall.Exit()).result()).isEqualTo(new SyscallResult.Value(0));
		assertThat(this.registry.find(parent)).isNull();
		assertThat(this.registry.find(child)).isNotNull();
		assertThat(this.registry.list(null, 10)).extracting(SessionSnapshot::id).containsExactly(child);
		this.service.call(child, new Syscall.Exit());
		assertThat(this.registry.list(null, 10)).isEmpty();
		assertThat(this.registry.sysctl().threads()).isZero();
		assertThat(this.registry.sysctl().files()).isZero();
		assertThat(this.registry.sysctl().memory()).isZero();
	}

	@Test
	void usingWhatIsNotThereIsEsrch() {
		assertThatExceptionOfType(SyscallException.class)
			.isThrownBy(() -> this.registry.use(new SessionId("mfrggzdfmztwq2lknnwg23tpob", 1)))
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.ESRCH));
	}

	@Test
	void listsInTheOrderOfIdsAcrossTreesPageByPage() {
		SessionId one = this.service.create();
		SessionId two = this.service.create();
		List<SessionId> all = new ArrayList<>(
				List.of(one, two, this.service.fork(one, false).id(), this.service.fork(two, false).id()));
		all.sort(null);
		List<SessionId> listed = new ArrayList<>();
		SessionId after = null;
		for (int i = 0; i < all.size(); i++) {
			List<SessionSnapshot> page = this.registry.list(after, 1);
			after = page.getFirst().id();
			listed.add(after);
		}
		assertThat(listed).isEqualTo(all);
		assertThat(this.registry.list(after, 1)).isEmpty();
		assertThat(this.registry.list(null, 10)).extracting(SessionSnapshot::id).isEqualTo(all);
	}

	@Test
	void listsOnFromASessionThatHasExitedMeanwhile() {
		SessionId one = this.service.create();
		SessionId two = this.service.fork(one, false).id();
		SessionId three = this.service.fork(one, false).id();
		this.service.call(two, new Syscall.Exit());
		assertThat(this.registry.list(two, 10)).extracting(SessionSnapshot::id).containsExactly(three);
	}

	@Test
	void createsOneSessionPerKey() {
		SessionRequest request = SessionFixture.request("keyed");
		SessionRegistry.Created first = this.registry.create(request, "key");
		this.service.clock.advance(Duration.ofMinutes(1));
		SessionRegistry.Created again = this.registry.create(request, "key");
		assertThat(again).isEqualTo(new SessionRegistry.Created(first.session(), null, true));
		assertThat(this.registry.list(null, 10)).hasSize(1);
		assertThatExceptionOfType(RequestRefusedException.class)
			.isThrownBy(() -> this.registry.create(SessionFixture.request("other"), "key"))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.KEY_REUSED));
	}

	@Test
	void createsOneSessionForConcurrentRetries() throws InterruptedException {
		Callable<SessionRegistry.Created> retry = () -> this.registry.create(SessionFixture.request("keyed"), "key");
		Set<SessionId> ids;
		try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
			ids = threads.invokeAll(Collections.nCopies(16, retry))
				.stream()
				.map((created) -> Objects.requireNonNull(created.resultNow().session()).id())
				.collect(Collectors.toSet());
		}
		assertThat(ids).hasSize(1);
		assertThat(this.registry.list(null, 10)).extracting(SessionSnapshot::id).containsExactlyElementsOf(ids);
	}

}
