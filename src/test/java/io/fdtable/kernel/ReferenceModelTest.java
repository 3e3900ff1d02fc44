package io.fdtable.kernel;

import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards everything at once: on a million random calls the kernel model and a slow,
 * obviously right one give the same answers and the same tables. A failure names its seed
 * and the number of the call; the same seed makes the same calls.
 */
class ReferenceModelTest {

	/** Fewer under mutation, where each run only asks whether there is a difference. */
	private static final int SEEDS = Integer.getInteger("random.seeds", 100);

	private static final int CALLS_PER_SEED = 10_000;

	private static final int MAX_PROCESSES = 6;

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	private Random random;

	private int nrOpen;

	/** Numbers that calls mostly use are below this. */
	private int reach;

	private Sysctl sysctl;

	private ProcessTree tree;

	private ReferenceModel model;

	static IntStream seeds() {
		return IntStream.range(0, SEEDS);
	}

	@ParameterizedTest(name = "seed {0}")
	@MethodSource("seeds")
	void randomCalls_bothModels_agree(int seed) {
		start(seed);
		for (int call = 0; call < CALLS_PER_SEED; call++) {
			try {
				step();
				if (call % 100 == 0) {
					compareTables();
				}
			}
			catch (IllegalStateException | AssertionError ex) {
				throw new AssertionError("seed " + seed + ", call " + call + ": " + ex.getMessage(), ex);
			}
		}
		compareTables();
	}

	private void start(int seed) {
		this.random = new Random(seed);
		// Every tenth table is wide enough for several words of the summary.
		this.nrOpen = (seed % 10 == 0) ? 9000 + this.random.nextInt(1000) : 130 + this.random.nextInt(1000);
		this.reach = 1 + this.random.nextInt(this.nrOpen);
		this.sysctl = this.kernel.sysctl(this.nrOpen);
		this.tree = this.kernel.tree(this.sysctl);
		this.tree.init(this.nrOpen, this.nrOpen, false, Allocator.WORD_FIRST);
		this.model = new ReferenceModel(this.nrOpen, this.nrOpen);
	}

	private void step() {
		List<ReferenceModel.Proc> processes = List.copyOf(this.model.processes.values());
		ReferenceModel.Proc process = processes.get(this.random.nextInt(processes.size()));
		Task task = this.tree.find(process.pid);
		boolean flag = this.random.nextBoolean();
		long fd = number(process);
		long other = number(process);
		int arg = this.random.nextInt(this.nrOpen + 2);
		int dice = this.random.nextInt(1000);
		if (dice < 200) {
			agree("open", () -> this.model.open(process, flag),
					() -> task.open(null, FileKind.REGULAR, flag ? OpenFlags.O_CLOEXEC : 0, null));
		}
		else if (dice < 260) {
			long minimum = flag ? 0 : fd;
			agree("reserve", () -> this.model.reserve(process, minimum, flag), () -> task.reserve((int) minimum, flag));
		}
		else if (dice < 290) {
			agree("install", () -> this.model.install(process, fd), () -> {
				task.install((int) fd, 0, null, FileKind.REGULAR, 0, null);
				return 0;
			});
		}
		else if (dice < 320) {
			agree("release", () -> this.model.release(process, fd), () -> {
				task.release((int) fd, 0);
				return 0;
			});
		}
		else if (dice < 460) {
			agree("close", () -> this.model.close(process, fd), () -> {
				task.close((int) fd);
				return 0;
			});
		}
		else if (dice < 560) {
			agree("dup", () -> this.model.dup(process, fd), () -> task.dup((int) fd));
		}
		else if (dice < 660) {
			int cmd = flag ? Fcntl.F_DUPFD_CLOEXEC : Fcntl.F_DUPFD;
			agree("F_DUPFD", () -> this.model.fDupFd(process, fd, other, flag), () -> task.fcntl((int) fd, cmd, other));
		}
		else if (dice < 740) {
			agree("dup2", () -> this.model.dup2(process, fd, other), () -> {
				task.dup2((int) fd, (int) other);
				return other;
			});
		}
		else if (dice < 800) {
			agree("dup3", () -> this.model.dup3(process, fd, other, flag), () -> {
				task.dup3((int) fd, (int) other, flag ? OpenFlags.O_CLOEXEC : 0);
				return other;
			});
		}
		else if (dice < 830) {
			agree("F_GETFD", () -> this.model.getFd(process, fd), () -> task.fcntl((int) fd, Fcntl.F_GETFD, 0));
		}
		else if (dice < 860) {
			agree("F_SETFD", () -> this.model.setFd(process, fd, flag),
					() -> task.fcntl((int) fd, Fcntl.F_SETFD, flag ? 1 : 0));
		}
		else if (dice < 890) {
			agree("F_DUPFD_QUERY", () -> this.model.query(process, fd, other),
					() -> task.fcntl((int) fd, Fcntl.F_DUPFD_QUERY, other));
		}
		else if (dice < 930) {
			int flags = (this.random.nextInt(20) == 0) ? 1 : 2 * this.random.nextInt(4);
			long last = (this.random.nextInt(4) == 0) ? other : fd + this.random.nextInt(70);
			agree("close_range", () -> this.model.closeRange(process, fd, Math.min(last, 0xffffffffL), flags),
					() -> task.closeRange((int) fd, (int) Math.min(last, 0xffffffffL), flags));
		}
		else if (dice < 960) {
			if (processes.size() < MAX_PROCESSES) {
				agree("fork", () -> this.model.fork(process, flag), () -> task.fork(flag).pid());
			}
		}
		else if (dice < 970) {
			agree("unshare", () -> this.model.unshare(process), () -> {
				task.unshare();
				return 0;
			});
		}
		else if (dice < 977) {
			if (processes.size() > 1) {
				agree("exec", () -> this.model.exec(process), () -> task.exec().closed().length);
			}
		}
		else if (dice < 987) {
			if (processes.size() > 1) {
				agree("exit", () -> this.model.exit(process), () -> {
					task.exit();
					return 0;
				});
			}
		}
		else if (dice < 995) {
			// The hard limit only falls, so it mostly stays.
			int hard = (this.random.nextInt(20) == 0) ? process.hard + 1 - this.random.nextInt(3) : process.hard;
			agree("prlimit", () -> this.model.setNofile(process, arg, hard), () -> {
				task.setNofile(arg, hard);
				return 0;
			});
		}
		else {
			int value = flag ? this.nrOpen : 64 + this.random.nextInt(this.nrOpen - 63);
			this.sysctl.setNrOpen(value);
			this.model.setNrOpen(value);
		}
	}

