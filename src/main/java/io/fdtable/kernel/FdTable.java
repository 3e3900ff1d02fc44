package io.fdtable.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * The arrays of one descriptor table, like {@code struct fdtable}: their width never
 * changes; growth makes a wider table and retires this one.
 *
 * <p>
 * A reader without the lock sees either the whole old table or the whole new one, because
 * {@link FilesStruct} publishes a table with a single store. Chunks and slots are read
 * and written with acquire and release, close-on-exec marks with opaque accesses;
 * everything else belongs to the holder of the {@code fileLock}.
 */
final class FdTable {

	/** Width of the table that every process starts with, like NR_OPEN_DEFAULT. */
	static final int EMBEDDED = Long.SIZE;

	/** Widest table whose pointers fit the kernel's INT_MAX bytes, in slots. */
	private static final int MAX_SLOTS = Integer.MAX_VALUE / 8;

	private static final VarHandle CHUNK = MethodHandles.arrayElementVarHandle(SlotChunk[].class);

	private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(OpenFile[].class);

	private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

	/**
	 * Stands in a reserved slot of a retired table: whoever installs there must go to the
	 * table that replaced it.
	 */
	private static final OpenFile MOVED = OpenFile.marker();

	final int maxFds;

	final FdBitmap openFds;

	/** The slots, {@link SlotChunk#SLOTS} at a time. */
	private final SlotChunk[] chunks;

	private final long[] closeOnExec;

	FdTable(FdBitmap openFds) {
		this(openFds, chunksFor(openFds.capacity()));
		Arrays.fill(this.chunks, SlotChunk.EMPTY);
	}

	private FdTable(FdBitmap openFds, SlotChunk[] chunks) {
		this.maxFds = openFds.capacity();
		this.openFds = openFds;
		this.chunks = chunks;
		this.closeOnExec = new long[FdBitmap.wordIndex(this.maxFds)];
	}

	private static SlotChunk[] chunksFor(int capacity) {
		return new SlotChunk[chunkIndex(capacity + SlotChunk.SLOTS - 1)];
	}

	private static int chunkIndex(int fd) {
		return fd / SlotChunk.SLOTS;
	}

	private static int slotIndex(int fd) {
		return fd % SlotChunk.SLOTS;
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
	 * reference, a generation and a bit each in two maps per slot, and the summary. Half
	 * of each generation is taken only after 2^32 of them.
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
		SlotChunk chunk;
		OpenFile file;
		do {
			chunk = chunkOf(fd);
			file = (OpenFile) SLOT.getAcquire(chunk.fd, slotIndex(fd));
		}
		// A chunk that this table no longer shares may have become another table's own.
		while (chunkOf(fd) != chunk);
		return (file != MOVED) ? file : null;
	}

	/**
	 * Returns the same for the holder of the lock, who sees the table in use at rest: no
	 * chunk is replaced meanwhile.
	 */
	@Nullable OpenFile heldFile(int fd) {
		return contains(fd) ? (OpenFile) SLOT.getAcquire(this.chunks[chunkIndex(fd)].fd, slotIndex(fd)) : null;
	}

	private SlotChunk chunkOf(int fd) {
		return (SlotChunk) CHUNK.getAcquire(this.chunks, chunkIndex(fd));
	}

	/**
	 * Tells whether a slot is another table's too, so that its file has a user who does
	 * not show in the file's count.
	 */
	boolean sharesSlot(int fd) {
		return chunkOf(fd).isShared();
	}

	/** Returns the chunk of a slot for writing, which nobody else can see. */
	private SlotChunk own(int fd) {
		SlotChunk chunk = this.chunks[chunkIndex(fd)];
		return chunk.isShared() ? unshare(chunkIndex(fd)) : chunk;
	}

	private SlotChunk unshare(int index) {
		SlotChunk chunk = this.chunks[index];
		SlotChunk own = (chunk != SlotChunk.EMPTY) ? chunk.copy() : newChunk();
		CHUNK.setRelease(this.chunks, index, own);
		// The copy's references keep each file open, so nothing is closed for good here.
		chunk.leave();
		return own;
	}

	private SlotChunk newChunk() {
		return new SlotChunk(slotsOfChunk());
	}

	private int slotsOfChunk() {
		return Math.min(this.maxFds, SlotChunk.SLOTS);
	}

	/**
	 * Makes sure that a slot can be written to without taking memory.
	 * @param generation what will be noted for it at most
	 */
	void prepare(int fd, long generation) {
		own(fd).prepare(generation);
	}

	void setFile(int fd, @Nullable OpenFile file) {
		SLOT.setRelease(own(fd).fd, slotIndex(fd), file);
	}

