package io.fdtable.trace;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the count of the bytes that first parts of calls take: it must come back to zero
 * whatever becomes of them, or a long log runs out of room.
 */
class UnfinishedCallsTest {

	private final UnfinishedCalls calls = new UnfinishedCalls();

	@Test
	void a_call_that_is_resumed_gives_its_bytes_back() {
		this.calls.put(7, 1, new byte[10]);
		assertThat(this.calls.bytes()).isEqualTo(10);
		this.calls.forget(7);
		assertThat(this.calls.bytes()).isZero();
	}

	@Test
	void a_call_handed_over_takes_the_place_of_one_that_is_lost() {
		this.calls.put(7, 1, new byte[10]);
		this.calls.put(8, 2, new byte[20]);
		this.calls.handOver(8, 7);
		assertThat(this.calls.bytes()).isEqualTo(20);
		assertThat(this.calls.get(7)).isNotNull();
		assertThat(this.calls.get(8)).isNull();
		this.calls.forget(7);
		assertThat(this.calls.bytes()).isZero();
	}

	@Test
	void a_thread_that_hands_over_to_itself_keeps_its_call() {
		this.calls.put(7, 1, new byte[10]);
		this.calls.handOver(7, 7);
		assertThat(this.calls.get(7)).isNotNull();
		assertThat(this.calls.bytes()).isEqualTo(10);
	}

	@Test
	void a_call_that_begins_twice_counts_once() {
		this.calls.put(7, 1, new byte[10]);
		this.calls.put(7, 2, new byte[30]);
		assertThat(this.calls.bytes()).isEqualTo(30);
	}

}
