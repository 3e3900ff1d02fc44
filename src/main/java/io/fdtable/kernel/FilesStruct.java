package io.fdtable.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * The descriptor table of one process, or of several that share it: an exact model of
 * Linux's {@code struct files_struct}.
 *
 * <p>
 * A slot is <em>free</em>, <em>reserved</em> (taken for allocation, but without a file,
 * so that every lookup answers EBADF) or <em>installed</em>. A new descriptor is always
 * the lowest free number that is acceptable. Descriptors are unsigned 32-bit numbers: -1
 * is 4294967295 and fails whichever range check comes first.
 *
 * <p>
 * The limit on descriptor numbers belongs to the process, not to the table, and is passed
 * to each call that needs it. Safe from any thread.
 *
 * @see <a href="https://github.com/torvalds/linux/blob/v6.19/fs/file.c">fs/file.c</a>
 */
public final class FilesStruct {

	/** Width of a new table, in slots, like NR_OPEN_DEFAULT. */
	public static final int NR_OPEN_DEFAULT = FdTable.EMBEDDED;

	/*-
	 * Who may touch what.
	 *
	 *   field               readers              writers                 guard
	 *   ------------------  -------------------  ----------------------  ----------------------
	 *   fdt                 anyone               growth                  fileLock; volatile read
	 *   a slot              anyone               close, dup2, exec       fileLock; acquire read
	 *     while reserved                         its installer           none: one CAS
	 *   the chunk of a slot anyone               who writes to a shared  fileLock; acquire read
	 *                                            one replaces it
	 *   a chunk's sharers   anyone               fork, exit, replacing   atomic
	 *   closeOnExec         anyone (F_GETFD)     all that change it      fileLock; opaque read
	 *   openFds, nextFd,    holders of the lock  alloc, release, dup2    fileLock
	 *     generations,
	 *     highWater
	 *   a chunk's settled   holders of the lock  alloc, dup2, fork       fileLock; constant while
	 *                                                                    shared
	 *   counters            holders of the lock  alloc, growth           fileLock
	 *   count               anyone               clone, exit, unshare    atomic
	 *
	 * Lock order: fileLock is innermost. No other lock is taken and no file is closed for
	 * good while it is held: a final close may run code of the file.
	 *
	 * Lookup takes no lock. It reads fdt, then the slot, takes a reference, and reads both
	 * again: a file may have been closed and its number reused between reading the slot and
	 * taking the reference (CVE-2021-4083). A reference that cannot be taken does not tell
	 * that the slot is free: dup2 may have replaced it. Neither does an empty slot of a table
	 * that growth has replaced meanwhile. Both mean: look again.
	 *
	 * Install takes no lock. The kernel lets growth wait until every install that did not
	 * see it coming has finished. Here the wider table takes over the chunks of the old one,
	 * so an install into the old table is one into the new. Only a chunk that must itself
	 * become wider is copied: growth closes each of its reserved slots with a marker; the
	 * install that finds the marker takes the lock, which growth holds until the wider table
	 * is published, and installs there. So growth waits for nobody and no install is lost.
	 *
	 * Growth keeps the lock, where the kernel must drop it to allocate memory and then start
	 * over. What follows is the same for a caller, and one interleaving fewer.
	 *
	 * Invariants that hold whenever fileLock is free; checkInvariants() asserts them.
	 *
	 *   I1   maxFds is a positive multiple of 64; a table never gets narrower
	 *   I2   a slot with a file has its open bit set
	 *   I3   a set summary bit means a word of ones
	 *   I4   a word of ones has its summary bit set
	 *   I5   summary bits beyond the last word are 0
	 *   I6   every slot below nextFd is taken, and 0 <= nextFd <= maxFds
	 *   I7   a reserved slot holds no file until its own install (asserted by install)
	 *   I8   the close-on-exec bit of a free slot means nothing and is never shown
	 *   I9   a file has at least as many references as slots that hold it, a slot of a
	 *        shared chunk counting once
	 *   I10  bitmaps are whole words, as many as the table has
	 */

