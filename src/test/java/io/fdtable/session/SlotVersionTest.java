package io.fdtable.session;

import io.fdtable.kernel.FdEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards that a version tells every two states of a descriptor apart, and its text. */
class SlotVersionTest {

	@Test
	void differsWhereTheDescriptorDiffers() {
		SlotVersion version = SlotVersion.of(new FdEntry(3, 17, false, null, 2));
		assertThat(version).hasToString("17.4");
		assertThat(SlotVersion.of(new FdEntry(3, 17, true, null, 2))).hasToString("17.5");
		assertThat(SlotVersion.of(new FdEntry(3, 18, false, null, 2))).hasToString("18.4");
		assertThat(SlotVersion.of(new FdEntry(3, 17, false, null, 3))).hasToString("17.6");
		assertThat(SlotVersion.of(new FdEntry(3, 17, false, null, 0x8000_0000))).isNotEqualTo(version);
	}

	@Test
	void readsWhatItPrints() {
		assertThat(SlotVersion.parse("17.4")).isEqualTo(new SlotVersion(17, 4));
		assertThat(SlotVersion.parse("9223372036854775807.0")).isEqualTo(new SlotVersion(Long.MAX_VALUE, 0));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ".", "17", "17.", ".4", "17.4.", "17.4.1", "017.4", "17.04", "+17.4", "17.+4", "-0.4",
			"17.4 ", "a.b", "0x11.4", "\u0661.4", "9223372036854775808.0" })
	void readsNothingElse(String text) {
		assertThat(SlotVersion.parse(text)).isNull();
	}

}
