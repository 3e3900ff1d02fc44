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

	/** Which handing-out of its number each slot holds; meaningless while free. */
	final long[] generations;

	/**
	 * Whether it is known that no slot is reserved. Guarded by the lock of the only
	 * sharer; does not change while there are more.
	 */
	boolean settled;

	/** Tables that hold this chunk. Only the only sharer can make it more than one. */
	private volatile int sharers = 1;

	SlotChunk(int slots) {
		this.fd = new OpenFile[slots];
		this.generations = new long[slots];
	}

	private SlotChunk(@Nullable OpenFile[] fd, long[] generations) {
		this.fd = fd;
		this.generations = generations;
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
		SlotChunk copy = new SlotChunk(this.fd.clone(), this.generations.clone());
		copy.settled = true;
		for (OpenFile file : copy.fd) {
			if (file != null) {
				file.acquire();
			}
		}
		return copy;
	}

}
