package io.fdtable.web;

import io.fdtable.session.SyscallExecutor;
import io.fdtable.syscall.Syscall;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/**
 * Guards that an array of results is never complete in form and not in content: a fault
 * of the service in the middle of a batch is a problem, and no shorter array.
 */
@ServerTest
class BatchFaultIT {

	@Autowired
	private Api api;

	@Test
	void aFaultInTheMiddleOfAnArrayIsNoShorterArray() {
		String session = this.api.session();
		this.api.post(session + "/batch", "[{\"call\":\"open\"},{\"call\":\"unshare\"},{\"call\":\"open\"}]")
			.isProblem(500, "internal-error");
	}

	@TestConfiguration
	static class Faults {

		@Bean
		@Primary
		SyscallExecutor faulty(@Qualifier("localExecutor") SyscallExecutor executor) {
			return (request) -> {
				if (request.call() instanceof Syscall.Unshare) {
					throw new IllegalStateException("a fault");
				}
				return executor.execute(request);
			};
		}

	}

}
