package io.fdtable.web;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.http.Outcome;

import org.springframework.stereotype.Component;

/**
 * Counts requests that Spring MVC does not see into the same {@code http.server.requests}
 * that it keeps. Safe from any thread.
 */
@Component
class RequestTimers {

	private final MeterRegistry registry;

	/** So that a request needs neither new tags nor a search in the registry. */
	private final Map<Series, Timer> timers = new ConcurrentHashMap<>();

	private record Series(String method, String path, int status) {
	}

	RequestTimers(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Counts a request.
	 * @param path its path, with the names of variables
	 * @param nanos how long it took
	 */
	void record(String method, String path, int status, long nanos) {
		this.timers.computeIfAbsent(new Series(method, path, status), this::timer).record(nanos, TimeUnit.NANOSECONDS);
	}

	private Timer timer(Series series) {
		return Timer.builder("http.server.requests")
			.tags("method", series.method(), "uri", series.path(), "status", Integer.toString(series.status()),
					"outcome", Outcome.forStatus(series.status()).name(), "exception", "none", "error", "none")
			.register(this.registry);
	}

}