	private final Object fileLock = new Object();

	private final Sysctl sysctl;

	private final AllocatorOptions options;

	private final SearchCounters counters;

	private final PositionLocks positionLocks = new PositionLocks();

	/** Processes that use this table; 1 means private. */
	private final AtomicInteger count = new AtomicInteger(1);

	private volatile FdTable fdt;

	/** Lower bound of the lowest free slot. */
	private int nextFd;

	/** The generation given out last; each handing-out of a number gets the next. */
	private long generation;

	private int highWater = -1;

	/**
	 * Creates an empty private table of 64 slots.
	 * @param sysctl the settings of the service
	 * @param allocator how to search for a free descriptor, with {@code next_fd}
	 */
	public FilesStruct(Sysctl sysctl, Allocator allocator) {
		this(sysctl, new AllocatorOptions(allocator, true));
	}

	/**
	 * Creates an empty private table of 64 slots.
	 * @param sysctl the settings of the service
	 * @param options how to search for a free descriptor
	 */
	public FilesStruct(Sysctl sysctl, AllocatorOptions options) {
		this.sysctl = sysctl;
		this.options = options;
		this.counters = new SearchCounters();
		this.fdt = new FdTable(options.allocator().newBitmap(NR_OPEN_DEFAULT, this.counters));
	}

	private FilesStruct(FilesStruct source, SearchCounters counters, FdTable fdt) {
		this.sysctl = source.sysctl;
		this.options = source.options;
		this.counters = counters;
		this.fdt = fdt;
		this.generation = source.generation;
	}

	Sysctl sysctl() {
		return this.sysctl;
	}

	/**
	 * Returns how the table allocates.
	 * @return the same for the table's whole life, and for copies of it
	 */
	public AllocatorOptions options() {
		return this.options;
	}

	// Allocation

	/**
	 * Reserves the lowest unused descriptor in {@code [start, end)} and marks it open,
	 * like {@code alloc_fd}; with {@link Allocator#FAST_ALLOC} any unused one.
	 *
	 * <p>
	 * The slot holds no file until {@link #fdInstall}; until then {@link #fget} reports
	 * it as not open and {@link #dup2} onto it fails with {@link Errno#EBUSY}. Pair each
	 * success with one {@code fdInstall} or {@link #putUnusedFd}.
	 *
	 * <p>
	 * With {@link Allocator#WORD_FIRST} reads at most {@code maxFds / 4096 + 3} words
	 * when {@code start} is 0, one when the word of {@code nextFd} has room. Growing
	 * costs O({@code maxFds}) once per doubling.
	 * @param start the lowest acceptable descriptor: 0 for open and dup, the argument of
	 * F_DUPFD otherwise; not negative
	 * @param end one past the highest acceptable descriptor, normally the RLIMIT_NOFILE
	 * soft limit
	 * @param closeOnExec whether exec will close the descriptor
	 * @return the reserved descriptor
	 * @throws SyscallException EMFILE if every descriptor in the range is taken or the
	 * table would grow beyond nr_open; ENOMEM if the memory budget is spent
	 * @see #fdInstall
	 * @see #putUnusedFd
	 */
	public int allocFd(int start, int end, boolean closeOnExec) {
		synchronized (this.fileLock) {
			return reserve(start, end, closeOnExec);
		}
	}

	private int reserve(int start, int end, boolean closeOnExec) {
		int fd = findFreeFd(Math.max(start, this.nextFd), end);
		// Before growing, so that a table that is full at the limit stays as it is.
		if (fd >= end) {
			throw Errno.EMFILE.exception();
		}
		Errno error = expandFiles(fd);
		if (error != null) {
			throw error.exception();
		}
		// Only a search that began at nextFd has seen that all below fd is taken.
		if (start <= this.nextFd && this.options.raisesNextFd()) {
			this.nextFd = fd + 1;
		}
		markOpen(fd, closeOnExec);
		return fd;
	}

