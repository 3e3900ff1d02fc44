package io.fdtable.syscall;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.CloseRange;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.FdBitmaps;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.KernelFixture;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.kernel.ProcessTree;
import io.fdtable.kernel.Rlimit;
import io.fdtable.kernel.Task;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the one switch that every call passes: what each call answers, that an errno is
 * an answer, and that equal calls on equal trees give equal answers and equal trees.
 */
class SyscallInterpreterTest {

	private static final List<FileKind> KINDS = List.of(FileKind.values());

	@RegisterExtension
	private final KernelFixture kernel = new KernelFixture();

	private final SyscallInterpreter interpreter = new SyscallInterpreter();

	private Task task;

	@BeforeEach
	void startProcess() {
		this.task = this.kernel.task(100);
	}

	private SyscallResult run(Syscall call) {
		return this.interpreter.interpret(this.task, call);
	}

	private void assertDescriptor(SyscallResult result, int fd, boolean closeOnExec, boolean replaced) {
		assertThat(result).isEqualTo(new SyscallResult.Descriptor(this.task.files().entry(fd), replaced));
		assertThat(result.ret()).isEqualTo(fd);
		assertThat(result.errno()).isNull();
		assertThat(((SyscallResult.Descriptor) result).entry().closeOnExec()).isEqualTo(closeOnExec);
	}

	@Test
	void open_answersTheDescriptor() {
		assertDescriptor(run(new Syscall.Open("/data", FileKind.REGULAR, OpenFlags.O_CLOEXEC, "mine")), 3, true, false);
		assertThat(this.task.files().entry(3).file().path()).isEqualTo("/data");
		assertThat(this.task.files().entry(3).file().label()).isEqualTo("mine");
	}

	@Test
	void close_answersZero() {
		assertThat(run(new Syscall.Close(2))).isEqualTo(new SyscallResult.Value(0));
		assertThat(run(new Syscall.Close(2))).isEqualTo(new SyscallResult.Failure(Errno.EBADF));
	}

	@Test
	void closeRange_answersZeroAndHowManyWereClosed() {
		SyscallResult result = run(new Syscall.CloseRange(1, -1, 0));
		assertThat(result).isEqualTo(new SyscallResult.Closed(2));
		assertThat(result.ret()).isZero();
		assertThat(run(new Syscall.CloseRange(0, 5, CloseRange.CLOSE_RANGE_CLOEXEC)))
			.isEqualTo(new SyscallResult.Closed(0));
		assertThat(run(new Syscall.CloseRange(5, 4, 0))).isEqualTo(new SyscallResult.Failure(Errno.EINVAL));
	}

	@Test
	void dups_answerTheDescriptorAndWhetherTheyReplaced() {
		assertDescriptor(run(new Syscall.Dup(0)), 3, false, false);
		assertDescriptor(run(new Syscall.Dup2(0, 5)), 5, false, false);
		assertDescriptor(run(new Syscall.Dup2(1, 5)), 5, false, true);
		assertDescriptor(run(new Syscall.Dup2(5, 5)), 5, false, false);
		assertDescriptor(run(new Syscall.Dup3(0, 6, OpenFlags.O_CLOEXEC)), 6, true, false);
		assertDescriptor(run(new Syscall.Dup3(0, 6, 0)), 6, false, true);
		assertThat(run(new Syscall.Dup2(0, 100))).isEqualTo(new SyscallResult.Failure(Errno.EBADF));
	}

	@Test
	void fcntl_answersADescriptorOrAValue() {
		assertDescriptor(run(new Syscall.Fcntl(0, Fcntl.F_DUPFD, 10)), 10, false, false);
		assertDescriptor(run(new Syscall.Fcntl(0, Fcntl.F_DUPFD_CLOEXEC, 10)), 11, true, false);
		assertThat(run(new Syscall.Fcntl(11, Fcntl.F_GETFD, 0))).isEqualTo(new SyscallResult.Value(1));
		assertThat(run(new Syscall.Fcntl(11, Fcntl.F_SETFD, 0))).isEqualTo(new SyscallResult.Value(0));
		assertThat(run(new Syscall.Fcntl(1, Fcntl.F_GETFL, 0))).isEqualTo(new SyscallResult.Value(0_100001));
		assertThat(run(new Syscall.Fcntl(0, 999, 0))).isEqualTo(new SyscallResult.Failure(Errno.EINVAL));
	}

	@Test
	void processes_answerPidsCopiesAndWhatExecClosed() {
		assertThat(run(new Syscall.Fork(true, "child"))).isEqualTo(new SyscallResult.Forked(2));
		assertThat(run(new Syscall.Fork(false, null)).ret()).isEqualTo(3);
		assertThat(run(new Syscall.Unshare())).isEqualTo(new SyscallResult.Unshared(true));
		assertThat(run(new Syscall.Unshare())).isEqualTo(new SyscallResult.Unshared(false));
		run(new Syscall.Fcntl(1, Fcntl.F_SETFD, 1));
		run(new Syscall.Fcntl(2, Fcntl.F_SETFD, 1));
		SyscallResult.Executed executed = (SyscallResult.Executed) run(new Syscall.Execve());
		assertThat(executed.closed()).containsExactly(1, 2);
		assertThat(executed.unshared()).isFalse();
		assertThat(executed.ret()).isZero();
	}

