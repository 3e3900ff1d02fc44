package io.fdtable.kernel;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards when the lock of a position is taken (fdget_pos): too rarely loses writes, too
 * often costs every read of every file.
 */
class PositionLockTest {

	private final IoFixture system = new IoFixture();

	@ParameterizedTest
	@CsvSource({ "ALONE,REGULAR,0,1", "ALONE,OPAQUE,0,1", "ALONE,DIRECTORY,1,0", "ALONE,PIPE,0,0", "ALONE,SOCKET,0,0",
			"ALONE,EVENTFD,0,0", "ALONE,DEVICE,0,0", "DUP,REGULAR,1,0", "DUP,OPAQUE,1,0", "DUP,DIRECTORY,1,0",
			"DUP,PIPE,0,0", "DUP,SOCKET,0,0", "FORK,REGULAR,1,0", "FORK,DIRECTORY,1,0", "FORK,PIPE,0,0",
			"IN_FLIGHT,REGULAR,1,0", "IN_FLIGHT,DIRECTORY,1,0", "IN_FLIGHT,PIPE,0,0", "GETFD,REGULAR,1,0",
			"GETFD,DIRECTORY,1,0", "GETFD,SOCKET,0,0", "SHARED,REGULAR,1,0", "SHARED,DIRECTORY,1,0", "SHARED,PIPE,0,0",
			"SHARED_BEFORE,REGULAR,0,1", "SHARED_BEFORE,DIRECTORY,1,0", "DUP_CLOSED,REGULAR,0,1" })
	void lseek_users_lockTaken(Users users, FileKind kind, long taken, long elided) {
		Task task = this.system.task;
		int fd = task.open(null, kind, 0, null);
		users.arrange.accept(task);
		FilesStruct table = task.files();
		try {
			task.io().lseek(fd, 0, Seek.SEEK_SET);
		}
		catch (SyscallException ex) {
			assertThat(ex.errno()).isEqualTo(Errno.ESPIPE);
		}
		assertThat(table.statistics().positionLocksTaken()).isEqualTo(taken);
		assertThat(table.statistics().positionLocksElided()).isEqualTo(elided);
		this.system.exitAll();
	}

	/** Who else might use the position of descriptor 0, the only one that is open. */
	enum Users {

		ALONE((task) -> {
		}), DUP((task) -> task.dup(0)), FORK((task) -> task.fork(false)),
		IN_FLIGHT((task) -> task.transfer().sendmsg(1, new int[] { 0 })), GETFD((task) -> {
			Task other = task.fork(false);
			other.close(0);
			other.transfer().pidfdGetfd(1, 0);
		}), SHARED((task) -> task.fork(true)), SHARED_BEFORE((task) -> task.fork(true).exit()),
		DUP_CLOSED((task) -> task.close(task.dup(0)));

		@SuppressWarnings("ImmutableEnumChecker")
		private final Consumer<Task> arrange;

		Users(Consumer<Task> arrange) {
			this.arrange = arrange;
		}

	}

	@Test
	void readAndWrite_alone_lockElidedEachTime() {
		int fd = this.system.open(FileKind.REGULAR);
		this.system.write(fd, "abc");
		this.system.read(fd, 1);
		TableStatistics statistics = this.system.task.files().statistics();
		assertThat(statistics.positionLocksElided()).isEqualTo(2);
		assertThat(statistics.positionLocksTaken()).isZero();
	}

	@Test
	void write_twoWritersThroughDup_neverOverlap() throws Exception {
		int records = 5000;
		int fd = this.system.open(FileKind.REGULAR);
		int twin = this.system.task.dup(fd);
		int threads = 4;
		List<Future<?>> writers = new ArrayList<>();
		try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
			for (int writer = 0; writer < threads; writer++) {
				int own = (writer % 2 == 0) ? fd : twin;
				int first = writer * records;
				writers.add(pool.submit(() -> {
					for (int i = 0; i < records; i++) {
						this.system.write(own, String.format("%08d", first + i));
					}
				}));
			}
			for (Future<?> writer : writers) {
				writer.get();
			}
		}
		assertThat(this.system.position(fd)).isEqualTo(8L * records * threads);
		this.system.seek(fd, 0);
		Set<String> seen = new HashSet<>();
		for (int i = 0; i < records * threads; i++) {
			seen.add(this.system.read(fd, 8));
		}
		assertThat(seen).hasSize(records * threads).contains("00000000", "00019999");
		assertThat(this.system.task.files().statistics().positionLocksElided()).isZero();
		assertThat(this.system.task.files().statistics().positionLocksTaken()).isEqualTo(2L * records * threads + 2);
	}

}