	private int findFreeFd(int candidate, int end) {
		FdTable table = this.fdt;
		if (candidate >= table.maxFds) {
			return candidate;
		}
		this.counters.searches++;
		int fd = table.openFds.findFreeFd(candidate, end);
		if (fd == candidate) {
			this.counters.hintHits++;
		}
		return fd;
	}

	/** Makes a slot taken; the caller has made sure that the table is wide enough. */
	private void markOpen(int fd, boolean closeOnExec) {
		FdTable table = this.fdt;
		table.openFds.set(fd);
		this.highWater = Math.max(this.highWater, fd);
		table.setCloseOnExec(fd, closeOnExec);
		table.setGeneration(fd, ++this.generation);
	}

	/**
	 * Grows the table until it has the slot, like {@code expand_files}, and sees to it
	 * that writing to the slot takes no more memory.
	 * @return null on success, otherwise EMFILE or ENOMEM
	 */
	private @Nullable Errno expandFiles(int fd) {
		try {
			if (!this.fdt.contains(fd)) {
				expandFdtable(fd);
			}
			this.fdt.prepare(fd, this.generation + 1);
			return null;
		}
		catch (SyscallException ex) {
			return ex.errno();
		}
		catch (OutOfMemoryError ex) {
			return Errno.ENOMEM;
		}
	}

	private void expandFdtable(int fd) {
		FdTable table = this.fdt;
		int nrOpen = this.sysctl.nrOpen();
		int capacity = (fd < nrOpen) ? FdTable.capacityFor(fd + 1, nrOpen) : 0;
		if (capacity == 0) {
			throw Errno.EMFILE.exception();
		}
		this.fdt = allocate(capacity, () -> table.expand(capacity, this.counters));
		this.sysctl.uncharge(FdTable.bytesFor(table.maxFds));
		this.counters.expansions++;
		this.counters.slotsCopied += table.maxFds;
	}

	private interface TableFactory {

		FdTable create();

	}

	/** Makes a table within the memory budget, or throws ENOMEM and takes nothing. */
	private FdTable allocate(int capacity, TableFactory factory) {
		long bytes = FdTable.bytesFor(capacity);
		this.sysctl.charge(bytes);
		try {
			return factory.create();
		}
		catch (OutOfMemoryError ex) {
			this.sysctl.uncharge(bytes);
			throw Errno.ENOMEM.exception();
		}
	}

	/**
	 * Gives a reserved slot its file and so makes it visible to everyone who shares the
	 * table, like {@code fd_install}. Cannot fail, and takes no lock unless the table is
	 * growing: one compare-and-set.
	 * @param fd a descriptor that {@link #allocFd} returned to the caller
	 * @param file the file; the caller's reference becomes the slot's
	 * @throws IllegalStateException if the slot holds a file already
	 */
	public void fdInstall(int fd, OpenFile file) {
		if (!this.fdt.install(fd, file)) {
			synchronized (this.fileLock) {
				if (!this.fdt.install(fd, file)) {
					throw new IllegalStateException("the table in use has been retired");
				}
			}
		}
	}

	/**
	 * Gives a reserved slot back, like {@code put_unused_fd}.
	 * @param fd a descriptor that {@link #allocFd} returned to the caller and that has
	 * not been installed
	 */
	public void putUnusedFd(int fd) {
		synchronized (this.fileLock) {
			release(fd);
		}
	}

	private void release(int fd) {
		this.fdt.openFds.clear(fd);
		this.nextFd = Math.min(this.nextFd, fd);
	}

	// Lookup