	/** Mostly a number in reach, often one that is taken, at times an impossible one. */
	private long number(ReferenceModel.Proc process) {
		int dice = this.random.nextInt(100);
		if (dice < 2) {
			return 0xffffffffL;
		}
		if (dice < 4) {
			return this.random.nextInt() & 0xffffffffL;
		}
		if (dice < 50) {
			Integer taken = process.table.taken.ceilingKey(this.random.nextInt(this.reach));
			return (taken != null) ? taken : 0;
		}
		return this.random.nextInt(this.reach + 5);
	}

	private static void agree(String call, LongSupplier model, LongSupplier real) {
		long expected = model.getAsLong();
		long actual;
		try {
			actual = real.getAsLong();
		}
		catch (SyscallException ex) {
			actual = ReferenceModel.failure(ex.errno());
		}
		if (actual != expected) {
			throw new AssertionError(call + " answered " + actual + " and not " + expected);
		}
	}

	private void compareTables() {
		this.kernel.checkInvariants();
		assertThat(this.tree.tasks().stream().map(Task::pid)).containsExactlyElementsOf(this.model.processes.keySet());
		this.model.processes.values().forEach((process) -> compare(process, this.tree.find(process.pid)));
	}

	private void compare(ReferenceModel.Proc process, Task task) {
		ReferenceModel.Table expected = process.table;
		FilesStruct actual = task.files();
		assertThat(task.nofile()).isEqualTo(new Rlimit(process.soft, process.hard));
		assertThat(actual.count()).isEqualTo(expected.sharers);
		assertThat(actual.bitmaps().capacity()).isEqualTo(expected.width);
		List<FdEntry> entries = actual.entries(0, Integer.MAX_VALUE);
		assertThat(entries.stream().map(FdEntry::fd).toList()).isEqualTo(List.copyOf(expected.taken.keySet()));
		for (FdEntry entry : entries) {
			ReferenceModel.File file = expected.taken.get(entry.fd());
			if (entry.closeOnExec() != expected.closeOnExec.contains(entry.fd())) {
				throw new AssertionError("FD_CLOEXEC of " + entry.fd() + " is " + entry.closeOnExec());
			}
			long id = entry.isReserved() ? 0 : entry.file().id();
			int count = entry.isReserved() ? 0 : this.tree.references(entry.file());
			if (id != file.id || count != file.count) {
				throw new AssertionError("descriptor " + entry.fd() + " is file " + id + " with " + count
						+ " references and not " + file.id + " with " + file.count);
			}
		}
	}

}
