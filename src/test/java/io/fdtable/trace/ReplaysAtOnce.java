package io.fdtable.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Reads the same small log, whose tables are as large as a replay may make them, many
 * times at once, and asks for a history at the end. Run by {@link ReplayMemoryTest} in a
 * process of its own.
 */
final class ReplaysAtOnce {

	private static final int TRACES = 24;

	private static final int PROCESSES = 100;

	private ReplaysAtOnce() {
	}

	public static void main(String[] args) throws InterruptedException, ExecutionException {
		StringBuilder log = new StringBuilder();
		for (int pid = 1; pid <= PROCESSES; pid++) {
			log.append(pid).append(" fcntl(0, F_DUPFD, 100000) = 100000\n");
		}
		String text = log.toString();
		try (ExecutorService threads = Executors.newFixedThreadPool(TRACES)) {
			List<Callable<Integer>> readings = new ArrayList<>();
			for (int i = 0; i < TRACES; i++) {
				readings.add(() -> tenures(text));
			}
			int tenures = 0;
			for (Future<Integer> reading : threads.invokeAll(readings)) {
				tenures += reading.get();
			}
			System.out.println("tenures=" + tenures);
		}
	}

	private static int tenures(String log) throws IOException {
		try (Trace trace = Traces.of(log)) {
			return trace.history(1, 100_000).tenures().size();
		}
	}

}