	/**
	 * Returns the file of a descriptor with a reference that the caller must drop, like
	 * {@code fget_raw}. Takes no lock.
	 * @param fd the descriptor, unsigned
	 * @return the file
	 * @throws SyscallException EBADF if the slot is free, reserved or beyond the table
	 */
	OpenFile fget(int fd) {
		while (true) {
			FdTable table = this.fdt;
			OpenFile file = table.fileAt(fd);
			if (file == null && this.fdt == table) {
				throw Errno.EBADF.exception();
			}
			// What a replaced table does not have, the table that replaced it may.
			if (file == null || !file.tryAcquire()) {
				continue;
			}
			if (table.fileAt(fd) == file && this.fdt == table) {
				return file;
			}
			file.release();
		}
	}

	/**
	 * Does what {@link #fget(int)} does for a call that uses the file, like {@code fget}
	 * in Linux.
	 * @throws SyscallException EBADF also for an O_PATH file
	 */
	OpenFile fgetUsable(int fd) {
		OpenFile file = fget(fd);
		if (file.isPath()) {
			file.release();
			throw Errno.EBADF.exception();
		}
		return file;
	}

	PositionLocks positionLocks() {
		return this.positionLocks;
	}

	/**
	 * Tells whether a slot is another table's too since a fork, so that its file has a
	 * user whom the file does not count. To be asked before {@link OpenFile#count}.
	 * @param fd a descriptor that the caller has looked up
	 */
	boolean sharesSlot(int fd) {
		return this.fdt.sharesSlot(fd);
	}

	/** Does {@link FdTable#uncountedUses} with the table as it is. */
	int uncountedUses(OpenFile file, Set<SlotChunk> seen) {
		return this.fdt.uncountedUses(file, seen);
	}

	/**
	 * Tells whether exec will close the descriptor, like F_GETFD. Takes no lock.
	 * @param fd the descriptor, unsigned
	 * @return the slot's FD_CLOEXEC
	 * @throws SyscallException EBADF if the descriptor is not installed
	 */
	public boolean closeOnExec(int fd) {
		return lookup(fd).closeOnExec(fd);
	}

	/**
	 * Finds the table in which a descriptor is installed.
	 * @throws SyscallException EBADF if it is not
	 */
	private FdTable lookup(int fd) {
		while (true) {
			FdTable table = this.fdt;
			if (table.fileAt(fd) != null) {
				return table;
			}
			if (this.fdt == table) {
				throw Errno.EBADF.exception();
			}
		}
	}

	/**
	 * Sets or clears the slot's FD_CLOEXEC, like F_SETFD.
	 * @param fd the descriptor, unsigned
	 * @param on whether exec will close it
	 * @throws SyscallException EBADF if the descriptor is not installed
	 */
	public void setCloseOnExec(int fd, boolean on) {
		synchronized (this.fileLock) {
			installedAt(fd);
			this.fdt.setCloseOnExec(fd, on);
		}
	}

	private OpenFile installedAt(int fd) {
		OpenFile file = this.fdt.heldFile(fd);
		if (file == null) {
			throw Errno.EBADF.exception();
		}
		return file;
	}

	// Closing

	/**
	 * Frees a descriptor and drops its reference to the file, like {@code close}. The
	 * number is free the moment the call returns, and a reserved slot stays reserved.
	 * @param fd the descriptor, unsigned
	 * @throws SyscallException EBADF if the descriptor is not installed
	 */
	public void close(int fd) {
		OpenFile file;
		synchronized (this.fileLock) {
			file = installedAt(fd);
			vacate(fd);
		}
		file.release();
	}

	private void vacate(int fd) {
		this.fdt.setFile(fd, null);
		release(fd);
	}

	/**
	 * Closes every installed descriptor of a range; reserved ones stay. The lock is
	 * dropped around each close, and descriptors that others open meanwhile beyond the
	 * width the table had at the start survive, like {@code close_range}.
	 *
	 * <p>
	 * Reads the bitmap of the range, not its slots: O(words + closed).
	 * @param range the descriptors
	 * @return how many were closed
	 */
	public int closeRange(FdRange range) {
		int end = endOf(range);
		int closed = 0;
		for (int fd = nextOpen(range.first()); fd < end; fd = nextOpen(fd + 1)) {
			closed += closeFrom(fd, range.first(), end);
		}
		return closed;
	}

