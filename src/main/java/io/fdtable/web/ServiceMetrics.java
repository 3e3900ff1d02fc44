package io.fdtable.web;

import io.fdtable.kernel.Sysctl;
import io.fdtable.session.SessionRegistry;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.stereotype.Component;

/**
 * Shows operators how near the service is to each of its bounds.
 */
@Component
class ServiceMetrics implements MeterBinder {

	private final Sysctl sysctl;

	ServiceMetrics(SessionRegistry registry) {
		this.sysctl = registry.sysctl();
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder("fdtable.sessions", this.sysctl, Sysctl::threads)
			.description("Sessions that have not exited")
			.register(registry);
		Gauge.builder("fdtable.sessions.max", this.sysctl, Sysctl::threadsMax)
			.description("Sessions beyond which creating and forking answer ENFILE")
			.register(registry);
		Gauge.builder("fdtable.files", this.sysctl, Sysctl::files)
			.description("Open file descriptions")
			.register(registry);
		Gauge.builder("fdtable.files.max", this.sysctl, Sysctl::fileMax)
			.description("Open file descriptions beyond which opening answers ENFILE")
			.register(registry);
		Gauge.builder("fdtable.memory", this.sysctl, Sysctl::memory)
			.baseUnit(BaseUnits.BYTES)
			.description("What wide tables, open files, contents and kept answers take of the memory budget")
			.register(registry);
		Gauge.builder("fdtable.memory.max", this.sysctl, Sysctl::memoryMax)
			.baseUnit(BaseUnits.BYTES)
			.description("The memory budget, beyond which calls answer ENOMEM")
			.register(registry);
	}

}
