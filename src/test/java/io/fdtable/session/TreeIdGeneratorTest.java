package io.fdtable.session;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards that tree ids have the form of a session id's first part and 128 random bits.
 */
class TreeIdGeneratorTest {

	private static final int DRAWS = 2000;

	private static final int LENGTH = 26;

	private final TreeIdGenerator generator = new TreeIdGenerator();

	@Test
	void drawsIdsOfTheRightFormAndNoneTwice() {
		Set<String> seen = new HashSet<>();
		for (int i = 0; i < DRAWS; i++) {
			String id = this.generator.next();
			assertThat(id).matches("[a-z2-7]{26}");
			assertThat(seen.add(id)).isTrue();
		}
	}

	@Test
	void everyPositionTakesEveryValueThatItsBitsAllow() {
		Set<Character>[] values = values();
		for (int position = 0; position < LENGTH - 1; position++) {
			assertThat(values[position]).as("position %d", position).hasSize(32);
		}
		// 25 characters hold 125 bits; the last has the other 3, followed by zeros.
		assertThat(values[LENGTH - 1]).containsExactly('4', 'a', 'e', 'i', 'm', 'q', 'u', 'y');
	}

	private Set<Character>[] values() {
		@SuppressWarnings({ "unchecked", "rawtypes" })
		Set<Character>[] values = new Set[LENGTH];
		for (int draw = 0; draw < DRAWS; draw++) {
			String id = this.generator.next();
			for (int position = 0; position < LENGTH; position++) {
				if (values[position] == null) {
					values[position] = new TreeSet<>();
				}
				values[position].add(id.charAt(position));
			}
		}
		return values;
	}

}
