package io.fdtable.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * The arrays of one descriptor table, like {@code struct fdtable}: their width never
 * changes; growth makes a wider table and retires this one.
 *
 * <p>
 * A reader without the lock sees either the whole old table or the whole new one, because
 * {@link FilesStruct} publishes a table with a single store. Slots are read and written
 * with acquire and release; everything else belongs to the holder of the
 * {@code fileLock}.
 */
final class FdTable {

	/** Width of the table that every process starts with, like NR_OPEN_DEFAULT. */
	static final int EMBEDDED = Long.SIZE;

	/** Widest table whose pointers fit the kernel's INT_MAX bytes, in slots. */
	private static final int MAX_SLOTS = Integer.MAX_VALUE / 8;

	private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(OpenFile[].class);

	private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

	/**
	 * Stands in a reserved slot of a retired table: whoever installs there must go to the
	 * table that replaced it.
	 */
	private static final OpenFile MOVED = OpenFile.marker();

	final int maxFds;

	final FdBitmap openFds;

	private final @Nullable OpenFile[] fd;

	private final long[] closeOnExec;

	/** Which handing-out of its number each slot holds; meaningless while free. */
	private final long[] generations;

	FdTable(FdBitmap openFds) {
		this.maxFds = openFds.capacity();
		this.openFds = openFds;
		this.fd = new OpenFile[this.maxFds];
		this.closeOnExec = new long[FdBitmap.wordIndex(this.maxFds)];
		this.generations = new long[this.maxFds];
	}

	/**
	 * Computes the width of a table for so many slots, like {@code alloc_fdtable}: the
	 * next power of two, or what nr_open leaves of it.
	 * @param wanted the number of slots needed, positive
	 * @param nrOpen the service's nr_open
	 * @return the width, a multiple of 64, or 0 where Linux answers EMFILE
	 */
	static int capacityFor(int wanted, int nrOpen) {
		long capacity = Math.max(EMBEDDED, Long.highestOneBit(wanted - 1L) << 1);
		if (capacity > nrOpen) {
			capacity = nrOpen & -Long.SIZE;
			if (capacity < wanted) {
				return 0;
			}
		}
		return (capacity <= MAX_SLOTS) ? (int) capacity : 0;
	}

	/**
	 * Returns the memory that a table takes beyond the embedded one, in bytes: a
	 * reference, a generation and a bit each in two maps per slot, and the summary.
	 */
	static long bytesFor(int capacity) {
		return (capacity > EMBEDDED) ? 12L * capacity + capacity / 4 + capacity / 512 : 0;
	}

	/** Returns the bytes of slots and bitmaps, which is what Linux's table holds too. */
	long slotAndBitmapBytes() {
		return 4L * this.maxFds + this.maxFds / 4 + 8L * FdBitmap.wordsFor(FdBitmap.wordIndex(this.maxFds));
	}

	boolean contains(int fd) {
		return Integer.compareUnsigned(fd, this.maxFds) < 0;
	}

	/** Tells whether a slot is reserved or installed. */
	boolean isOpen(int fd) {
		return contains(fd) && this.openFds.get(fd);
	}

	/** Returns the installed file, or null if the slot is free, reserved or absent. */
	@Nullable OpenFile fileAt(int fd) {
		if (!contains(fd)) {
			return null;
		}
		OpenFile file = (OpenFile) SLOT.getAcquire(this.fd, fd);
		return (file != MOVED) ? file : null;
	}

	void setFile(int fd, @Nullable OpenFile file) {
		SLOT.setRelease(this.fd, fd, file);
	}

	/**
	 * Installs a file into a reserved slot.
	 * @return false if the table has been retired, and nothing was done
	 * @throws IllegalStateException if the slot holds a file already
	 */
	boolean install(int fd, OpenFile file) {
		if (SLOT.compareAndSet(this.fd, fd, null, file)) {
			return true;
		}
		if (SLOT.getAcquire(this.fd, fd) == MOVED) {
			return false;
		}
		throw new IllegalStateException("I7: descriptor " + fd + " holds a file already");
	}

	boolean closeOnExec(int fd) {
		return ((long) WORD.getOpaque(this.closeOnExec, FdBitmap.wordIndex(fd)) & (1L << fd)) != 0;
	}

	void setCloseOnExec(int fd, boolean on) {
		int word = FdBitmap.wordIndex(fd);
		long bit = 1L << fd;
		long old = this.closeOnExec[word];
		long changed = on ? old | bit : old & ~bit;
		if (changed != old) {
			WORD.setOpaque(this.closeOnExec, word, changed);
		}
	}