	/** Returns one past the last slot of a range, or less than any if there is none. */
	private int endOf(FdRange range) {
		synchronized (this.fileLock) {
			return this.fdt.contains(range.first()) ? clamp(range.last()) + 1 : Integer.MIN_VALUE;
		}
	}

	/**
	 * Returns a number beyond every table if none is open: the last user may have gone.
	 */
	private int nextOpen(int fd) {
		synchronized (this.fileLock) {
			int next = this.fdt.openFds.nextSet(fd);
			return this.fdt.contains(next) ? next : Integer.MAX_VALUE;
		}
	}

	/**
	 * Closes a descriptor, and all others of its chunk if another table has them too and
	 * the range covers them.
	 * @return how many were closed; 0 if the slot is reserved or has become free
	 */
	private int closeFrom(int fd, int from, int end) {
		SlotChunk chunk;
		OpenFile file;
		synchronized (this.fileLock) {
			chunk = this.fdt.detach(fd, from, end);
			file = this.fdt.heldFile(fd);
			if (chunk != null) {
				this.nextFd = Math.min(this.nextFd, fd);
			}
			else if (file != null) {
				vacate(fd);
			}
		}
		if (chunk != null) {
			int size = chunk.size();
			chunk.leave();
			return size;
		}
		if (file != null) {
			file.release();
			return 1;
		}
		return 0;
	}

	/** Returns the highest slot of the table that is not above {@code last}. */
	private int clamp(int last) {
		return this.fdt.contains(last) ? last : this.fdt.maxFds - 1;
	}

	/**
	 * Marks every slot of a range close-on-exec, like {@code close_range} with
	 * CLOSE_RANGE_CLOEXEC. Free slots do not keep the mark; reserved ones do, and the
	 * file installed later will be closed by exec although its open did not ask for it.
	 * @param range the descriptors
	 */
	public void setCloseOnExec(FdRange range) {
		synchronized (this.fileLock) {
			if (this.fdt.contains(range.first())) {
				this.fdt.setCloseOnExecRange(range.first(), clamp(range.last()));
			}
		}
	}

	/**
	 * Closes what is marked close-on-exec and clears every mark, like
	 * {@code do_close_on_exec}. The width stays. Exec has made the table private before,
	 * and the process has one thread left: nobody else can close what was marked.
	 * @return the descriptors that were closed, ascending
	 */
	int[] doCloseOnExec() {
		int[] marked;
		synchronized (this.fileLock) {
			marked = this.fdt.takeCloseOnExec();
		}
		for (int fd : marked) {
			close(fd);
		}
		return marked;
	}

	// Duplication

	/**
	 * Makes another descriptor of the same open file, like {@code dup} and F_DUPFD.
	 * @param oldFd the descriptor to duplicate, unsigned
	 * @param start the lowest acceptable number, not negative
	 * @param end one past the highest acceptable number
	 * @param closeOnExec whether exec will close the new descriptor
	 * @return the new descriptor
	 * @throws SyscallException EBADF if {@code oldFd} is not installed; EMFILE and ENOMEM
	 * as for {@link #allocFd}
	 */
	public int dup(int oldFd, int start, int end, boolean closeOnExec) {
		synchronized (this.fileLock) {
			OpenFile file = installedAt(oldFd);
			int fd = reserve(start, end, closeOnExec);
			file.acquire();
			this.fdt.setFile(fd, file);
			return fd;
		}
	}

	/**
	 * Makes {@code newFd} a descriptor of the same open file, like {@code dup2}. What it
	 * referred to before is replaced in one step: the number is never free in between.
	 * Where both are the same, only checks that the descriptor is installed.
	 * @param oldFd the descriptor to duplicate, unsigned
	 * @param newFd the number to give it, unsigned
	 * @param end one past the highest acceptable number
	 * @return whether another file was replaced
	 * @throws SyscallException EBADF if {@code oldFd} is not installed, or {@code newFd}
	 * is at or above {@code end} or what nr_open allows; EBUSY if {@code newFd} is
	 * reserved; ENOMEM if the memory budget is spent
	 */
	public boolean dup2(int oldFd, int newFd, int end) {
		if (oldFd == newFd) {
			lookup(oldFd);
			return false;
		}
		return doDup2(oldFd, newFd, end, false);
	}

