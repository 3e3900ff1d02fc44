package io.fdtable.trace;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards that the room for the files of traces is exact: whoever is refused costs nobody
 * else his room.
 */
class TraceDiskTest {

	private static final int ATTEMPTS = 300_000;

	@Test
	void take_moreThanIsLeft_isRefusedAndTakesNothing() throws TraceRefusedException {
		TraceDisk disk = new TraceDisk(10);
		disk.take(7);
		assertThatExceptionOfType(TraceRefusedException.class).isThrownBy(() -> disk.take(4));
		assertThat(disk.used()).isEqualTo(7);
		disk.take(3);
		assertThat(disk.used()).isEqualTo(10);
	}

	@Test
	void take_whileAnotherIsRefused_succeeds() throws InterruptedException, TraceRefusedException {
		TraceDisk disk = new TraceDisk(100);
		Thread greedy = Thread.ofPlatform().start(() -> {
			for (int i = 0; i < ATTEMPTS; i++) {
				takeTooMuch(disk);
			}
		});
		while (greedy.isAlive()) {
			disk.take(1);
			disk.giveBack(1);
		}
		greedy.join();
		assertThat(disk.used()).isZero();
	}

	private static void takeTooMuch(TraceDisk disk) {
		try {
			disk.take(101);
		}
		catch (TraceRefusedException ex) {
			return;
		}
		throw new AssertionError("more was taken than there is");
	}

}
