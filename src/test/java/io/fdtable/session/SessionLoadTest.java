package io.fdtable.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.AllocatorOptions;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.FdBitmaps;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.FilesStruct;
import io.fdtable.kernel.OpenFile;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.kernel.ProcessTree;
import io.fdtable.kernel.Sysctl;
import io.fdtable.kernel.Task;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallInterpreter;
import io.fdtable.syscall.SyscallResult;
import org.junit.jupiter.api.Test;

import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the whole under load: 200 sessions with 50 clients each make random calls of
 * every kind, and fork more. Then every table keeps its invariants; interpreting the
 * calls of each tree again, in their order, gives equal answers and equal tables; and
 * when all sessions have exited nothing is left.
 */
class SessionLoadTest {

	private static final int SESSIONS = 200;

	private static final int CLIENTS = 50;

	private static final int CALLS_PER_CLIENT = 40;

	private static final int LIMIT = 300;

	private static final int MAX_PROCESSES = 6;

	private static final long MEMORY = 1L << 40;

	private final SettableClock clock = new SettableClock();

	private final SessionRegistry registry = new SessionRegistry(
			new FdtableProperties(Sysctl.DEFAULT_NR_OPEN, Integer.MAX_VALUE, DataSize.ofBytes(MEMORY),
					new FdtableProperties.File(DataSize.ofMegabytes(1)),
					new FdtableProperties.Session(1_000_000, SessionFixture.TTL, Duration.ofHours(24)),
					new FdtableProperties.Idempotency(SessionFixture.RETENTION, 10_000)),
			SessionFixture.EVENTS, this.clock);

	private final SyscallExecutor executor = new LocalExecutor(this.registry, this.clock);

	/** A call that was made, and what it answered. */
	private record Made(int pid, Syscall call, String answer) {
	}

	/** A tree and its calls in the order in which they were made; guarded by its lock. */
	private record Load(SessionTree tree, List<Made> log) {
	}

