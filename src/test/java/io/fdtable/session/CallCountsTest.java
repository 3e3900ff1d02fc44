package io.fdtable.session;

import java.util.Map;

import io.fdtable.kernel.Errno;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards that a session counts its calls by name and outcome, however many there are. */
class CallCountsTest {

	@Test
	void countsByNameAndOutcome() {
		CallCounts counts = new CallCounts();
		assertThat(counts.asMap()).isEmpty();
		for (Errno errno : Errno.values()) {
			counts.count(new Syscall.Close(3), new SyscallResult.Failure(errno));
			counts.count(new Syscall.Dup(3), new SyscallResult.Failure(errno));
		}
		counts.count(new Syscall.Dup(3), new SyscallResult.Value(4));
		counts.count(new Syscall.Dup(3), new SyscallResult.Value(5));
		counts.count(new Syscall.Dup(3), new SyscallResult.Failure(Errno.EBADF));
		Map<String, Map<String, Long>> map = counts.asMap();
		assertThat(map.keySet()).containsExactly("close", new Syscall.Dup(3).name());
		assertThat(map.get("close")).hasSize(Errno.values().length).containsEntry("EBADF", 1L);
		assertThat(map.get(new Syscall.Dup(3).name())).hasSize(Errno.values().length + 1)
			.containsEntry("EBADF", 2L)
			.containsEntry("EMFILE", 1L)
			.containsEntry("ok", 2L);
	}

}