	/**
	 * Does what {@link #dup2} does and decides on FD_CLOEXEC too, like {@code dup3}.
	 * @param oldFd the descriptor to duplicate, unsigned
	 * @param newFd the number to give it, unsigned
	 * @param flags 0 or O_CLOEXEC
	 * @param end one past the highest acceptable number
	 * @return whether another file was replaced
	 * @throws SyscallException EINVAL if there is any other flag or both numbers are the
	 * same; otherwise as {@link #dup2}
	 */
	public boolean dup3(int oldFd, int newFd, int flags, int end) {
		if ((flags & ~OpenFlags.O_CLOEXEC) != 0 || oldFd == newFd) {
			throw Errno.EINVAL.exception();
		}
		return doDup2(oldFd, newFd, end, flags != 0);
	}

	private boolean doDup2(int oldFd, int newFd, int end, boolean closeOnExec) {
		if (Integer.compareUnsigned(newFd, end) >= 0) {
			throw Errno.EBADF.exception();
		}
		OpenFile replaced;
		synchronized (this.fileLock) {
			// Growth comes first and is not undone; a bad oldFd outranks its error.
			Errno error = expandFiles(newFd);
			OpenFile file = installedAt(oldFd);
			if (error != null) {
				throw ((error == Errno.EMFILE) ? Errno.EBADF : error).exception();
			}
			FdTable table = this.fdt;
			replaced = table.heldFile(newFd);
			// An open under way would overwrite the slot when it installs.
			if (replaced == null && table.isOpen(newFd)) {
				throw Errno.EBUSY.exception();
			}
			file.acquire();
			markOpen(newFd, closeOnExec);
			table.setFile(newFd, file);
		}
		if (replaced != null) {
			replaced.release();
		}
		return replaced != null;
	}

	// Copying and sharing

	/**
	 * Copies the table for a new owner, like {@code dup_fd}: every installed descriptor,
	 * FD_CLOEXEC and all, on the same open files; reserved numbers are free in the copy.
	 *
	 * <p>
	 * The copy is as wide as its highest open descriptor asks for, whatever the width
	 * here. A hole only helps where it covers the highest open descriptor: the copy then
	 * ends below it. What lies in the hole and below that end is copied all the same. One
	 * pass over the copied part, under the lock.
	 * @param hole descriptors that the caller is about to close in the copy, or null
	 * @return a private table
	 * @throws SyscallException EMFILE if the copy needs more than nr_open allows; ENOMEM
	 * if the memory budget is spent
	 */
	public FilesStruct dupFd(@Nullable FdRange hole) {
		synchronized (this.fileLock) {
			FdTable table = this.fdt;
			int size = saneFdtableSize(table, hole);
			int capacity = FdTable.capacityFor(size, this.sysctl.nrOpen());
			if (capacity == 0) {
				throw Errno.EMFILE.exception();
			}
			SearchCounters copyCounters = new SearchCounters();
			FdTable copy = allocate(capacity, () -> table.copy(size, capacity, copyCounters));
			FilesStruct files = new FilesStruct(this, copyCounters, copy);
			files.highWater = copy.openFds.lastSet(capacity);
			return files;
		}
	}

	/** Returns how many slots a copy needs, in whole words. */
	private static int saneFdtableSize(FdTable table, @Nullable FdRange hole) {
		int last = table.openFds.lastSet(table.maxFds);
		if (last >= 0 && hole != null && hole.contains(last)) {
			last = table.openFds.lastSet(hole.first());
		}
		return (FdBitmap.wordIndex(Math.max(last, 0)) + 1) << 6;
	}

