package io.fdtable.web.problem;

import java.io.IOException;
import java.io.InputStream;

import io.fdtable.kernel.Sysctl;
import io.fdtable.web.problem.BodyLimitFilter.LimitedRequest;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards what a body takes of the memory budget while it is read: nothing for its first 8
 * KiB, then 32 KiB for every 8 KiB begun; and that all of it is given back.
 */
class BodyChargeTest {

	private static final int KIB = 1024;

	private final Sysctl sysctl = new Sysctl(Sysctl.DEFAULT_NR_OPEN, 100, 100, 100 * KIB);

	private LimitedRequest request(int length) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.setContent(new byte[length]);
		return new LimitedRequest(request, this.sysctl);
	}

	@Test
	void theFirst8KibAreFree() throws IOException {
		LimitedRequest request = request(8 * KIB);
		assertThat(request.getInputStream().readAllBytes()).hasSize(8 * KIB);
		assertThat(this.sysctl.memory()).isZero();
	}

	@Test
	void every8KibBegunTake32Kib() throws IOException {
		LimitedRequest request = request(24 * KIB);
		InputStream in = request.getInputStream();
		in.readNBytes(8 * KIB);
		assertThat(in.read()).isZero();
		assertThat(this.sysctl.memory()).isEqualTo(32 * KIB);
		in.readNBytes(8 * KIB - 1);
		assertThat(this.sysctl.memory()).isEqualTo(32 * KIB);
		in.readNBytes(1);
		assertThat(this.sysctl.memory()).isEqualTo(64 * KIB);
		request.uncharge();
		assertThat(this.sysctl.memory()).isZero();
		request.uncharge();
		assertThat(this.sysctl.memory()).isZero();
	}

	@Test
	void whoAsksForTheStreamAgainGoesOnCounting() throws IOException {
		LimitedRequest request = request(16 * KIB);
		request.getInputStream().readNBytes(8 * KIB);
		request.getInputStream().readNBytes(1);
		assertThat(this.sysctl.memory()).isEqualTo(32 * KIB);
	}

	@Test
	void whereThereIsNoMemoryTheBodyIsRefusedAndOthersKeepTheirs() throws IOException {
		LimitedRequest first = request(24 * KIB);
		first.getInputStream().readAllBytes();
		LimitedRequest second = request(24 * KIB);
		InputStream in = second.getInputStream();
		in.readNBytes(9 * KIB);
		assertThatExceptionOfType(NoMemoryException.class).isThrownBy(() -> in.readNBytes(8 * KIB));
		assertThat(this.sysctl.memory()).isEqualTo((64 + 32) * KIB);
		second.uncharge();
		assertThat(this.sysctl.memory()).isEqualTo(64 * KIB);
	}

}
