package io.fdtable.kernel;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Processes and tables in the slowest and plainest way: a sorted set of free numbers, and
 * maps for everything else. Knows nothing of words, summaries and hints.
 */
final class ReferenceModel {

	/** An errno as the answer of a call, so that answers compare as numbers. */
	static long failure(Errno errno) {
		return -errno.number();
	}

	static final class File {

		final long id;

		int count;

		File(long id) {
			this.id = id;
		}

	}

	static final class Table {

		int sharers = 1;

		int width = 64;

		final TreeSet<Integer> free = new TreeSet<>();

		/** Reserved numbers have the value RESERVED. */
		final TreeMap<Integer, File> taken = new TreeMap<>();

		final TreeSet<Integer> closeOnExec = new TreeSet<>();

		boolean isInstalled(long fd) {
			File file = this.taken.get((int) fd);
			return fd == (int) fd && file != null && file != RESERVED;
		}

		void take(int fd, File file, boolean cloexec) {
			this.free.remove(fd);
			this.taken.put(fd, file);
			mark(fd, cloexec);
			if (file != RESERVED) {
				file.count++;
			}
		}

		void mark(int fd, boolean cloexec) {
			if (cloexec) {
				this.closeOnExec.add(fd);
			}
			else {
				this.closeOnExec.remove(fd);
			}
		}

		void drop(int fd) {
			File file = this.taken.remove(fd);
			this.free.add(fd);
			this.closeOnExec.remove(fd);
			if (file != RESERVED) {
				file.count--;
			}
		}

	}

	static final class Proc {

		final int pid;

		Table table;

		int soft;

		int hard;

		Proc(int pid, Table table, int soft, int hard) {
			this.pid = pid;
			this.table = table;
			this.soft = soft;
			this.hard = hard;
		}

	}

	static final File RESERVED = new File(0);

	final Map<Integer, Proc> processes = new TreeMap<>();

	private final TreeSet<Integer> allNumbers = new TreeSet<>();

	private int nrOpen;

	private int lastPid;

	private long lastFile;

	/** Starts with one process that has nothing open. */
	ReferenceModel(int nrOpen, int limit) {
		this.nrOpen = nrOpen;
		IntStream.range(0, nrOpen).forEach(this.allNumbers::add);
		start(emptyTable(), limit, limit);
	}

	private Table emptyTable() {
		Table table = new Table();
		table.free.addAll(this.allNumbers);
		return table;
	}

	private long start(Table table, int soft, int hard) {
		int pid = ++this.lastPid;
		this.processes.put(pid, new Proc(pid, table, soft, hard));
		return pid;
	}

	void setNrOpen(int nrOpen) {
		this.nrOpen = nrOpen;
	}

	private long alloc(Proc process, long minimum, File file, boolean cloexec) {
		Table table = process.table;
		Integer fd = (minimum < process.soft) ? table.free.ceiling((int) minimum) : null;
		if (fd == null || fd >= process.soft || !widen(table, fd)) {
			return failure(Errno.EMFILE);
		}
		table.take(fd, file, cloexec);
		return fd;
	}

	private boolean widen(Table table, int fd) {
		if (fd < table.width) {
			return true;
		}
		int width = widthFor(fd + 1);
		if (fd >= this.nrOpen || width <= fd) {
			return false;
		}
		table.width = width;
		return true;
	}

	private int widthFor(int slots) {
		int width = 64;
		while (width < slots) {
			width *= 2;
		}
		return (width <= this.nrOpen) ? width : this.nrOpen - this.nrOpen % 64;
	}

	long open(Proc process, boolean cloexec) {
		long fd = alloc(process, 0, new File(this.lastFile + 1), cloexec);
		if (fd >= 0) {
			this.lastFile++;
		}
		return fd;
	}

	long reserve(Proc process, long minimum, boolean cloexec) {
		return alloc(process, minimum, RESERVED, cloexec);
	}

	long install(Proc process, long fd) {
		long checked = checkReserved(process, fd);
		if (checked == 0) {
			File file = new File(++this.lastFile);
			file.count = 1;
			process.table.taken.put((int) fd, file);
		}
		return checked;
	}

	long release(Proc process, long fd) {
		long checked = checkReserved(process, fd);
		if (checked == 0) {
			process.table.drop((int) fd);
		}
		return checked;
	}

	private static long checkReserved(Proc process, long fd) {
		if (process.table.isInstalled(fd)) {
			return failure(Errno.EBUSY);
		}
		boolean reserved = fd == (int) fd && process.table.taken.containsKey((int) fd);
		return reserved ? 0 : failure(Errno.EBADF);
	}

	long close(Proc process, long fd) {
		if (!process.table.isInstalled(fd)) {
			return failure(Errno.EBADF);
		}
		process.table.drop((int) fd);
		return 0;
	}

	long dup(Proc process, long fd) {
		if (!process.table.isInstalled(fd)) {
			return failure(Errno.EBADF);
		}
		return alloc(process, 0, process.table.taken.get((int) fd), false);
	}

	long fDupFd(Proc process, long fd, long minimum, boolean cloexec) {
		if (!process.table.isInstalled(fd)) {
			return failure(Errno.EBADF);
		}
		if (minimum >= process.soft) {
			return failure(Errno.EINVAL);
		}
		return alloc(process, minimum, process.table.taken.get((int) fd), cloexec);
	}