	@Test
	void randomCallsOfManyClientsOnManySessions() throws Exception {
		List<Load> loads = new ArrayList<>();
		List<Callable<Integer>> clients = new ArrayList<>();
		for (int i = 0; i < SESSIONS; i++) {
			Load load = start();
			loads.add(load);
			for (int client = 0; client < CLIENTS; client++) {
				SplittableRandom random = new SplittableRandom(1000L * i + client);
				clients.add(() -> makeCalls(load, random));
			}
		}
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			for (Future<Integer> client : threads.invokeAll(clients)) {
				assertThat(client.get()).isEqualTo(CALLS_PER_CLIENT);
			}
		}
		assertThat(loads.stream().mapToInt((load) -> load.log().size()).sum())
			.isEqualTo(SESSIONS * CLIENTS * CALLS_PER_CLIENT);
		assertEveryCallWasMade(loads);
		loads.forEach(SessionLoadTest::assertSameWhenInterpretedAgain);
		exitAll(loads);
	}

	private Load start() {
		SessionSnapshot session = this.registry
			.create(new SessionRequest(null, LIMIT, LIMIT, true, AllocatorOptions.DEFAULT, null), null)
			.session();
		SessionId id = Objects.requireNonNull(session).id();
		return new Load(Objects.requireNonNull(this.registry.find(id)).tree(), new ArrayList<>());
	}

	private int makeCalls(Load load, SplittableRandom random) {
		int made = 0;
		while (made < CALLS_PER_CLIENT) {
			look(load, random);
			// Taken around the executor's own, so that the log has the order of the
			// calls.
			load.tree().lock().lock();
			try {
				makeCall(load, random);
				made++;
			}
			finally {
				load.tree().lock().unlock();
			}
		}
		return made;
	}

	private void makeCall(Load load, SplittableRandom random) {
		List<Integer> pids = List.copyOf(load.tree().sessions().keySet());
		int pid = pids.get(random.nextInt(pids.size()));
		Syscall call = call(random, pid, pids);
		SessionId id = new SessionId(load.tree().id(), pid);
		String key = (random.nextInt(10) == 0 && !(call instanceof Syscall.Exit)) ? "key-" + load.log().size() : null;
		Request request = new Request(id, call, null, key);
		Answer answer = this.executor.execute(request);
		load.log().add(new Made(pid, call, describe(answer.result())));
		if (key != null) {
			Answer again = this.executor.execute(request);
			assertThat(again.isReplayed()).isTrue();
			assertThat(again.result()).isSameAs(answer.result());
		}
	}

	/** Looks without any lock at what others change. */
	private void look(Load load, SplittableRandom random) {
		for (Session session : load.tree().sessions().values()) {
			if (random.nextInt(10) == 0 && session.trySnapshot().isPresent()) {
				assertThat(session.calls().asMap()).isNotNull();
			}
		}
	}

	private static Syscall call(SplittableRandom random, int pid, List<Integer> pids) {
		int fd = fd(random);
		int other = fd(random);
		int peer = pids.get(random.nextInt(pids.size()));
		boolean flag = random.nextBoolean();
		return switch (random.nextInt(40)) {
			case 0, 1, 2, 3, 4, 5 -> open(random);
			case 6, 7, 8 -> new Syscall.Close(fd);
			case 9 -> new Syscall.CloseRange(fd, fd + random.nextInt(6), random.nextInt(8) & 6);
			case 10, 11 -> new Syscall.Dup(fd);
			case 12, 13 -> new Syscall.Dup2(fd, other);
			case 14 -> new Syscall.Dup3(fd, other, flag ? OpenFlags.O_CLOEXEC : 0);
			case 15, 16 -> new Syscall.Fcntl(fd, flag ? Fcntl.F_DUPFD : Fcntl.F_DUPFD_CLOEXEC, other);
			case 17 -> new Syscall.Fcntl(fd, flag ? Fcntl.F_GETFD : Fcntl.F_GETFL, 0);
			case 18 -> flag ? new Syscall.Fcntl(fd, Fcntl.F_SETFD, random.nextInt(2))
					: new Syscall.Fcntl(fd, Fcntl.F_SETFL, OpenFlags.O_APPEND);
			case 19 -> (pids.size() < MAX_PROCESSES) ? new Syscall.Fork(flag, null) : new Syscall.Unshare();
			case 20 -> (pid > 1) ? new Syscall.Exit() : new Syscall.Unshare();
			case 21 -> flag ? new Syscall.Execve() : new Syscall.Prlimit(LIMIT - random.nextInt(50), LIMIT);
			case 22, 23 -> new Syscall.Reserve(flag ? 0 : other, random.nextBoolean());
			case 24 -> new Syscall.Install(fd, 0, null, FileKind.REGULAR, OpenFlags.O_RDWR, null);
			case 25 -> new Syscall.Release(fd, 0);
			case 26 -> new Syscall.Pipe2(flag ? OpenFlags.O_CLOEXEC : 0);
			case 27 -> new Syscall.PidfdGetfd(peer, fd);
			case 28 -> new Syscall.Sendmsg(peer, new int[] { fd, other });
			case 29 -> new Syscall.Recvmsg(random.nextInt(4), flag);
			case 30, 31 -> new Syscall.Read(fd, random.nextInt(100));
			case 32, 33 -> new Syscall.Write(fd, new byte[random.nextInt(100)]);
			case 34 -> new Syscall.Lseek(fd, random.nextInt(9000), random.nextInt(5));
			case 35, 36 -> new Syscall.Listen(fd, random.nextInt(3));
			case 37 -> new Syscall.Accept4(fd, 0);
			case 38 -> new Syscall.Connect(fd, 1 + random.nextInt(60));
			default -> new Syscall.Shutdown(fd, random.nextInt(3));
		};
	}

	private static int fd(SplittableRandom random) {
		return switch (random.nextInt(20)) {
			case 0 -> random.nextInt(LIMIT + 2);
			case 1 -> -1 - random.nextInt(2);
			default -> random.nextInt(24);
		};
	}

	private static Syscall open(SplittableRandom random) {
		int flags = OpenFlags.O_RDWR | (random.nextBoolean() ? OpenFlags.O_CLOEXEC : 0);
		return switch (random.nextInt(5)) {
			case 0 -> new Syscall.Open("/f" + random.nextInt(4), FileKind.REGULAR, flags | OpenFlags.O_CREAT, null);
			case 1 -> new Syscall.Open(null, FileKind.EVENTFD, flags & OpenFlags.O_CLOEXEC, null);
			case 2, 3 -> new Syscall.Open(null, FileKind.SOCKET, flags & OpenFlags.O_CLOEXEC, null);
			default -> new Syscall.Open(null, FileKind.OPAQUE, flags, "note");
		};
	}

	private static void assertEveryCallWasMade(List<Load> loads) {
		List<Class<?>> succeeded = new ArrayList<>();
		loads.forEach((load) -> load.log()
			.stream()
			.filter((made) -> !made.answer().startsWith("Failure"))
			.map((made) -> made.call().getClass())
			.distinct()
			.forEach(succeeded::add));
		assertThat(succeeded.stream().distinct().toList())
			.containsExactlyInAnyOrder(Syscall.class.getPermittedSubclasses());
	}

	private static void assertSameWhenInterpretedAgain(Load load) {
		Sysctl sysctl = new Sysctl(Sysctl.DEFAULT_NR_OPEN, Integer.MAX_VALUE, 1_000_000, MEMORY);
		ProcessTree fresh = new ProcessTree(sysctl);
		fresh.init(LIMIT, LIMIT, true, Allocator.WORD_FIRST);
		SyscallInterpreter interpreter = new SyscallInterpreter();
		for (Made made : load.log()) {
			Task task = Objects.requireNonNull(fresh.find(made.pid()));
			int lowest = lowestFree(task.files());
			SyscallResult result = interpreter.interpret(task, made.call());
			assertThat(describe(result)).as("%s of pid %d", made.call(), made.pid()).isEqualTo(made.answer());
			if (takesTheLowest(made.call()) && result instanceof SyscallResult.Descriptor descriptor) {
				assertThat(descriptor.entry().fd()).isEqualTo(lowest);
			}
		}
		assertThat(fresh.tasks()).extracting(Task::pid).containsExactlyElementsOf(load.tree().sessions().keySet());
		for (Session session : load.tree().sessions().values()) {
			FilesStruct table = session.files();
			table.checkInvariants();
			Task again = Objects.requireNonNull(fresh.find(session.id().pid()));
			assertThat(describe(again.files())).isEqualTo(describe(table));
			assertThat(again.files().statistics()).isEqualTo(table.statistics());
			assertThat(again.nofile()).isEqualTo(session.task().nofile());
		}
		List.copyOf(fresh.tasks()).forEach(Task::exit);
		assertThat(sysctl.files()).isZero();
		assertThat(sysctl.memory()).isZero();
	}

	private static boolean takesTheLowest(Syscall call) {
		return call instanceof Syscall.Open || call instanceof Syscall.Dup || call instanceof Syscall.Accept4
				|| call instanceof Syscall.PidfdGetfd;
	}

	private static int lowestFree(FilesStruct table) {
		int fd = 0;
		while (table.entry(fd) != null) {
			fd++;
		}
		return fd;
	}

	private static String describe(FilesStruct table) {
		FdBitmaps maps = table.bitmaps();
		return maps.capacity() + " " + maps.nextFd() + " " + Arrays.toString(maps.openFds())
				+ Arrays.toString(maps.closeOnExec()) + Arrays.toString(maps.fullFdsBits())
				+ Arrays.toString(maps.reserved())
				+ table.entries(0, LIMIT)
					.stream()
					.map((entry) -> describe(entry) + positionAndReferences(entry))
					.collect(Collectors.joining(","));
	}

	private static String positionAndReferences(FdEntry entry) {
		OpenFile file = entry.file();
		return (file != null) ? " at " + file.position() + " x" + file.count() : "";
	}

	private static String describe(FdEntry entry) {
		OpenFile file = entry.file();
		return entry.fd() + "#" + entry.generation() + (entry.closeOnExec() ? "c" : "") + " "
				+ ((file != null) ? "o" + file.id() + " " + file.kind() + " " + file.path() : "reserved") + " "
				+ entry.statusFlags();
	}

	/** Describes an answer by all that a client sees of it. */
	private static String describe(SyscallResult result) {
		return switch (result) {
			case SyscallResult.Descriptor made -> describe(made.entry()) + " " + made.replaced();
			case SyscallResult.Installed made -> describe(made.entry());
			case SyscallResult.Pipe pipe -> describe(pipe.read()) + ", " + describe(pipe.write());
			case SyscallResult.Received received -> received.truncated()
					+ received.entries().stream().map(SessionLoadTest::describe).collect(Collectors.joining(","));
			case SyscallResult.Data data -> Base64.getEncoder().encodeToString(data.bytes());
			case SyscallResult.Executed exec -> Arrays.toString(exec.closed()) + exec.unshared();
			default -> result.toString();
		};
	}

	private void exitAll(List<Load> loads) {
		for (Load load : loads) {
			for (Session session : List.copyOf(load.tree().sessions().values())) {
				Answer exit = this.executor.execute(Request.of(session.id(), new Syscall.Exit()));
				assertThat(exit.result()).isEqualTo(new SyscallResult.Value(0));
				assertThat(this.executor.execute(Request.of(session.id(), new Syscall.Exit())).result().errno())
					.isEqualTo(Errno.ESRCH);
			}
		}
		assertThat(this.registry.list(null, 1)).isEmpty();
		assertThat(this.registry.sysctl().threads()).isZero();
		assertThat(this.registry.sysctl().files()).isZero();
		assertThat(this.registry.sysctl().memory()).isZero();
	}

}
