package io.fdtable.session;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until a test moves it. */
final class SettableClock implements InstantSource {

	static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private volatile Instant now = START;

	@Override
	public Instant instant() {
		return this.now;
	}

	void advance(Duration duration) {
		this.now = this.now.plus(duration);
	}

}
