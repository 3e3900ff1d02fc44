package io.fdtable.session;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards the form of session ids: only what the service prints is one. */
class SessionIdTest {

	private static final String TREE = "mfrggzdfmztwq2lknnwg23tpob";

	@Test
	void readsWhatItPrints() {
		SessionId id = new SessionId(TREE, 12);
		assertThat(id).hasToString(TREE + "-12");
		assertThat(SessionId.parse(TREE + "-12")).isEqualTo(id);
		assertThat(SessionId.parse(TREE + "-999999999")).isEqualTo(new SessionId(TREE, 999_999_999));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "-1", TREE, TREE + "-", TREE + "-0", TREE + "-01", TREE + "--1", TREE + "-+1",
			TREE + "-1000000000", TREE + "-1 ", " " + TREE + "-1", TREE + "-1\n", TREE + "-\u0661",
			"MFRGGZDFMZTWQ2LKNNWG23TPOB-1", "mfrggzdfmztwq2lknnwg23tpo-1", "mfrggzdfmztwq2lknnwg23tpobb-1",
			"mfrggzdfmztwq2lknnwg23tpo1-1", "mfrggzdfmztwq2lknnwg23tpo8-1" })
	void readsNothingElse(String text) {
		assertThat(SessionId.parse(text)).isNull();
	}

	@Test
	void sortsByTreeThenByNumber() {
		SessionId second = new SessionId(TREE, 2);
		SessionId tenth = new SessionId(TREE, 10);
		SessionId otherTree = new SessionId("n" + TREE.substring(1), 1);
		assertThat(second).isLessThan(tenth);
		assertThat(tenth).isLessThan(otherTree);
		assertThat(second).isEqualByComparingTo(new SessionId(TREE, 2));
	}

}
