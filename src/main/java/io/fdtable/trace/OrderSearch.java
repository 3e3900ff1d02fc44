package io.fdtable.trace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

import io.fdtable.kernel.FdBitmaps;

/**
 * Looks for an order of overlapping calls that explains an answer of the log.
 *
 * <p>
 * Tries sequences of the calls under way on a copy of the bitmap, each only where it gets
 * the answer that the log has for it, until the call in question gets its own.
 */
final class OrderSearch {

	private static final int MAX_DEPTH = 6;

	private static final int MAX_STEPS = 5000;

	private final TraceReplay replay;

	private final TracedProcess process;

	private final int minimum;

	private final int fd;

	/** Whether a number is to be handed out, rather than to be open or free. */
	private final boolean isMaking;

	private final boolean isOpen;

	private final Deque<CallUnderWay> order = new ArrayDeque<>();

	private int steps;

	/** Asks how a call can have made a descriptor. */
	OrderSearch(TraceReplay replay, TracedProcess process, Call call, int fd) {
		this.replay = replay;
		this.process = process;
		this.minimum = (call.op == Op.DUP_FROM) ? (int) call.arg : 0;
		this.fd = fd;
		this.isMaking = true;
		this.isOpen = false;
	}

	/** Asks how a call can have found a descriptor open, or free. */
	OrderSearch(TraceReplay replay, TracedProcess process, Call call, int fd, boolean isOpen) {
		this.replay = replay;
		this.process = process;
		this.minimum = 0;
		this.fd = fd;
		this.isMaking = false;
		this.isOpen = isOpen;
	}

	/**
	 * Makes the calls that must have come first.
	 * @return false if no order explains the answer, and nothing has been done
	 */
	boolean apply() {
		List<CallUnderWay> candidates = candidates();
		if (candidates.isEmpty()) {
			return false;
		}
		FdBitmaps bitmaps = this.process.table.files.bitmaps();
		if (!search(BitSet.valueOf(bitmaps.openFds()), candidates)) {
			return false;
		}
		for (CallUnderWay first : this.order) {
			if (first.reserved >= 0) {
				this.replay.drop(first);
			}
			else {
				this.replay.applyEarly(first);
			}
		}
		return true;
	}

	private List<CallUnderWay> candidates() {
		List<CallUnderWay> candidates = new ArrayList<>();
		for (CallUnderWay other : this.process.table.underWay) {
			boolean isPending = !other.isApplied && other.reserved < 0 && other.isCertain();
			boolean isMovable = other.reserved >= 0 && !other.isCertain();
			if (other.process != this.process && (isPending || isMovable)) {
				candidates.add(other);
			}
		}
		return candidates;
	}

	private boolean search(BitSet taken, List<CallUnderWay> candidates) {
		if (this.steps++ > MAX_STEPS) {
			return false;
		}
		if (!this.order.isEmpty() && isExplained(taken)) {
			return true;
		}
		if (this.order.size() == MAX_DEPTH) {
			return false;
		}
		for (CallUnderWay next : candidates) {
			BitSet after = (BitSet) taken.clone();
			if (!this.order.contains(next) && does(next, after)) {
				this.order.addLast(next);
				if (search(after, candidates)) {
					return true;
				}
				this.order.removeLast();
			}
		}
		return false;
	}

	private boolean isExplained(BitSet taken) {
		return this.isMaking ? taken.nextClearBit(this.minimum) == this.fd : taken.get(this.fd) == this.isOpen;
	}

	/** Does a call on the bitmap, if it gets the answer that the log has. */
	private static boolean does(CallUnderWay underWay, BitSet taken) {
		Call call = underWay.call;
		if (underWay.reserved >= 0) {
			taken.clear(underWay.reserved);
			return true;
		}
		return switch (call.op) {
			case OPEN, ALLOC, DUP -> takes(taken, 0, (int) call.ret);
			case DUP_FROM -> takes(taken, (int) call.arg, (int) call.ret);
			case PAIR, RECEIVE -> {
				boolean all = call.fdCount > 0;
				for (int i = 0; i < call.fdCount; i++) {
					all &= takes(taken, 0, call.fds[i]);
				}
				yield all;
			}
			case CLOSE -> {
				boolean was = call.fd >= 0 && taken.get(call.fd);
				if (was) {
					taken.clear(call.fd);
				}
				yield was;
			}
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
				yield !call.closeOnExec;
			}
			default -> false;
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
