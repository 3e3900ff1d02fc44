package io.fdtable.kernel;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Guards the edges of the settings and of the list of commands outside the model. */
class SettingsTest {

	@Test
	void sysctl_allBoundsZero_isAccepted() {
		Sysctl sysctl = new Sysctl(64, 0, 0, 0, 0);
		assertThat(sysctl.fileMax()).isZero();
		assertThat(sysctl.threadsMax()).isZero();
		assertThat(sysctl.memoryMax()).isZero();
		assertThat(sysctl.fileMaxBytes()).isZero();
	}

	@Test
	void sysctl_bounds_areTold() {
		Sysctl sysctl = new Sysctl(64, 2, 3, 4, 5);
		assertThat(sysctl.fileMax()).isEqualTo(2);
		assertThat(sysctl.threadsMax()).isEqualTo(3);
		assertThat(sysctl.memoryMax()).isEqualTo(4);
		assertThat(sysctl.fileMaxBytes()).isEqualTo(5);
	}

	@Test
	void sysctl_anyBoundNegative_isRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Sysctl(64, -1, 0, 0, 0));
		assertThatIllegalArgumentException().isThrownBy(() -> new Sysctl(64, 0, -1, 0, 0));
		assertThatIllegalArgumentException().isThrownBy(() -> new Sysctl(64, 0, 0, -1, 0));
		assertThatIllegalArgumentException().isThrownBy(() -> new Sysctl(64, 0, 0, 0, -1));
	}

	@Test
	void isOutsideModel_everyCommand_onlyThoseOfLinuxThatAreNotModelled() {
		int[] outside = IntStream.range(-1, 1100).filter(Fcntl::isOutsideModel).toArray();
		assertThat(outside).containsExactly(5, 6, 7, 8, 9, 10, 11, 15, 16, 17, 36, 37, 38, 1024, 1025, 1026, 1031, 1032,
				1033, 1034, 1035, 1036, 1037, 1038, 1039, 1040);
	}

}