	/**
	 * Installs a file into a reserved slot, whose chunk is not shared.
	 * @return false if the table has been retired, and nothing was done
	 * @throws IllegalStateException if the slot holds a file already
	 */
	boolean install(int fd, OpenFile file) {
		SlotChunk chunk = chunkOf(fd);
		if (chunk == SlotChunk.EMPTY) {
			throw new IllegalStateException("I7: descriptor " + fd + " is not reserved");
		}
		@Nullable OpenFile[] slots = chunk.fd;
		if (SLOT.compareAndSet(slots, slotIndex(fd), null, file)) {
			return true;
		}
		if (SLOT.getAcquire(slots, slotIndex(fd)) == MOVED) {
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

	/**
	 * Clears the close-on-exec map and returns the installed slots it held, ascending.
	 */
	int[] takeCloseOnExec() {
		int[] marked = new int[8];
		int size = 0;
		for (int word = 0; word < this.closeOnExec.length; word++) {
			for (long bits = takeCloseOnExecWord(word); bits != 0; bits &= bits - 1) {
				int fd = (word << 6) + Long.numberOfTrailingZeros(bits);
				if (fileAt(fd) != null) {
					marked = (size < marked.length) ? marked : Arrays.copyOf(marked, 2 * size);
					marked[size++] = fd;
				}
			}
		}
		return Arrays.copyOf(marked, size);
	}

	private long takeCloseOnExecWord(int word) {
		long bits = this.closeOnExec[word];
		if (bits != 0) {
			WORD.setOpaque(this.closeOnExec, word, 0L);
		}
		return bits;
	}

	/** Notes which handing-out of its number a slot holds from now on. */
	void setGeneration(int fd, long generation) {
		SlotChunk chunk = own(fd);
		chunk.setGeneration(slotIndex(fd), generation);
		chunk.settled = false;
	}

	/**
	 * Makes a wider copy and retires this table. Chunks go over as they are, reserved
	 * slots and all, so whoever installs in the old table installs in the new one. Only
	 * the chunk of a table that has no full one is copied: its reserved slots are closed
	 * to installers, who then find the copy.
	 */
	FdTable expand(int capacity, SearchCounters counters) {
		SlotChunk[] wider = Arrays.copyOf(this.chunks, chunksFor(capacity).length);
		Arrays.fill(wider, this.chunks.length, wider.length, SlotChunk.EMPTY);
		boolean widens = this.chunks[0].fd.length < SlotChunk.SLOTS;
		if (widens) {
			wider[0] = this.chunks[0].withoutFiles(Math.min(capacity, SlotChunk.SLOTS));
		}
		FdTable table = new FdTable(this.openFds.copy(this.maxFds, capacity, counters), wider);
		System.arraycopy(this.closeOnExec, 0, table.closeOnExec, 0, this.closeOnExec.length);
		// Last, when no memory can be short any more: it cannot be undone.
		if (widens) {
			retireInto(wider[0]);
		}
		return table;
	}

	private void retireInto(SlotChunk wider) {
		for (int slot = this.openFds.nextSet(0); slot < this.maxFds; slot = this.openFds.nextSet(slot + 1)) {
			wider.fd[slot] = retire(slot);
		}
	}

	private @Nullable OpenFile retire(int slot) {
		@Nullable OpenFile[] slots = this.chunks[0].fd;
		OpenFile file = (OpenFile) SLOT.getAcquire(slots, slot);
		if (file == null && !SLOT.compareAndSet(slots, slot, null, MOVED)) {
			file = (OpenFile) SLOT.getAcquire(slots, slot);
		}
		return file;
	}

	/**
	 * Makes a copy for another owner, like the body of {@code dup_fd}: each installed
	 * file gets one more user, and a slot that is reserved here is free there.
	 * @param bits how many slots to copy, a multiple of 64
	 */
	FdTable copy(int bits, int capacity, SearchCounters counters) {
		FdTable copy = new FdTable(this.openFds.copy(bits, capacity, counters));
		int chunksToCopy = chunksFor(bits).length;
		// All memory first: whatever is counted then is counted for good.
		for (int index = 0; index < chunksToCopy; index++) {
			copy.chunks[index] = isShareable(index, bits) ? this.chunks[index]
					: this.chunks[index].withoutFiles(copy.slotsOfChunk());
		}
		for (int index = 0; index < chunksToCopy; index++) {
			if (copy.chunks[index] == this.chunks[index]) {
				this.chunks[index].share();
			}
			else {
				copySlots(index * SlotChunk.SLOTS, Math.min((index + 1) * SlotChunk.SLOTS, bits), copy);
			}
		}
		System.arraycopy(this.closeOnExec, 0, copy.closeOnExec, 0, FdBitmap.wordIndex(bits));
		return copy;
	}

	/**
	 * Tells whether the copy can have a chunk as it is: a full one, in which no slot is
	 * reserved and none lies beyond what is copied.
	 */
	private boolean isShareable(int index, int bits) {
		SlotChunk chunk = this.chunks[index];
		if (chunk == SlotChunk.EMPTY) {
			return true;
		}
		int end = endOf(index);
		if (bits <= SlotChunk.SLOTS || chunk.fd.length < SlotChunk.SLOTS
				|| (bits < end && this.openFds.nextSet(bits) < end)) {
			return false;
		}
		chunk.settled = chunk.settled || isInstalled(chunk, index * SlotChunk.SLOTS, end);
		return chunk.settled;
	}

	/** Returns one past the last slot of a chunk; the last chunk may be cut off. */
	private int endOf(int index) {
		return Math.min((index + 1) * SlotChunk.SLOTS, this.maxFds);
	}

	/** Tells whether every open slot of a chunk holds a file. */
	private boolean isInstalled(SlotChunk chunk, int from, int end) {
		for (int word = FdBitmap.wordIndex(from); word < FdBitmap.wordIndex(end); word++) {
			for (long bits = this.openFds.openFds[word]; bits != 0; bits &= bits - 1) {
				int slot = (word << 6) + Long.numberOfTrailingZeros(bits);
				if (SLOT.getAcquire(chunk.fd, slotIndex(slot)) == null) {
					return false;
				}
			}
		}
		return true;
	}

	private void copySlots(int from, int end, FdTable copy) {
		for (int slot = this.openFds.nextSet(from); slot < end; slot = this.openFds.nextSet(slot + 1)) {
			OpenFile file = fileAt(slot);
			if (file != null) {
				file.acquire();
				copy.setFile(slot, file);
			}
			else {
				copy.openFds.clear(slot);
			}
		}
	}

	/**
	 * Takes a whole chunk out of this table, if another table holds it as well and nobody
	 * has opened a number of it below {@code fd} meanwhile: its numbers become free here.
	 * The caller must then {@linkplain SlotChunk#leave leave} it.
	 * @param fd the first slot of the chunk that the caller has found open
	 * @param from the first slot that may be freed
	 * @param end one past the last slot that may be freed
	 * @return the chunk, or null if nothing was done
	 */
	@Nullable SlotChunk detach(int fd, int from, int end) {
		int index = chunkIndex(fd);
		SlotChunk chunk = this.chunks[index];
		if (!chunk.isShared() || from > index * SlotChunk.SLOTS || end < endOf(index)
				|| this.openFds.nextSet(index * SlotChunk.SLOTS) != fd) {
			return null;
		}
		CHUNK.setRelease(this.chunks, index, SlotChunk.EMPTY);
		for (int slot = fd; slot < endOf(index); slot = this.openFds.nextSet(slot + 1)) {
			this.openFds.clear(slot);
		}
		return chunk;
	}

	/**
	 * Lets go of every slot of a table that nobody uses any more: files that no other
	 * table holds lose their reference, in ascending order.
	 */
	void leaveChunks() {
		for (SlotChunk chunk : this.chunks) {
			chunk.leave();
		}
	}

	/**
	 * Counts the uses of a file that its own count does not know, because tables share
	 * chunks.
	 * @param seen the shared chunks of other tables; those of this one are added
	 */
	int uncountedUses(OpenFile file, Set<SlotChunk> seen) {
		int uses = 0;
		for (SlotChunk chunk : this.chunks) {
			if (chunk != SlotChunk.EMPTY && chunk.isShared() && !seen.add(chunk)) {
				for (OpenFile other : chunk.fd) {
					uses += (other == file) ? 1 : 0;
				}
			}
		}
		return uses;
	}

	private long generation(int fd) {
		return this.chunks[chunkIndex(fd)].generation(slotIndex(fd));
	}

	/** Describes a slot that is not free. */
	FdEntry entry(int fd) {
		OpenFile file = fileAt(fd);
		int statusFlags = (file != null) ? file.statusFlags() : 0;
		return new FdEntry(fd, generation(fd), closeOnExec(fd), file, statusFlags);
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
		if (this.openFds.capacity() != this.maxFds || this.closeOnExec.length != FdBitmap.wordIndex(this.maxFds)
				|| this.chunks.length != chunksFor(this.maxFds).length) {
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
			if (file == null && this.openFds.get(slot) && sharesSlot(slot)) {
				throw new IllegalStateException("I7: reserved descriptor " + slot + " is in a shared chunk");
			}
		}
		this.openFds.checkInvariants();
	}

}