	/**
	 * Counts one more process that uses this very table, like {@code clone} with
	 * CLONE_FILES.
	 * @return this table
	 */
	FilesStruct share() {
		this.count.incrementAndGet();
		return this;
	}

	/**
	 * Returns how many processes use this table.
	 * @return 1 if it is private, 0 after the last one has gone
	 */
	public int count() {
		return this.count.get();
	}

	/**
	 * Counts one process less, like {@code put_files_struct}; the last one closes every
	 * installed descriptor, in ascending order.
	 */
	void put() {
		if (this.count.decrementAndGet() == 0) {
			FdTable table = vacateAll();
			table.leaveChunks();
			this.sysctl.uncharge(FdTable.bytesFor(table.maxFds));
		}
	}

	/** Puts an empty table in the place of the present one, for late lookups to find. */
	private FdTable vacateAll() {
		synchronized (this.fileLock) {
			FdTable table = this.fdt;
			this.fdt = new FdTable(this.options.allocator().newBitmap(NR_OPEN_DEFAULT, this.counters));
			this.nextFd = 0;
			return table;
		}
	}

	// Inspection

	/**
	 * Describes one descriptor.
	 * @param fd the descriptor, unsigned
	 * @return its state at one moment, or null if the slot is free or beyond the table
	 */
	public @Nullable FdEntry entry(int fd) {
		synchronized (this.fileLock) {
			return this.fdt.isOpen(fd) ? this.fdt.entry(fd) : null;
		}
	}

	/**
	 * Lists descriptors that are not free, in ascending order.
	 * @param from the lowest number to list, not negative
	 * @param max how many to list at most
	 * @return their states at one moment
	 */
	public List<FdEntry> entries(int from, int max) {
		synchronized (this.fileLock) {
			List<FdEntry> entries = new ArrayList<>();
			int fd = this.fdt.openFds.nextSet(from);
			while (fd < this.fdt.maxFds && entries.size() < max) {
				entries.add(this.fdt.entry(fd));
				fd = this.fdt.openFds.nextSet(fd + 1);
			}
			return entries;
		}
	}

	/**
	 * Returns the table's bitmaps and hint.
	 * @return copies taken at one moment
	 */
	public FdBitmaps bitmaps() {
		synchronized (this.fileLock) {
			FdTable table = this.fdt;
			return new FdBitmaps(table.maxFds, this.nextFd, table.openFds.openFds.clone(), table.closeOnExecWords(),
					table.openFds.fullFdsBits(), table.reserved());
		}
	}

	/**
	 * Returns what the table holds and what it has cost so far. Walks the bitmap and the
	 * open slots.
	 * @return numbers taken at one moment
	 */
	public TableStatistics statistics() {
		synchronized (this.fileLock) {
			FdTable table = this.fdt;
			int reserved = table.reserved().length;
			int open = table.openFds.cardinality();
			int highest = table.openFds.lastSet(table.maxFds);
			return new TableStatistics(this.options, open - reserved, reserved, highest + 1 - open, highest,
					this.highWater, table.maxFds, this.nextFd, count(), table.openFds.fullWords(),
					table.slotAndBitmapBytes(), this.counters.searches, this.counters.hintHits, this.counters.wordHits,
					this.counters.summarySearches, this.counters.wordsRead, this.counters.expansions,
					this.counters.slotsCopied, this.positionLocks.taken(), this.positionLocks.elided());
		}
	}

	/**
	 * Asserts the invariants I1 to I10. Costs O({@code maxFds}); meant for tests.
	 * @throws IllegalStateException naming the invariant that does not hold
	 */
	public void checkInvariants() {
		synchronized (this.fileLock) {
			this.fdt.checkInvariants();
			if (this.nextFd < 0 || this.nextFd > this.fdt.openFds.nextClear(0)) {
				throw new IllegalStateException("I6: next_fd " + this.nextFd + " is above a free descriptor");
			}
		}
	}

}
