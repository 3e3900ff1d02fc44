package io.fdtable.kernel;

/**
 * The tables that the benchmarks work on, and the files in them.
 */
final class BenchmarkTables {

	/** Wide enough for ten million descriptors. */
	static final int NR_OPEN = 1 << 24;

	private final Sysctl sysctl = new Sysctl(NR_OPEN, Long.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);

	private final ProcessTree tree = new ProcessTree(this.sysctl);

	Sysctl sysctl() {
		return this.sysctl;
	}

	OpenFile newFile() {
		return this.tree.openFile(null, FileKind.SOCKET, OpenFlags.O_RDWR, null);
	}

	FilesStruct empty(AllocatorOptions options) {
		return new FilesStruct(this.sysctl, options);
	}

	/**
	 * Returns a table with descriptors 0 to {@code count - 1}, each a file of its own.
	 */
	FilesStruct filled(AllocatorOptions options, int count) {
		FilesStruct table = empty(options);
		for (int fd = 0; fd < count; fd++) {
			table.fdInstall(table.allocFd(0, NR_OPEN, false), newFile());
		}
		return table;
	}

	/** Repeats close(3); dup2(0, 3); dup(0) until there are {@code size} descriptors. */
	static int linusLoop(FilesStruct table, int size) {
		for (int fd = 1; fd < 4; fd++) {
			table.dup(0, 0, NR_OPEN, false);
		}
		int fd = 3;
		while (fd < size - 1) {
			table.close(3);
			table.dup2(0, 3, NR_OPEN);
			fd = table.dup(0, 0, NR_OPEN, false);
		}
		return fd;
	}

}
