package io.fdtable.trace;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Decides for a table that threads share whether any order of their overlapping calls
 * explains the answers of a log.
 */
final class OverlapJudge {

	/*
	 * A call takes effect at some moment between the line that begins it and the line
	 * that ends it; a call that makes several descriptors takes each at a moment of its
	 * own. Which moment, the log does not say. So the judge keeps every state that the
	 * table can be in: which numbers are taken, and how far each call under way has got.
	 * When a call ends, each state is carried on in every way in which calls under way
	 * may have come first, as long as each gets the answer that the log has for it; the
	 * states in which the call has been made survive. None left means that no order
	 * explains the log. (This is how linearizability is tested: Wing and Gong 1993, with
	 * Lowe's just-in-time steps.)
	 *
	 * A call that fails, or whose answer is not in the log, may hold a number for some
	 * time and may not: both are tried.
	 *
	 * The search is bounded. Once it has met a bound, states may be missing, and that
	 * none is left proves nothing: then the judge gives up, says so, and starts again
	 * from the model, which follows the log.
	 */

	private static final int MAX_STATES = 256;

	private static final int MAX_STEPS = 5000;

	/** What the states of one search may take together, in bits: 4 MB. */
	private static final int MAX_BITS = 1 << 25;

	/** What a state takes beside its numbers, in bytes. */
	private static final int STATE_BYTES = 256;

	/** What one call under way takes in a state, in bytes. */
	private static final int CALL_BYTES = 64;

	/** Progress of a call that has given its number back. */
	private static final int GIVEN_BACK = Integer.MIN_VALUE;

	private final TracedTable table;

	private Set<State> states = new LinkedHashSet<>();

	private int steps;

	/** Whether some order has not been tried, so that states may be missing. */
	private boolean isIncomplete;

	private boolean hasGivenUp;

	OverlapJudge(TracedTable table) {
		this.table = table;
		reset();
	}

	/**
	 * A state that the table can be in.
	 *
	 * @param taken the numbers taken
	 * @param progress how many steps each call under way has made; for one that only
	 * holds a number, that number's complement
	 */
	private record State(BitSet taken, Map<CallUnderWay, Integer> progress) {

		State copy() {
			return new State((BitSet) this.taken.clone(), new HashMap<>(this.progress));
		}

		int of(CallUnderWay call) {
			return this.progress.getOrDefault(call, 0);
		}

	}

	/**
	 * Returns what the states take.
	 * @return bytes
	 */
	long bytes() {
		long bytes = 0;
		for (State state : this.states) {
			bytes += STATE_BYTES + state.taken.size() / Byte.SIZE + (long) CALL_BYTES * state.progress.size();
		}
		return bytes;
	}

	/** A state on the way to the end of a call that has made so many steps itself. */
	private record Visit(State state, int progress) {
	}

	/** Starts again from what the model has. */
	void reset() {
		State state = new State(BitSet.valueOf(this.table.files.bitmaps().openFds()), new HashMap<>());
		for (CallUnderWay call : this.table.underWay) {
			if (call.isApplied) {
				state.progress.put(call, count(call.call));
			}
			else if (call.reserved >= 0) {
				state.progress.put(call, call.isCertain() ? 1 : ~call.reserved);
			}
		}
		this.states = new LinkedHashSet<>(Set.of(state));
		this.isIncomplete = false;
	}

	/**
	 * Tells whether the last call that was ended had to be believed, because not all
	 * orders could be tried. The judge must be reset then, once the model has done it.
	 */
	boolean hasGivenUp() {
		return this.hasGivenUp;
	}

	/** Returns the lowest number that is free in the likeliest state. */
	int lowestFree(int from) {
		return likeliest().taken.nextClearBit(Math.max(from, 0));
	}

	boolean isTaken(int fd) {
		return fd >= 0 && likeliest().taken.get(fd);
	}

	private State likeliest() {
		return this.states.iterator().next();
	}

	/** Makes numbers taken in every state. */
	void take(BitSet fds) {
		change((taken) -> taken.or(fds));
	}

	/** Makes a number taken, or free, in every state. */
	void set(int fd, boolean isTaken) {
		change((taken) -> taken.set(fd, isTaken));
	}

	private void change(Consumer<BitSet> change) {
		Set<State> changed = new LinkedHashSet<>();
		for (State state : this.states) {
			State copy = state.copy();
			change.accept(copy.taken);
			changed.add(copy);
		}
		this.states = changed;
	}

	/** Forgets a call that has ended without doing anything. */
	void withdraw(CallUnderWay call) {
		Set<State> after = new LinkedHashSet<>();
		for (State state : this.states) {
			after.add(without(state, call));
		}
		this.states = after;
	}

	private static State without(State state, CallUnderWay call) {
		Integer progress = state.progress.get(call);
		if (progress == null) {
			return state;
		}
		State copy = state.copy();
		copy.progress.remove(call);
		if (progress < 0 && progress != GIVEN_BACK) {
			copy.taken.clear(~progress);
		}
		return copy;
	}

	/**
	 * Ends a call.
	 * @param underWay how the call began, or null if nothing came between
	 * @param call the call
	 * @return false if no order explains its answer; then nothing has changed
	 */
	boolean end(@Nullable CallUnderWay underWay, Call call) {
		int count = count(call);
		this.steps = 0;
		this.hasGivenUp = false;
		Set<State> after = new LinkedHashSet<>();
		Set<Visit> visited = new HashSet<>();
		for (State state : this.states) {
			int progress = (underWay != null) ? Math.max(0, state.of(underWay)) : 0;
			State start = (underWay != null) ? without(state, underWay) : state;
			search(start, progress, count, call, underWay, visited, after);
		}
		if (after.isEmpty()) {
			this.hasGivenUp = this.isIncomplete;
			return this.hasGivenUp;
		}
		this.states = after;
		return true;
	}

