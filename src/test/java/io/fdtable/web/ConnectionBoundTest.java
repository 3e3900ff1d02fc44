package io.fdtable.web;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards how many connections there may be: one for each 256 KiB of the heap. */
class ConnectionBoundTest {

	@ParameterizedTest
	@CsvSource({ "8192, 268435456, 1024", "8192, 536870912, 2048", "8192, 8589934592, 8192", "100, 268435456, 100",
			"8192, 1, 1" })
	void theHeapBoundsConnections(int allowed, long heap, int bound) {
		assertThat(ConnectionBound.bound(allowed, heap)).isEqualTo(bound);
	}

}
