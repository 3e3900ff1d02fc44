package io.fdtable.conformance;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Calls that a few tasks make in one order, task 0 being there from the start.
 *
 * @param soft the soft RLIMIT_NOFILE of task 0
 * @param hard its hard limit
 * @param calls the calls
 */
record Script(int soft, int hard, List<Call> calls) {

	Script(int soft, int hard, List<Call> calls) {
		this.soft = soft;
		this.hard = hard;
		this.calls = List.copyOf(calls);
	}

	Script with(List<Call> others) {
		return new Script(this.soft, this.hard, others);
	}

	/** Returns the form that a table of expected values has, without the answers. */
	@Override
	public String toString() {
		return "limit " + this.soft + " " + this.hard + "; "
				+ this.calls.stream().map(Call::toString).collect(Collectors.joining("; "));
	}

}
