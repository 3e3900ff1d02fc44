package io.fdtable.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes a failing script as short as it gets by leaving out calls (delta debugging). */
final class Shrinker {

	private Shrinker() {
	}

	/**
	 * Leaves out calls in ever smaller groups as long as the rest still fails.
	 * @param script a script that fails
	 * @param fails whether a script fails; it may leave out what became impossible
	 * @return a script of which no single call can be left out
	 */
	static Script shrink(Script script, Predicate<Script> fails) {
		List<Call> calls = new ArrayList<>(script.calls());
		for (int size = calls.size() / 2; size >= 1; size = (size > 1) ? size / 2 : 0) {
			boolean removed;
			do {
				removed = false;
				for (int start = calls.size() - size; start >= 0; start -= size) {
					List<Call> fewer = new ArrayList<>(calls);
					fewer.subList(start, start + size).clear();
					if (fails.test(script.with(fewer))) {
						calls = fewer;
						removed = true;
						start = Math.min(start, calls.size());
					}
				}
			}
			while (removed && size == 1);
		}
		return script.with(calls);
	}

}
