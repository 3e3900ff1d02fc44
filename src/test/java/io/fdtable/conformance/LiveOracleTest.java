package io.fdtable.conformance;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import io.fdtable.kernel.Allocator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThatCode;

/**
 * Guards the one promise of the model: random scripts have the same return values,
 * errnos, FD_CLOEXEC bits and table widths as on the kernel of this machine.
 *
 * <p>
 * {@code -Doracle.calls=5000000} compares more calls, {@code -Doracle.seed=N} the scripts
 * of an earlier run. Where the machine cannot, {@link RecordedOracleTest} stands in.
 */
class LiveOracleTest {

	/**
	 * Growth of a shared table waits about 10 ms for readers; more workers than
	 * processors wait at the same time.
	 */
	private static final int WORKERS = 8;

	@Test
	void randomScripts_onThisKernel_haveTheAnswersOfTheModel() throws Exception {
		long calls = Long.getLong("oracle.calls", 200_000);
		long seed = Long.getLong("oracle.seed", System.nanoTime());
		Path[] program = new Path[1];
		assumeThatCode(() -> program[0] = LinuxSystem.compile()).doesNotThrowAnyException();
		Comparison comparison = compare(program[0], calls, seed);
		System.out.println("Compared " + comparison.calls() + " calls with " + comparison.kernel() + ", seed " + seed);
		assertThat(comparison.difference()).as("difference, seed %d", seed).isNull();
		assertThat(comparison.calls()).isGreaterThanOrEqualTo(calls);
	}

	/** What a run has compared. */
	record Comparison(String kernel, long calls, @Nullable String difference) {
	}

	static Comparison compare(Path program, long calls, long seed) throws Exception {
		AtomicLong scripts = new AtomicLong();
		AtomicLong compared = new AtomicLong();
		try (ExecutorService executor = Executors.newFixedThreadPool(WORKERS)) {
			List<Future<Comparison>> workers = new ArrayList<>();
			for (int i = 0; i < WORKERS; i++) {
				int number = i;
				workers.add(executor.submit(() -> work(program, number, seed, calls, scripts, compared)));
			}
			Comparison result = new Comparison("", 0, null);
			for (Future<Comparison> worker : workers) {
				Comparison part = worker.get();
				result = new Comparison(part.kernel(), compared.get(),
						(result.difference() != null) ? result.difference() : part.difference());
			}
			return result;
		}
	}

	private static Comparison work(Path program, int number, long seed, long calls, AtomicLong scripts,
			AtomicLong compared) throws Exception {
		List<Allocator> allocators = ModelSystem.LOWEST_FIRST;
		try (LinuxSystem linux = new LinuxSystem(program, "oracle" + number)) {
			while (compared.get() < calls) {
				long script = scripts.getAndIncrement();
				ModelSystem model = new ModelSystem(allocators.get((int) (script % allocators.size())), linux.nrOpen());
				Script random = new RandomScripts(model, linux.hardLimit()).next(seed + script);
				String difference = new Oracle(model, linux).difference(random);
				if (difference != null) {
					compared.set(calls);
					return new Comparison(linux.kernel(), 0, difference);
				}
				compared.addAndGet(random.calls().size());
			}
			return new Comparison(linux.kernel(), 0, null);
		}
	}

}
