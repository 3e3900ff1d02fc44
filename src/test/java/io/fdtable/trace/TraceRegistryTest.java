package io.fdtable.trace;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that a trace is kept for its whole time from the moment it can be asked.
 */
@SpringBootTest(properties = "fdtable.trace.ttl=1h")
class TraceRegistryTest {

	@Autowired
	private TraceRegistry registry;

	@Autowired
	private HookedClock clock;

	@TestConfiguration
	static class ClockConfiguration {

		@Bean
		@Primary
		HookedClock hookedClock() {
			return new HookedClock();
		}

	}

	/** A clock that does something before it answers the thread of the test. */
	static final class HookedClock implements InstantSource {

		private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

		private volatile @Nullable Runnable hook;

		private volatile @Nullable Thread hooked;

		void hook(Runnable action) {
			this.hook = action;
			this.hooked = Thread.currentThread();
		}

		@Override
		public Instant instant() {
			Runnable action = this.hook;
			if (action != null && Thread.currentThread() == this.hooked) {
				this.hook = null;
				action.run();
			}
			return this.now;
		}

	}

	@Test
	void add_readingTakesLongerThanTheTtl_survivesASweep() throws IOException {
		InputStream slow = new ByteArrayInputStream("1 close(3) = 0\n".getBytes(StandardCharsets.ISO_8859_1)) {
			@Override
			public synchronized int read(byte[] bytes, int offset, int length) {
				int read = super.read(bytes, offset, length);
				if (read < 0) {
					TraceRegistryTest.this.clock.now = TraceRegistryTest.this.clock.now.plus(Duration.ofHours(2));
					TraceRegistryTest.this.clock.hook(TraceRegistryTest.this.registry::expire);
				}
				return read;
			}
		};
		StoredTrace stored = this.registry.add(slow);
		assertThat(this.registry.find(stored.id())).isSameAs(stored);
		this.clock.now = this.clock.now.plus(Duration.ofHours(1)).plusNanos(1);
		this.registry.expire();
		assertThat(this.registry.find(stored.id())).isNull();
	}

}
