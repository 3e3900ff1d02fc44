package io.fdtable.kernel;

/**
 * The two-level map of a table as it was at one moment.
 *
 * @param capacity the width of the table in slots, like {@code max_fds}
 * @param nextFd the lower bound of the lowest free descriptor
 * @param openFds one bit per slot, 64 to a word, lowest first
 * @param closeOnExec one bit per slot; meaningless for free slots
 * @param fullFdsBits one bit per word of {@code openFds}, set where it is all ones
 * @param reserved the slots that are taken but hold no file, ascending
 */
@SuppressWarnings("ArrayRecordComponent")
public record FdBitmaps(int capacity, int nextFd, long[] openFds, long[] closeOnExec, long[] fullFdsBits,
		int[] reserved) {
}
