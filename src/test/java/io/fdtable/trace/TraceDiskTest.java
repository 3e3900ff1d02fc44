package io.fdtable.trace;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;

import io.fdtable.kernel.Sysctl;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards that the room for the files of traces is exact: whoever is refused costs nobody
 * else his room, and a reading that fails, however it does, gives its own back.
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

	@Test
	void read_endsInAnError_givesTheDiskBack() {
		TraceDisk disk = new TraceDisk(1 << 30);
		byte[] calls = "1 openat(AT_FDCWD, \"a\", O_RDONLY) = 3\n1 close(3) = 0\n".repeat(20_000)
			.getBytes(StandardCharsets.ISO_8859_1);
		InputStream broken = new SequenceInputStream(new ByteArrayInputStream(calls), new InputStream() {
			@Override
			public int read() {
				assertThat(disk.used()).isPositive();
				throw new OutOfMemoryError("as if");
			}

			@Override
			public int read(byte[] bytes, int offset, int length) {
				return read();
			}
		});
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> Trace.read(broken, disk, Sysctl.unbounded(), TraceProgress.NONE))
			.withMessage("as if");
		assertThat(disk.used()).isZero();
	}

}