	/** Marks all slots in an inclusive range, the free and the reserved ones too. */
	void setCloseOnExecRange(int first, int last) {
		int word = FdBitmap.wordIndex(first);
		int lastWord = FdBitmap.wordIndex(last);
		long mask = -1L << first;
		for (; word < lastWord; word++, mask = -1L) {
			WORD.setOpaque(this.closeOnExec, word, this.closeOnExec[word] | mask);
		}
		WORD.setOpaque(this.closeOnExec, word, this.closeOnExec[word] | (mask & (-1L >>> ~last)));
	}

	/** Returns one word of the close-on-exec map and clears it. */
	long takeCloseOnExecWord(int word) {
		long bits = this.closeOnExec[word];
		if (bits != 0) {
			WORD.setOpaque(this.closeOnExec, word, 0L);
		}
		return bits;
	}

	void setGeneration(int fd, long generation) {
		this.generations[fd] = generation;
	}

	/**
	 * Makes a wider copy and retires this table: reserved slots are closed to installers,
	 * who then find the copy.
	 */
	FdTable expand(int capacity, SearchCounters counters) {
		FdTable wider = new FdTable(this.openFds.copy(this.maxFds, capacity, counters));
		for (int slot = this.openFds.nextSet(0); slot < this.maxFds; slot = this.openFds.nextSet(slot + 1)) {
			wider.fd[slot] = retire(slot);
		}
		copyMarks(this.maxFds, wider);
		return wider;
	}

	private @Nullable OpenFile retire(int slot) {
		OpenFile file = (OpenFile) SLOT.getAcquire(this.fd, slot);
		if (file == null && !SLOT.compareAndSet(this.fd, slot, null, MOVED)) {
			file = (OpenFile) SLOT.getAcquire(this.fd, slot);
		}
		return file;
	}

	/**
	 * Makes a copy for another owner, like the body of {@code dup_fd}: each installed
	 * file gets one more reference, and a slot that is reserved here is free there.
	 * @param bits how many slots to copy, a multiple of 64
	 */
	FdTable copy(int bits, int capacity, SearchCounters counters) {
		FdTable copy = new FdTable(this.openFds.copy(bits, capacity, counters));
		for (int slot = this.openFds.nextSet(0); slot < bits; slot = this.openFds.nextSet(slot + 1)) {
			OpenFile file = fileAt(slot);
			if (file != null) {
				file.acquire();
				copy.fd[slot] = file;
			}
			else {
				copy.openFds.clear(slot);
			}
		}
		copyMarks(bits, copy);
		return copy;
	}

	private void copyMarks(int slots, FdTable target) {
		System.arraycopy(this.closeOnExec, 0, target.closeOnExec, 0, FdBitmap.wordIndex(slots));
		System.arraycopy(this.generations, 0, target.generations, 0, slots);
	}

	/** Describes a slot that is not free. */
	FdEntry entry(int fd) {
		OpenFile file = fileAt(fd);
		int statusFlags = (file != null) ? file.statusFlags() : 0;
		return new FdEntry(fd, this.generations[fd], closeOnExec(fd), file, statusFlags);
	}

	/** Returns the slots that are taken but hold no file, ascending. */
	int[] reserved() {
		return IntStream
			.iterate(this.openFds.nextSet(0), (fd) -> fd < this.maxFds, (fd) -> this.openFds.nextSet(fd + 1))
			.filter((fd) -> fileAt(fd) == null)
			.toArray();
	}

	long[] closeOnExecWords() {
		return this.closeOnExec.clone();
	}

	void checkInvariants() {
		if (this.maxFds < EMBEDDED || this.maxFds % Long.SIZE != 0) {
			throw new IllegalStateException("I1: " + this.maxFds + " slots are not whole words");
		}
		if (this.fd.length != this.maxFds || this.openFds.capacity() != this.maxFds
				|| this.closeOnExec.length != FdBitmap.wordIndex(this.maxFds)) {
			throw new IllegalStateException("I10: an array is not as wide as the table");
		}
		for (int slot = 0; slot < this.maxFds; slot++) {
			OpenFile file = fileAt(slot);
			if (file != null && !this.openFds.get(slot)) {
				throw new IllegalStateException("I2: descriptor " + slot + " has a file but is not open");
			}
			if (file != null && file.count() <= 0) {
				throw new IllegalStateException("I9: descriptor " + slot + " holds a closed file");
			}
		}
		this.openFds.checkInvariants();
	}

}
