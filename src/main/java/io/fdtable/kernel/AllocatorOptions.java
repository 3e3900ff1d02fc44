package io.fdtable.kernel;

/**
 * How a table allocates; copies of the table inherit it.
 *
 * @param allocator how to search
 * @param nextFdHint whether searches start at {@code next_fd}, below which nothing is
 * free, or at the lowest acceptable number. Linus Torvalds would have dropped the hint
 * once there was a summary; Al Viro would not. The numbers handed out are the same
 */
public record AllocatorOptions(Allocator allocator, boolean nextFdHint) {

	/** What mainline Linux does. */
	public static final AllocatorOptions DEFAULT = new AllocatorOptions(Allocator.WORD_FIRST, true);

	/**
	 * Tells whether an allocation may raise {@code next_fd}: only an answer that is known
	 * to be the lowest says that everything below is taken.
	 */
	boolean raisesNextFd() {
		return this.nextFdHint && this.allocator.isLowestFirst();
	}

}