	private void search(State state, int progress, int count, Call call, @Nullable CallUnderWay underWay,
			Set<Visit> visited, Set<State> after) {
		if (after.size() >= maxStates(state) || this.steps >= maxSteps(state)) {
			this.isIncomplete = true;
			return;
		}
		this.steps++;
		if (!visited.add(new Visit(state, progress))) {
			return;
		}
		if (progress >= count) {
			after.add(state);
			return;
		}
		State own = state.copy();
		if (step(call, progress, own.taken)) {
			search(own, progress + 1, count, call, underWay, visited, after);
		}
		for (CallUnderWay other : this.table.underWay) {
			if (!Objects.equals(other, underWay)) {
				for (State next : steps(state, other)) {
					search(next, progress, count, call, underWay, visited, after);
				}
			}
		}
	}

	/** Wide tables get fewer states, so that all of them take less than a megabyte. */
	private static int maxStates(State state) {
		return Math.clamp((1 << 22) / Math.max(64, state.taken.size()), 4, MAX_STATES);
	}

	private static int maxSteps(State state) {
		return Math.clamp(MAX_BITS / Math.max(64, state.taken.size()), 16, MAX_STEPS);
	}

	/** Returns what may come of a state by one step of a call under way. */
	private static List<State> steps(State state, CallUnderWay other) {
		int progress = state.of(other);
		List<State> next = new ArrayList<>(1);
		if (!other.isCertain()) {
			if (other.call.op == Op.OPEN && progress != GIVEN_BACK) {
				State copy = state.copy();
				if (progress < 0) {
					copy.taken.clear(~progress);
					copy.progress.put(other, GIVEN_BACK);
				}
				else {
					int held = copy.taken.nextClearBit(0);
					copy.taken.set(held);
					copy.progress.put(other, ~held);
				}
				next.add(copy);
			}
		}
		else if (progress < count(other.call) && changes(other.call)) {
			State copy = state.copy();
			if (step(other.call, progress, copy.taken)) {
				copy.progress.put(other, progress + 1);
				next.add(copy);
			}
		}
		return next;
	}

	private static boolean changes(Call call) {
		return switch (call.op) {
			case USE, ADDRESS, GET_CLOEXEC, SET_CLOEXEC -> false;
			default -> true;
		};
	}

	/** Returns in how many steps a call is made. */
	private static int count(Call call) {
		boolean bad = call.failedWith("EBADF");
		if (!call.returned || (call.errno != null && !bad && call.op != Op.CLOSE)) {
			return 0;
		}
		return switch (call.op) {
			case OPEN, ALLOC, DUP, DUP_FROM -> bad ? 0 : 1;
			case PAIR -> bad ? 0 : 2;
			case RECEIVE -> bad ? 0 : call.fdCount;
			case CLOSE, GET_CLOEXEC, SET_CLOEXEC -> (call.fd >= 0) ? 1 : 0;
			case USE, ADDRESS -> (call.fd >= 0 && !bad) ? 1 : 0;
			case DUP2, DUP3, CLOSE_RANGE -> bad ? 0 : 1;
			case FORK -> ((call.arg & CloneArguments.CLONE_PIDFD) != 0 && call.fdCount > 0) ? 1 : 0;
			default -> 0;
		};
	}

	/** Makes a step of a call, if it gets the answer that the log has. */
	private static boolean step(Call call, int step, BitSet taken) {
		return switch (call.op) {
			case OPEN, ALLOC, DUP -> takes(taken, 0, (int) call.ret);
			case DUP_FROM -> takes(taken, (int) call.arg, (int) call.ret);
			case PAIR, RECEIVE -> {
				int told = (step < call.fdCount) ? call.fds[step] : Call.UNTOLD;
				// With -s 0 strace prints no numbers: whichever is the lowest, then.
				yield takes(taken, 0, (told >= 0) ? told : taken.nextClearBit(0));
			}
			case FORK -> takes(taken, 0, call.fds[0]);
			case CLOSE -> {
				boolean isOpen = taken.get(call.fd);
				taken.clear(call.fd);
				yield isOpen != call.failedWith("EBADF");
			}
			case USE, ADDRESS, GET_CLOEXEC, SET_CLOEXEC -> taken.get(call.fd) != call.failedWith("EBADF");
			case DUP2, DUP3 -> {
				boolean isNumber = call.arg >= 0 && call.arg < TraceReplay.NR_OPEN;
				if (isNumber) {
					taken.set((int) call.arg);
				}
				yield isNumber;
			}
			case CLOSE_RANGE -> {
				int first = (int) Math.min(call.fd & 0xFFFF_FFFFL, TraceReplay.NR_OPEN);
				int end = (int) Math.min((call.arg & 0xFFFF_FFFFL) + 1, TraceReplay.NR_OPEN);
				if (!call.closeOnExec && first < end) {
					taken.clear(first, end);
				}
				yield true;
			}
			default -> true;
		};
	}

	private static boolean takes(BitSet taken, int from, int fd) {
		boolean isLowest = fd >= 0 && taken.nextClearBit(Math.max(from, 0)) == fd;
		if (isLowest) {
			taken.set(fd);
		}
		return isLowest;
	}

}