	@Test
	void prlimit_answersZero() {
		assertThat(run(new Syscall.Prlimit(10, 50))).isEqualTo(new SyscallResult.Value(0));
		assertThat(this.task.nofile()).isEqualTo(new Rlimit(10, 50));
		assertThat(run(new Syscall.Prlimit(10, 51))).isEqualTo(new SyscallResult.Failure(Errno.EPERM));
	}

	@Test
	void exit_answersZeroAndEveryLaterCallEsrch() {
		assertThat(run(new Syscall.Exit())).isEqualTo(new SyscallResult.Value(0));
		Random random = new Random(1);
		for (int i = 0; i < 200; i++) {
			Syscall call = randomCall(random);
			boolean argumentsComeFirst = call instanceof Syscall.Open || call instanceof Syscall.CloseRange;
			SyscallResult result = run(call);
			assertThat(result.ret()).isEqualTo(-1);
			assertThat(result.errno()).as(call.toString())
				.isIn(argumentsComeFirst ? List.of(Errno.ESRCH, Errno.EINVAL, Errno.ENOENT)
						: List.of(Errno.ESRCH, Errno.EINVAL));
		}
	}

	@Test
	void equalCalls_onEqualTrees_giveEqualAnswersAndTrees() {
		for (int seed = 0; seed < Integer.getInteger("random.seeds", 50); seed++) {
			List<String> first = runRandomCalls(seed);
			assertThat(runRandomCalls(seed)).as("seed %d", seed).isEqualTo(first);
		}
	}

	private List<String> runRandomCalls(int seed) {
		Random random = new Random(seed);
		ProcessTree tree = this.kernel.tree(this.kernel.sysctl(1000));
		tree.init(200, 300, true, Allocator.WORD_FIRST);
		List<String> answers = new ArrayList<>();
		for (int i = 0; i < 500 && !tree.tasks().isEmpty(); i++) {
			List<Task> tasks = List.copyOf(tree.tasks());
			Task caller = tasks.get(random.nextInt(tasks.size()));
			Syscall call = randomCall(random);
			answers.add(caller.pid() + ": " + call + " = " + describe(this.interpreter.interpret(caller, call)));
		}
		tree.tasks().forEach((process) -> answers.add(process.pid() + ": " + process.nofile() + describe(process)));
		return answers;
	}

	/** Open files are compared by their number in the tree, as two trees share none. */
	private static String describe(SyscallResult result) {
		return switch (result) {
			case SyscallResult.Descriptor descriptor -> describe(descriptor.entry()) + descriptor.replaced();
			case SyscallResult.Executed executed -> Arrays.toString(executed.closed()) + executed.unshared();
			default -> result.toString();
		};
	}

	private static String describe(FdEntry entry) {
		String file = entry.isReserved() ? "reserved" : entry.file().id() + " " + entry.file().kind() + " "
				+ entry.file().path() + " " + entry.file().statusFlags() + " " + entry.file().count();
		return entry.fd() + " " + entry.generation() + " " + entry.closeOnExec() + " " + file;
	}

	private static String describe(Task process) {
		FdBitmaps maps = process.files().bitmaps();
		return maps.capacity() + " " + maps.nextFd() + Arrays.toString(maps.openFds())
				+ Arrays.toString(maps.closeOnExec()) + Arrays.toString(maps.fullFdsBits())
				+ process.files().statistics()
				+ process.files().entries(0, 1000).stream().map(SyscallInterpreterTest::describe).toList();
	}

	private static Syscall randomCall(Random random) {
		int fd = random.nextInt(90);
		int other = random.nextInt(210) - 1;
		FileKind kind = KINDS.get(random.nextInt(KINDS.size()));
		String path = random.nextBoolean() ? "/file" + random.nextInt(5) : null;
		return switch (random.nextInt(40)) {
			case 0 -> new Syscall.Fork(random.nextBoolean(), null);
			case 1 -> (random.nextInt(4) == 0) ? new Syscall.Exit() : new Syscall.Unshare();
			case 2 -> new Syscall.Execve();
			case 3 -> new Syscall.Prlimit(random.nextInt(300), 300);
			case 4 -> new Syscall.CloseRange(fd, other, random.nextInt(8));
			case 5, 6 -> new Syscall.Close(fd);
			case 7, 8, 9, 10 -> new Syscall.Fcntl(fd, random.nextInt(5), other);
			case 11, 12, 13 -> new Syscall.Dup2(fd, other);
			case 14, 15 -> new Syscall.Dup3(fd, other, random.nextBoolean() ? OpenFlags.O_CLOEXEC : 0);
			case 16, 17, 18, 19 -> new Syscall.Dup(fd);
			default ->
				new Syscall.Open(path, kind, random.nextInt() & (OpenFlags.O_CLOEXEC | OpenFlags.O_CREAT | 3), null);
		};
	}

}
