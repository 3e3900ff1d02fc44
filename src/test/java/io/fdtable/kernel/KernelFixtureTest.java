package io.fdtable.kernel;

import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Guards the guard: the check after each kernel test fails when a table is damaged or
 * something is left over, and names the invariant.
 */
class KernelFixtureTest {

	private final KernelFixture fixture = new KernelFixture();

	@Test
	void afterEach_soundTables_passes() {
		this.fixture.beforeEach(null);
		Task task = this.fixture.task();
		task.fork(false).dup(0);
		task.fork(true).reserve(100, false);
		assertThatCode(() -> this.fixture.afterEach(null)).doesNotThrowAnyException();
	}

	@Test
	void afterEach_slotWithClosedFile_fails() {
		this.fixture.beforeEach(null);
		Sysctl sysctl = this.fixture.sysctl(1024);
		FilesStruct files = this.fixture.files(sysctl);
		OpenFile file = KernelFixture.file(sysctl);
		files.fdInstall(files.allocFd(0, 10, false), file);
		file.release();
		assertThatIllegalStateException().isThrownBy(() -> this.fixture.afterEach(null))
			.withMessageStartingWith("I9: descriptor 0");
	}

	@Test
	void afterEach_damagedTableOfForkedChild_fails() {
		this.fixture.beforeEach(null);
		Task child = this.fixture.task().fork(false);
		OpenFile file = child.files().fget(0);
		while (file.count() > 0) {
			file.release();
		}
		assertThatIllegalStateException().isThrownBy(() -> this.fixture.afterEach(null))
			.withMessageStartingWith("I9: descriptor 0");
	}

	@Test
	void afterEach_forgottenReference_fails() {
		this.fixture.beforeEach(null);
		this.fixture.task().files().fget(0);
		assertThatIllegalStateException().isThrownBy(() -> this.fixture.afterEach(null))
			.withMessageStartingWith("I9: left over: 1 files, 0 processes");
	}

	@Test
	void sysctl_unregisteredFixture_isRefused() {
		assertThatIllegalStateException().isThrownBy(this.fixture::task).withMessageContaining("@RegisterExtension");
	}

	@ParameterizedTest
	@MethodSource
	void checkInvariants_damagedTable_namesTheInvariant(Consumer<FdTable> damage, String message) {
		FdTable table = new FdTable(Allocator.WORD_FIRST.newBitmap(128, new SearchCounters()));
		for (int fd = 0; fd < 64; fd++) {
			table.prepare(fd, 1);
			table.openFds.set(fd);
		}
		assertThatCode(table::checkInvariants).doesNotThrowAnyException();
		damage.accept(table);
		assertThatIllegalStateException().isThrownBy(table::checkInvariants).withMessageStartingWith(message);
	}

	static Stream<Arguments> checkInvariants_damagedTable_namesTheInvariant() {
		return Stream.of(damage("file in a free slot", (table) -> table.setFile(64, OpenFile.marker()), "I2"),
				damage("summary bit of a word with a hole", (table) -> table.openFds.openFds[0] = -2L, "I3"),
				damage("no summary bit for a full word", (table) -> table.openFds.openFds[1] = -1L, "I3, I4"),
				damage("closed file in a slot", (table) -> table.setFile(3, closedFile()), "I9"));
	}

	private static Arguments damage(String name, Consumer<FdTable> damage, String message) {
		return argumentSet(name, damage, message);
	}

	private static OpenFile closedFile() {
		OpenFile file = KernelFixture.file(Sysctl.unbounded());
		file.release();
		return file;
	}

	@Test
	void checkInvariants_nextFdAboveFreeDescriptor_namesTheInvariant() throws ReflectiveOperationException {
		FilesStruct files = new FilesStruct(Sysctl.unbounded(), Allocator.WORD_FIRST);
		files.allocFd(0, 10, false);
		var nextFd = FilesStruct.class.getDeclaredField("nextFd");
		nextFd.setAccessible(true);
		nextFd.setInt(files, 2);
		assertThatIllegalStateException().isThrownBy(files::checkInvariants).withMessageStartingWith("I6");
	}

}
