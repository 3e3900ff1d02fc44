package io.fdtable.trace;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a log of strace says about descriptors.
 *
 * @param lines lines read
 * @param calls system calls in them
 * @param ignored lines that say nothing about descriptors
 * @param unparsed lines that could not be read
 * @param unreadable the first of those
 * @param processes the processes, threads counted with them
 * @param initial descriptors that were open before the log began
 * @param divergences where the log is not what Linux does after all that it shows before
 * @param undecided calls that overlapped with so many others, of threads that share a
 * table, that not every order could be tried; there the log is believed
 * @param leaks descriptors that a process opened and had not closed at its end or at the
 * end of the log
 * @param inherited descriptors that went through an exec and were not used after it
 * @param doubleCloses calls on numbers that had been closed
 * @param closeLoops loops that close numbers one by one
 * @param peak how many descriptors were open, over the log
 * @param limits limits seen in the log, and bounds of this report that were met
 * @param notes what to know before trusting the above
 */
public record TraceReport(long lines, long calls, long ignored, long unparsed, List<UnreadableLine> unreadable,
		List<ProcessSummary> processes, List<Initial> initial, List<Divergence> divergences, long undecided,
		List<Leak> leaks, List<Inherited> inherited, List<DoubleClose> doubleCloses, List<CloseLoop> closeLoops,
		Peak peak, Limits limits, List<String> notes) {

	/**
	 * A line that could not be read.
	 *
	 * @param line its number, from 1
	 * @param reason why
	 * @param text how it begins
	 */
	public record UnreadableLine(long line, String reason, String text) {
	}

	/**
	 * A process.
	 *
	 * @param pid its number in the log
	 * @param parent its parent's number, or null if the log does not tell
	 * @param command what it ran last, or null if the log does not tell
	 * @param firstLine the line that made it or first shows it
	 * @param lastLine the line at which it ended, or null if it was alive at the end
	 * @param threads how many threads it had in all
	 * @param calls how many of its calls touched descriptors
	 * @param openAtEnd descriptors open at its end or at the end of the log
	 * @param highWater the highest number it was ever given, -1 if none
	 * @param highWaterLine the line of that call, or null if none
	 * @param peakOpen the most descriptors it had open at once
	 * @param peakOpenLine the first line at which it had so many
	 */
	public record ProcessSummary(int pid, @Nullable Integer parent, @Nullable String command, long firstLine,
			@Nullable Long lastLine, int threads, long calls, int openAtEnd, int highWater,
			@Nullable Long highWaterLine, int peakOpen, long peakOpenLine) {
	}

	/**
	 * Where a descriptor comes from.
	 *
	 * @param line the line of the call that made the number, or null if it is in no line
	 * @param pid who made that call, or null if it is in no line
	 * @param call its name; "initial" for what was open from the start, "untraced" for
	 * what a call outside the log must have made
	 * @param file the path or address, or null if the log tells none
	 */
	public record Origin(@Nullable Long line, @Nullable Integer pid, String call, @Nullable String file) {
	}

	/**
	 * A descriptor that a process had open before the log began.
	 *
	 * @param pid the first process of the log that had it
	 * @param fd the number
	 * @param closeOnExec whether the log shows it to be close-on-exec
	 * @param line the first line that shows it: Linux passed the number over or worked on
	 * it
	 */
	public record Initial(int pid, int fd, boolean closeOnExec, long line) {
	}

	/**
	 * What kind of difference there is.
	 */
	public enum DivergenceKind {

		/** Linux has a number open that should be free. */
		OPEN_IN_LOG,

		/** Linux has a number free that should be open. */
		FREE_IN_LOG,

		/** FD_CLOEXEC is not what the log says. */
		CLOSE_ON_EXEC,

		/** The soft limit is not what the log says. */
		LIMIT

	}

	/**
	 * A difference between the log and the model, which follows the log from there on.
	 *
	 * @param line the line
	 * @param pid the process
	 * @param call the call
	 * @param kind what kind of difference
	 * @param fd the number it is about
	 * @param expected what the model answers
	 * @param actual what the log has
	 * @param model the table around that number, as the model has it
	 * @param log the same, as the log says it is
	 * @param reason the likeliest reason
	 * @param alsoFds further numbers that the same cause explains
	 * @param count how many calls showed it
	 */
	public record Divergence(long line, int pid, String call, DivergenceKind kind, int fd, String expected,
			String actual, List<String> model, List<String> log, String reason, List<Integer> alsoFds, int count) {
	}

	/**
	 * A descriptor never closed by the process that made it.
	 *
	 * @param pid the process
	 * @param fd the number
	 * @param origin where it comes from
	 * @param atExit whether the process ended, and so closed it after all
	 */
	public record Leak(int pid, int fd, Origin origin, boolean atExit) {
	}

	/**
	 * A descriptor that another program inherited and did not use.
	 *
	 * @param pid the process that runs the program
	 * @param command the program
	 * @param execLine the line of the exec
	 * @param fd the number
	 * @param origin the call that should have asked for close-on-exec
	 * @param clearedLine the line that took close-on-exec off again, or null if none did
	 */
	public record Inherited(int pid, @Nullable String command, long execLine, int fd, Origin origin,
			@Nullable Long clearedLine) {
	}

	/**
	 * A call on a number that was closed before.
	 *
	 * @param line the line
	 * @param pid the process
	 * @param call the call that got EBADF
	 * @param fd the number
	 * @param closedLine the line that closed it
	 */
	public record DoubleClose(long line, int pid, String call, int fd, long closedLine) {
	}

	/**
	 * A loop that closes numbers one by one.
	 *
	 * @param pid the process
	 * @param firstLine the line of its first close
	 * @param lastLine the line of its last close
	 * @param firstFd the first number
	 * @param lastFd the last number
	 * @param calls how many calls it made
	 * @param closed how many of the numbers were open
	 * @param saved how many calls one close_range would save
	 */
	public record CloseLoop(int pid, long firstLine, long lastLine, int firstFd, int lastFd, int calls, int closed,
			int saved) {
	}

	/**
	 * How many descriptors all processes had open, over the log.
	 *
	 * @param open the most at once
	 * @param line the first line with so many
	 * @param linesPerPoint how many lines each of the points stands for
	 * @param points the most at once within each stretch of lines
	 */
	public record Peak(int open, long line, long linesPerPoint, List<Integer> points) {
	}

	/**
	 * A soft limit that the log shows.
	 *
	 * @param pid the process
	 * @param line the line
	 * @param soft the limit
	 * @param call the call that shows it
	 */
	public record Nofile(int pid, long line, long soft, String call) {
	}

	/**
	 * Limits.
	 *
	 * @param nofile soft limits in the log
	 * @param capped bounds of this report that were met
	 */
	public record Limits(List<Nofile> nofile, List<String> capped) {
	}

}