	long dup2(Proc process, long oldFd, long newFd) {
		if (oldFd == newFd) {
			return process.table.isInstalled(oldFd) ? newFd : failure(Errno.EBADF);
		}
		return replace(process, oldFd, newFd, false);
	}

	long dup3(Proc process, long oldFd, long newFd, boolean cloexec) {
		return (oldFd == newFd) ? failure(Errno.EINVAL) : replace(process, oldFd, newFd, cloexec);
	}

	private long replace(Proc process, long oldFd, long newFd, boolean cloexec) {
		Table table = process.table;
		if (newFd >= process.soft) {
			return failure(Errno.EBADF);
		}
		boolean wide = widen(table, (int) newFd);
		if (!wide || !table.isInstalled(oldFd)) {
			return failure(Errno.EBADF);
		}
		if (table.taken.get((int) newFd) == RESERVED) {
			return failure(Errno.EBUSY);
		}
		File file = table.taken.get((int) oldFd);
		if (table.isInstalled(newFd)) {
			table.drop((int) newFd);
		}
		table.take((int) newFd, file, cloexec);
		return newFd;
	}

	long getFd(Proc process, long fd) {
		if (!process.table.isInstalled(fd)) {
			return failure(Errno.EBADF);
		}
		return process.table.closeOnExec.contains((int) fd) ? 1 : 0;
	}

	long setFd(Proc process, long fd, boolean cloexec) {
		if (!process.table.isInstalled(fd)) {
			return failure(Errno.EBADF);
		}
		process.table.mark((int) fd, cloexec);
		return 0;
	}

	long query(Proc process, long fd, long other) {
		Table table = process.table;
		if (!table.isInstalled(fd) || !table.isInstalled(other)) {
			return failure(Errno.EBADF);
		}
		return (table.taken.get((int) fd) == table.taken.get((int) other)) ? 1 : 0;
	}

	/** Answers how many were closed. */
	long closeRange(Proc process, long first, long last, int flags) {
		boolean unshare = (flags & CloseRange.CLOSE_RANGE_UNSHARE) != 0;
		boolean mark = (flags & CloseRange.CLOSE_RANGE_CLOEXEC) != 0;
		if ((flags & ~6) != 0 || first > last) {
			return failure(Errno.EINVAL);
		}
		if (unshare) {
			long error = mark ? makePrivate(process, 1, 0) : makePrivate(process, first, last);
			if (error != 0) {
				return error;
			}
		}
		long closed = 0;
		for (int fd : process.table.taken.keySet().toArray(Integer[]::new)) {
			if (fd >= first && fd <= last && mark) {
				process.table.mark(fd, true);
			}
			else if (fd >= first && fd <= last && process.table.isInstalled(fd)) {
				process.table.drop(fd);
				closed++;
			}
		}
		return closed;
	}

	private long makePrivate(Proc process, long holeFirst, long holeLast) {
		Table shared = process.table;
		if (shared.sharers == 1) {
			return 0;
		}
		Table copy = copy(shared, holeFirst, holeLast);
		if (copy == null) {
			return failure(Errno.EMFILE);
		}
		shared.sharers--;
		process.table = copy;
		return 0;
	}

	/**
	 * Copies all below the highest taken number that is kept, or answers null for EMFILE.
	 */
	private Table copy(Table source, long holeFirst, long holeLast) {
		Integer highest = source.taken.isEmpty() ? null : source.taken.lastKey();
		if (highest != null && holeFirst <= highest && highest <= holeLast) {
			highest = source.taken.lowerKey((int) holeFirst);
		}
		int slots = (highest != null) ? (highest / 64 + 1) * 64 : 64;
		Table copy = emptyTable();
		copy.width = widthFor(slots);
		if (copy.width < slots) {
			return null;
		}
		source.taken.headMap(slots).forEach((fd, file) -> {
			if (file != RESERVED) {
				copy.take(fd, file, source.closeOnExec.contains(fd));
			}
		});
		return copy;
	}

	long fork(Proc process, boolean share) {
		Table table = process.table;
		if (share) {
			table.sharers++;
		}
		else {
			table = copy(table, 1, 0);
		}
		return (table != null) ? start(table, process.soft, process.hard) : failure(Errno.EMFILE);
	}

	long unshare(Proc process) {
		return makePrivate(process, 1, 0);
	}

	/** Answers how many were closed. */
	long exec(Proc process) {
		long error = makePrivate(process, 1, 0);
		if (error != 0) {
			exit(process);
			return error;
		}
		Table table = process.table;
		long closed = 0;
		for (int fd : table.closeOnExec.toArray(Integer[]::new)) {
			if (table.isInstalled(fd)) {
				table.drop(fd);
				closed++;
			}
		}
		table.closeOnExec.clear();
		return closed;
	}

	long exit(Proc process) {
		this.processes.remove(process.pid);
		if (--process.table.sharers == 0) {
			closeRange(process, 0, Integer.MAX_VALUE, 0);
		}
		return 0;
	}

	long setNofile(Proc process, int soft, int hard) {
		if (soft > hard) {
			return failure(Errno.EINVAL);
		}
		if (hard > this.nrOpen || hard > process.hard) {
			return failure(Errno.EPERM);
		}
		process.soft = soft;
		process.hard = hard;
		return 0;
	}

}
