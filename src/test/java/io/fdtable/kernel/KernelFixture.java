package io.fdtable.kernel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Where kernel tests get their processes, tables and files from. After each test it
 * asserts the invariants of every table the test has made, ends all processes, and
 * asserts that no file, process or byte is left over.
 *
 * <p>
 * Register it with {@code @RegisterExtension}; it refuses to work unregistered, so that
 * no test can forget the check.
 */
public final class KernelFixture implements BeforeEachCallback, AfterEachCallback {

	private final List<Sysctl> sysctls = new ArrayList<>();

	private final List<ProcessTree> trees = new ArrayList<>();

	private final List<FilesStruct> owned = new ArrayList<>();

	private final Set<FilesStruct> watched = Collections.newSetFromMap(new IdentityHashMap<>());

	private boolean registered;

	@Override
	public void beforeEach(ExtensionContext context) {
		this.registered = true;
	}

	/** Makes settings whose counters must be back at zero when the test ends. */
	public Sysctl sysctl(int nrOpen, long fileMax, int threadsMax, long memoryMax) {
		return watch(new Sysctl(nrOpen, fileMax, threadsMax, memoryMax));
	}

	/** Makes settings with a given nr_open and no other bound. */
	public Sysctl sysctl(int nrOpen) {
		return sysctl(nrOpen, Long.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);
	}

	private Sysctl watch(Sysctl sysctl) {
		if (!this.registered) {
			throw new IllegalStateException("register the fixture with @RegisterExtension");
		}
		this.sysctls.add(sysctl);
		return sysctl;
	}

	/** Makes a tree without a process. */
	public ProcessTree tree(Sysctl sysctl) {
		ProcessTree tree = new ProcessTree(sysctl);
		this.trees.add(tree);
		return tree;
	}

	/** Starts a process with nothing open. */
	public Task emptyTask(Sysctl sysctl, long limit) {
		return tree(sysctl).init(limit, limit, false, Allocator.WORD_FIRST);
	}

	/** Starts a process with 0, 1 and 2 open and a limit of 4096. */
	public Task task() {
		return task(4096);
	}

	/** Starts a process with 0, 1 and 2 open. */
	public Task task(long limit) {
		return task(sysctl(Sysctl.DEFAULT_NR_OPEN), limit);
	}

	/** Starts a process with 0, 1 and 2 open under given settings. */
	public Task task(Sysctl sysctl, long limit) {
		return tree(sysctl).init(limit, limit, true, Allocator.WORD_FIRST);
	}

	/** Makes an empty table that belongs to no process. */
	public FilesStruct files(Sysctl sysctl) {
		FilesStruct files = new FilesStruct(sysctl, Allocator.WORD_FIRST);
		this.owned.add(files);
		return files;
	}

	/** Makes an empty table that belongs to no process, without a bound. */
	public FilesStruct files() {
		return files(sysctl(Sysctl.DEFAULT_NR_OPEN));
	}

	/** Makes a file with one reference, which belongs to the caller. */
	static OpenFile file(Sysctl sysctl) {
		sysctl.addFile();
		return new OpenFile(sysctl, 1, new Inode(FileKind.REGULAR, sysctl), null, null, OpenFlags.O_RDWR, false);
	}

	/** Asserts the invariants of a table that no process uses any more, too. */
	public FilesStruct watch(FilesStruct files) {
		this.watched.add(files);
		return files;
	}

	/** Asserts the invariants of every table that is in use. */
	public void checkInvariants() {
		this.owned.forEach(FilesStruct::checkInvariants);
		this.watched.forEach(FilesStruct::checkInvariants);
		for (ProcessTree tree : this.trees) {
			tree.tasks().forEach((task) -> task.files().checkInvariants());
		}
	}

	@Override
	public void afterEach(ExtensionContext context) {
		checkInvariants();
		for (ProcessTree tree : this.trees) {
			List.copyOf(tree.tasks()).forEach((task) -> {
				watch(task.files());
				task.exit();
			});
		}
		this.owned.forEach(FilesStruct::put);
		checkInvariants();
		for (Sysctl sysctl : this.sysctls) {
			checkNothingIsLeft(sysctl);
		}
	}

	private static void checkNothingIsLeft(Sysctl sysctl) {
		if (sysctl.files() != 0 || sysctl.threads() != 0 || sysctl.memory() != 0) {
			throw new IllegalStateException("I9: left over: " + sysctl.files() + " files, " + sysctl.threads()
					+ " processes, " + sysctl.memory() + " bytes");
		}
	}

}
