package io.fdtable.web;

import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

import io.fdtable.kernel.FilesStruct;
import io.fdtable.session.SessionId;
import io.fdtable.session.SessionRegistry;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the promise of the table under load: with many clients at once no number is
 * handed out twice and none is skipped.
 */
@ServerTest
class AllocationStressIT {

	private static final int CLIENTS = 64;

	private static final int ROUNDS = 20;

	@Autowired
	private Api api;

	@Autowired
	private SessionRegistry registry;

	@Test
	void manyClientsNeverHoldTheSameNumberAndNeverSkipOne() throws Exception {
		long filesBefore = openFiles();
		String session = this.api.session();
		AtomicIntegerArray holders = new AtomicIntegerArray(1024);
		AtomicInteger conflicts = new AtomicInteger();
		AtomicInteger highest = new AtomicInteger();
		inParallel(() -> {
			for (int round = 0; round < ROUNDS; round++) {
				int fd = this.api.open(session);
				highest.accumulateAndGet(fd, Math::max);
				if (holders.getAndIncrement(fd) != 0) {
					conflicts.incrementAndGet();
				}
				holders.decrementAndGet(fd);
				this.api.delete(session + "/fds/" + fd).is(204);
			}
			return 0;
		});
		assertThat(conflicts).hasValue(0);
		// Each client holds one number at a time, so the lowest free one is never higher.
		assertThat(highest.get()).isBetween(3, 2 + CLIENTS);
		assertTable(session, 3, CLIENTS * ROUNDS, CLIENTS * ROUNDS);

		BitSet held = new BitSet();
		for (int fd : inParallel(() -> this.api.open(session))) {
			assertThat(held.get(fd)).as("descriptor %d was handed out before", fd).isFalse();
			held.set(fd);
		}
		assertThat(held.stream()).hasSize(CLIENTS).startsWith(3).endsWith(2 + CLIENTS);
		assertTable(session, 3 + CLIENTS, CLIENTS * (ROUNDS + 1), CLIENTS * ROUNDS);

		this.api.delete(session).is(204);
		assertThat(openFiles()).isEqualTo(filesBefore);
	}

	@Test
	void manySessionsNeverMix() throws Exception {
		long filesBefore = openFiles();
		long sessionsBefore = sessions();
		inParallel(() -> {
			String session = this.api.session();
			for (int fd = 3; fd < 3 + ROUNDS; fd++) {
				assertThat(this.api.open(session)).isEqualTo(fd);
			}
			String child = this.api.fork(session, false);
			this.api.delete(session).is(204);
			assertThat(this.api.open(child)).isEqualTo(3 + ROUNDS);
			this.api.delete(child).is(204);
			return 0;
		});
		assertThat(openFiles()).isEqualTo(filesBefore);
		assertThat(sessions()).isEqualTo(sessionsBefore);
	}

	private void assertTable(String session, int open, int opens, int closes) {
		JsonNode statistics = this.api.get(session + "/statistics").is(200).json();
		assertThat(statistics.path("table").path("open").asInt()).isEqualTo(open);
		assertThat(statistics.path("table").path("reserved").asInt()).isZero();
		assertThat(statistics.path("table").path("holes").asInt()).isZero();
		assertThat(statistics.path("table").path("highest").asInt()).isEqualTo(open - 1);
		assertThat(statistics.path("calls"))
			.hasToString("{\"close\":{\"ok\":" + closes + "},\"openat\":{\"ok\":" + opens + "}}");
		FilesStruct table = this.registry.use(SessionId.parse(session.substring(session.lastIndexOf('/') + 1))).files();
		table.checkInvariants();
	}

	private static <T> List<T> inParallel(Callable<T> client) throws InterruptedException, ExecutionException {
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			List<T> answers = new java.util.ArrayList<>();
			for (Future<T> answer : threads.invokeAll(Collections.nCopies(CLIENTS, client))) {
				answers.add(answer.get());
			}
			return answers;
		}
	}

	private long openFiles() {
		return this.api.get("/v1/statistics").json().path("openFiles").asLong();
	}

	private long sessions() {
		return this.api.get("/v1/statistics").json().path("sessions").asLong();
	}

}
