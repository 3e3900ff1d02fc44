package io.fdtable.kernel;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards that the steps of a table are linearizable: whatever threads do at the same time
 * has the answers of some order of their steps, in every interleaving that Lincheck
 * tries, growth included.
 *
 * <p>
 * The steps are those that are one step in Linux too: reserving, installing and giving
 * back a number, lookup, close, dup2, dup3 and the marks of a range. {@code dup} is a
 * lookup and then a reservation, and {@code close_range} lets others in between its
 * closes; neither is linearizable in Linux, so they appear here as their steps.
 *
 * <p>
 * Its tag gives it a JVM of its own.
 */
@Tag("lincheck")
@Param(name = "fd", gen = IntGen.class, conf = "0:4")
public class FilesStructLincheckTest {

	/** One more than the first number but one that the embedded table does not have. */
	private static final int LIMIT = 66;

	private static final int NONE = -1;

	/**
	 * How many scenarios each strategy makes up; {@code -Dlincheck.iterations} tries
	 * more.
	 */
	private static final int ITERATIONS = Integer.getInteger("lincheck.iterations", 5);

	private final FilesStruct files = new FilesStruct(Sysctl.unbounded(), Allocator.WORD_FIRST);

	/** What each thread has reserved and not yet installed. */
	private final int[] reserved = { NONE, NONE, NONE, NONE, NONE };

	public FilesStructLincheckTest() {
		for (int id = 0; id < 2; id++) {
			this.files.fdInstall(this.files.allocFd(0, LIMIT, false), file(id));
		}
	}

	private static OpenFile file(int id) {
		Sysctl sysctl = Sysctl.unbounded();
		return new OpenFile(sysctl, id, new Inode(FileKind.OPAQUE, sysctl), null, null, 0, false);
	}

	@Test
	void steps_inTheInterleavingsOfTheModelChecker_areLinearizable() {
		new ModelCheckingOptions().threads(2)
			.actorsPerThread(3)
			.actorsBefore(3)
			.actorsAfter(3)
			.iterations(ITERATIONS)
			.invocationsPerIteration(500)
			.check(FilesStructLincheckTest.class);
	}

	@Test
	void steps_underStress_areLinearizable() {
		new StressOptions().threads(3)
			.actorsPerThread(3)
			.actorsBefore(3)
			.actorsAfter(3)
			.iterations(ITERATIONS)
			.invocationsPerIteration(1000)
			.check(FilesStructLincheckTest.class);
	}

	private interface Step {

		int run();

	}

	private static String answer(Step step) {
		try {
			return Integer.toString(step.run());
		}
		catch (SyscallException ex) {
			return ex.errno().name();
		}
	}

	@Operation
	public String reserve(@Param(gen = ThreadIdGen.class) int thread, @Param(name = "fd") int start) {
		if (this.reserved[thread] != NONE) {
			return "reserved already";
		}
		return answer(() -> this.reserved[thread] = this.files.allocFd(start, LIMIT, false));
	}

	@Operation
	public String install(@Param(gen = ThreadIdGen.class) int thread, @Param(name = "fd") int id) {
		int fd = this.reserved[thread];
		if (fd == NONE) {
			return "nothing reserved";
		}
		this.files.fdInstall(fd, file(10 + id));
		this.reserved[thread] = NONE;
		return "installed";
	}

	@Operation
	public String putUnused(@Param(gen = ThreadIdGen.class) int thread) {
		int fd = this.reserved[thread];
		if (fd == NONE) {
			return "nothing reserved";
		}
		this.files.putUnusedFd(fd);
		this.reserved[thread] = NONE;
		return "given back";
	}

	/** Returns which file a lookup finds. */
	@Operation
	public String lookup(@Param(name = "fd") int fd) {
		return answer(() -> {
			OpenFile file = this.files.fget(fd);
			file.release();
			return (int) file.id();
		});
	}

	@Operation
	public String close(@Param(name = "fd") int fd) {
		return answer(() -> {
			this.files.close(fd);
			return 0;
		});
	}

	@Operation
	public String closeRangeOfOne(@Param(name = "fd") int fd) {
		return answer(() -> this.files.closeRange(new FdRange(fd, fd)));
	}

	@Operation
	public String dup2(@Param(name = "fd") int oldFd, @Param(name = "fd") int newFd) {
		return answer(() -> this.files.dup2(oldFd, newFd, LIMIT) ? 1 : 0);
	}

	/** Grows the table from 64 to 128 slots, even if it fails. */
	@Operation
	public String dup3Growing(@Param(name = "fd") int oldFd) {
		return answer(() -> this.files.dup3(oldFd, LIMIT - 1, OpenFlags.O_CLOEXEC, LIMIT) ? 1 : 0);
	}

	@Operation
	public String closeLast() {
		return close(LIMIT - 1);
	}

	@Operation
	public String markRange(@Param(name = "fd") int first) {
		this.files.setCloseOnExec(new FdRange(first, first + 1));
		return "marked";
	}

}
