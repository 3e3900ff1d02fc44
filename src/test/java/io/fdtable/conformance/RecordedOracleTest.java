package io.fdtable.conformance;

import java.util.ArrayList;
import java.util.List;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.Sysctl;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the promise of {@link LiveOracleTest} where there is no Linux, no C compiler or
 * an old kernel: the answers that a kernel once gave are the model's, too. Where there is
 * a kernel, it must still give them.
 */
class RecordedOracleTest {

	private static final int SCRIPTS = 150;

	private static final long SEED = 20_260_101;

	@Test
	void recordedScripts_onTheModel_haveTheRecordedAnswers() throws Exception {
		if (Boolean.getBoolean("oracle.record")) {
			record();
		}
		Recording recording = Recording.read();
		assertThat(recording.calls()).isGreaterThan(5000);
		for (Allocator allocator : ModelSystem.LOWEST_FIRST) {
			ModelSystem model = new ModelSystem(allocator, Sysctl.DEFAULT_NR_OPEN);
			for (int i = 0; i < recording.scripts().size(); i++) {
				Script script = recording.scripts().get(i);
				assertThat(model.run(script)).as("%s with %s", script, allocator).isEqualTo(recording.answers().get(i));
			}
		}
		System.out.println("Replayed " + recording.calls() + " calls that " + recording.kernel() + " has answered");
	}

	@Test
	void recordedScripts_onThisKernel_haveTheRecordedAnswers() throws Exception {
		Recording recording = Recording.read();
		try (LinuxSystem linux = LinuxSystem.startOrSkip("recorded")) {
			for (int i = 0; i < recording.scripts().size(); i++) {
				Script script = recording.scripts().get(i);
				if (script.hard() <= linux.hardLimit()) {
					assertThat(linux.run(script)).as("%s", script).isEqualTo(recording.answers().get(i));
				}
			}
		}
	}

	private static void record() throws Exception {
		try (LinuxSystem linux = LinuxSystem.startOrSkip("record")) {
			ModelSystem model = new ModelSystem(Allocator.WORD_FIRST, linux.nrOpen());
			RandomScripts random = new RandomScripts(model, linux.hardLimit());
			List<Script> scripts = new ArrayList<>();
			List<List<Answer>> answers = new ArrayList<>();
			for (int i = 0; i < SCRIPTS; i++) {
				Script script = random.next(SEED + i);
				scripts.add(script);
				answers.add(linux.run(script));
			}
			new Recording(linux.kernel(), scripts, answers).write();
		}
	}

}
