package io.fdtable.trace;

/**
 * What a traced call does to descriptors.
 */
enum Op {

	/** Makes a descriptor, reserving the number before it may block. */
	OPEN,

	/** Makes a descriptor without blocking after the number is chosen. */
	ALLOC,

	/** Makes two descriptors. */
	PAIR,

	/**
	 * Makes a descriptor for each file that a message, or an option of a socket, brought.
	 */
	RECEIVE,

	/** Duplicates onto the lowest free number. */
	DUP,

	/** Duplicates onto the lowest free number from a minimum on. */
	DUP_FROM,

	DUP2,

	DUP3,

	CLOSE,

	CLOSE_RANGE,

	GET_CLOEXEC,

	SET_CLOEXEC,

	/** Uses a descriptor and changes none. */
	USE,

	/** Gives a socket an address, which is how a reader will know it. */
	ADDRESS,

	FORK,

	EXEC,

	/** Ends one thread. */
	EXIT,

	/** Ends all threads of a process. */
	EXIT_GROUP,

	UNSHARE,

	LIMIT,

	/** Not a call: strace saw a thread end. */
	ENDED,

	/** Not a call: an exec in another thread took over this thread's number. */
	SUPERSEDED;

	/** Tells whether the call answers with the number of a new descriptor. */
	boolean makesOne() {
		return this == OPEN || this == ALLOC || this == DUP || this == DUP_FROM;
	}

}
