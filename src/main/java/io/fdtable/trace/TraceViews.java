package io.fdtable.trace;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The answers to questions about a log that has been read.
 */
public final class TraceViews {

	private TraceViews() {
	}

	/**
	 * A table as it was just after a line.
	 *
	 * @param pid the process
	 * @param line the line
	 * @param command what the process was running, or null if the log does not tell
	 * @param fds its descriptors, ascending
	 */
	public record TableAt(int pid, long line, @Nullable String command, List<Slot> fds) {
	}

	/**
	 * A descriptor.
	 *
	 * @param fd the number
	 * @param state INSTALLED, or RESERVED while the call that makes it is under way
	 * @param closeOnExec whether exec will close it
	 * @param origin where it comes from
	 */
	public record Slot(int fd, String state, boolean closeOnExec, TraceReport.Origin origin) {
	}

	/**
	 * What became of a table between two lines.
	 *
	 * @param pid the process
	 * @param from the earlier line
	 * @param to the later line
	 * @param opened descriptors that are open only after it
	 * @param closed descriptors that were open only before it
	 * @param changed descriptors that another call has made, or whose close-on-exec is
	 * another, as they are after it
	 */
	public record TableDiff(int pid, long from, long to, List<Slot> opened, List<Slot> closed, List<Slot> changed) {
	}

	/**
	 * Who held a number.
	 *
	 * @param pid the process
	 * @param fd the number
	 * @param tenures one after another
	 * @param truncated whether there were more
	 */
	public record History(int pid, int fd, List<Tenure> tenures, boolean truncated) {
	}

	/**
	 * A time during which a number was open.
	 *
	 * @param from the line from which on it was open
	 * @param to the line at which it was closed or replaced, or null if never
	 * @param origin where it comes from
	 */
	public record Tenure(long from, @Nullable Long to, TraceReport.Origin origin) {
	}

	/**
	 * What a lower limit would have done.
	 *
	 * @param nofile the soft limit
	 * @param failures the first call of each process that would have failed
	 */
	public record UnderLimit(int nofile, List<Failure> failures) {
	}

	/**
	 * The first call that would have failed.
	 *
	 * @param pid the process
	 * @param command what it was running, or null if the log does not tell
	 * @param line the line
	 * @param call the call
	 * @param fd the number that it got
	 * @param errno the error that it would have got
	 */
	public record Failure(int pid, @Nullable String command, long line, String call, int fd, String errno) {
	}

	/**
	 * What searching for free numbers costs.
	 *
	 * @param strategies by strategy
	 */
	public record SearchCosts(List<SearchCost> strategies) {
	}

	/**
	 * What searching costs with one strategy.
	 *
	 * @param allocator the strategy
	 * @param searches searches for a free number
	 * @param wordsRead words of the bitmaps that they read
	 */
	public record SearchCost(String allocator, long searches, long wordsRead) {
	}

}
