package io.fdtable.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Neighbouring slots of a table. Tables that come from one fork share them until one of
 * them writes; whoever writes makes a copy of its own first.
 */
final class SlotChunk {

	/*
	 * Theory. A fork must give each open file one more reference and copy its slot. For a
	 * million descriptors that is a million scattered memory accesses, and most children
	 * close or exec at once. So a wide table keeps its slots in chunks, and a fork only
	 * counts one more sharer of each chunk.
	 *
	 * The references of a chunk belong to all its sharers together: a file in it has one
	 * reference per slot of the chunk, not per table. A sharer that wants to write takes
	 * references of its own, for all files of the chunk, and only then stops being a
	 * sharer. So a file's count never falls below what is true for "is anybody using it":
	 * it reaches 0 when the last table has let go, as it would without sharing. Another
	 * user of a file exists if its count says so or its chunk has another sharer; asked
	 * in the order sharers, then count, the two never miss one.
	 *
	 * A number that is reserved in the parent is free in the child, so a slot that waits
	 * for its install cannot be shared: the install, which takes no lock, would appear in
	 * both tables. A fork copies such a chunk slot by slot. Hence every open slot of a
	 * shared chunk holds a file, its sharers agree on which slots are open, and an
	 * install never meets a chunk that is being replaced.
	 */

	/** Slots of a chunk; a table that is narrower has one chunk of its own width. */
	static final int SLOTS = 1024;

	private static final VarHandle SHARERS;

	static {
		try {
			SHARERS = MethodHandles.lookup().findVarHandle(SlotChunk.class, "sharers", int.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	/** The free slots of all tables, whatever their width: shared for ever. */
	static final SlotChunk EMPTY = new SlotChunk(SLOTS).share();

	final @Nullable OpenFile[] fd;

	/** Low halves of which handing-out of its number each slot holds. */
	private final int[] generations;

	/** High halves, absent while they are all 0: for the first 2^32 of a table. */
	private int @Nullable [] highGenerations;

	/**
	 * Whether it is known that no slot is reserved. Guarded by the lock of the only
	 * sharer; does not change while there are more.
	 */
	boolean settled;

	/** Tables that hold this chunk. Only the only sharer can make it more than one. */
	private volatile int sharers = 1;

	SlotChunk(int slots) {
		this.fd = new OpenFile[slots];
		this.generations = new int[slots];
	}

	private SlotChunk(SlotChunk source, int slots) {
		this.fd = new OpenFile[slots];
		this.generations = Arrays.copyOf(source.generations, slots);
		this.highGenerations = (source.highGenerations != null) ? Arrays.copyOf(source.highGenerations, slots) : null;
	}

	/**
	 * Returns which handing-out of its number a slot holds.
	 * @return a number without meaning while the slot is free
	 */
	long generation(int slot) {
		long low = Integer.toUnsignedLong(this.generations[slot]);
		return (this.highGenerations != null) ? low | (long) this.highGenerations[slot] << Integer.SIZE : low;
	}

	/** Notes which handing-out a slot holds, after {@link #prepare}. */
	void setGeneration(int slot, long generation) {
		this.generations[slot] = (int) generation;
		if (this.highGenerations != null) {
			this.highGenerations[slot] = (int) (generation >>> Integer.SIZE);
		}
	}

	/** Takes the memory that noting a generation needs. */
	void prepare(long generation) {
		if (this.highGenerations == null && generation >>> Integer.SIZE != 0) {
			this.highGenerations = new int[this.fd.length];
		}
	}

	/** Makes a chunk of another width with the generations of this one, and no files. */
	SlotChunk withoutFiles(int slots) {
		return new SlotChunk(this, slots);
	}

	/** Tells whether a write would be seen by another table. */
	boolean isShared() {
		return this.sharers != 1;
	}

	/** Counts one more table. */
	SlotChunk share() {
		// EMPTY is never counted: every table would write to one word.
		if (this != EMPTY) {
			SHARERS.getAndAdd(this, 1);
		}
		return this;
	}

	/**
	 * Counts one table less, which has put something else in the place of the chunk; the
	 * last one releases the files, in ascending order.
	 */
	void leave() {
		if (this != EMPTY && (int) SHARERS.getAndAdd(this, -1) == 1) {
			for (OpenFile file : this.fd) {
				if (file != null) {
					file.release();
				}
			}
		}
	}

	/** Counts the slots that hold a file. */
	int size() {
		int size = 0;
		for (OpenFile file : this.fd) {
			size += (file != null) ? 1 : 0;
		}
		return size;
	}

	/** Makes a copy for one of the sharers, with references of its own. */
	SlotChunk copy() {
		SlotChunk copy = new SlotChunk(this, this.fd.length);
		copy.settled = true;
		for (int slot = 0; slot < this.fd.length; slot++) {
			OpenFile file = this.fd[slot];
			if (file != null) {
				file.acquire();
				copy.fd[slot] = file;
			}
		}
		return copy;
	}

}
