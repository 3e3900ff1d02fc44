package io.fdtable.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import io.fdtable.kernel.FdBitmaps;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.OpenFile;

/**
 * Makes scripts that go where the rules are: full words, the ends of tables, limits, and
 * several tasks on one table. It runs the model along, so that most calls have an effect;
 * what the model answers decides nothing else.
 */
final class RandomScripts {

	private static final int CALLS = 60;

	private static final int MAX_TASKS = 8;

	private static final int[] EDGES = { 0, 1, 2, 3, 4, 5, 61, 62, 63, 64, 65, 66, 126, 127, 128, 129, 191, 192, 255,
			256, 257, 511, 512, 1023, 1024, 2047, 2048, 4094, 4095, 4096, 4097, 8191, 8192 };

	private static final long[] STRANGE = { -1, -2, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 20, (1 << 20) - 1,
			1 << 30, 100_000 };

	private static final int[] SOFT = { 0, 3, 4, 5, 8, 63, 64, 65, 66, 100, 127, 128, 129, 192, 256, 1024 };

	private static final int[] STATUS_FLAGS = { 02000, 04000, 010000, 020000, 0100000, 04000000, 01000, 0400, 1 << 30 };

	private final ModelSystem model;

	private final int highestLimit;

	private SplittableRandom random = new SplittableRandom(0);

	private ModelSystem.Run run;

	private List<Call> calls = new ArrayList<>();

	private int task;

	private int tasks;

	private boolean isWide;

	RandomScripts(ModelSystem model, int highestLimit) {
		this.model = model;
		this.highestLimit = Math.min(highestLimit, 1 << 14);
		this.run = model.start(0, 0);
	}

	/** Returns the script of a seed. */
	Script next(long seed) {
		this.random = new SplittableRandom(seed);
		// Tables of more than 4096 slots have more than one word of summary.
		this.isWide = this.random.nextInt(24) == 0;
		int hard = this.isWide ? this.highestLimit : Math.min(this.highestLimit, 4096);
		int soft = (this.isWide || oneIn(3)) ? hard : pick(SOFT);
		this.run = this.model.start(soft, hard);
		this.calls = new ArrayList<>();
		this.tasks = 1;
		while (this.calls.size() < CALLS && chooseTask()) {
			step();
		}
		IntStream.range(0, this.tasks).filter(this::isFree).forEach((number) -> {
			this.task = number;
			add(Op.DUMP);
		});
		return new Script(soft, hard, this.calls);
	}

	private boolean isFree(int number) {
		return this.run.isAlive(number) && !this.run.isWaiting(number);
	}

	/** Chooses who makes the next calls, mostly the same as before. */
	private boolean chooseTask() {
		int[] alive = IntStream.range(0, this.tasks).filter(this.run::isAlive).toArray();
		if (IntStream.of(alive).noneMatch(this::isFree)) {
			return false;
		}
		if (!this.run.isAlive(this.task) || oneIn(3)) {
			this.task = pick(alive);
		}
		if (this.run.isWaiting(this.task)) {
			if (oneIn(3)) {
				add(oneIn(3) ? Op.RELEASE : Op.INSTALL);
				return true;
			}
			this.task = pick(IntStream.of(alive).filter(this::isFree).toArray());
		}
		return true;
	}

	private void step() {
		if (this.run.isWaiting(this.task)) {
			return;
		}
		switch (this.random.nextInt(50)) {
			case 0, 1, 2, 3 -> open();
			case 4, 5, 6, 7 -> add(Op.CLOSE, fd());
			case 8, 9, 10 -> closeRange();
			case 11, 12, 13 -> add(Op.DUP, fd());
			case 14, 15, 16, 17 -> add(Op.DUP2, fd(), fd());
			case 18, 19 -> add(Op.DUP3, fd(), fd(), oneIn(8) ? pick(STATUS_FLAGS) : cloexec());
			case 20, 21, 22, 23 -> add(Op.FCNTL, fd(), oneIn(2) ? 0 : 1030, fd());
			case 24, 25, 26 -> marks();
			case 27, 28, 29 -> status();
			case 30, 31, 32 -> fork();
			case 33 -> add(Op.UNSHARE);
			case 34 -> exec();
			case 35 -> limit();
			case 36, 37 -> bulk();
			case 38 -> reserve();
			case 39, 40, 41, 42 -> readOrWrite();
			case 43 -> add(Op.PIPE, cloexec() | (oneIn(2) ? 04000 : 0) | (oneIn(8) ? pick(STATUS_FLAGS) : 0));
			case 44, 45 -> add(Op.GETFD, this.random.nextInt(this.tasks), fd());
			case 46 -> send();
			case 47 -> add(Op.RECEIVE, this.random.nextInt(5), this.random.nextInt(2));
			default -> {
				if (this.tasks > 1 && oneIn(2)) {
					add(Op.EXIT);
				}
			}
		}
	}

	private void open() {
		int kind = this.random.nextInt(Symbols.KINDS.size());
		long flags = cloexec();
		if (kind < 3) {
			flags |= oneIn(3) ? this.random.nextInt(4) : 0;
			flags |= oneIn(4) ? 0100 : 0;
			flags |= oneIn(6) ? 0200 : 0;
			flags |= oneIn(6) ? 0200000 : 0;
			flags |= oneIn(6) ? 010000000 : 0;
			flags |= (oneIn(8) && kind == 0) ? 040000 : 0;
			flags |= oneIn(4) ? pick(STATUS_FLAGS) : 0;
			flags |= oneIn(4) ? pick(STATUS_FLAGS) : 0;
			// What O_EXCL means without O_CREAT is left open.
			flags &= ((flags & 0100) == 0) ? ~0200L : -1L;
		}
		else {
			flags |= oneIn(3) ? 04000 : 0;
			flags |= oneIn(10) ? 02000 : 0;
		}
		add(Op.OPEN, kind, flags);
	}

	private void closeRange() {
		long first = fd();
		long last = switch (this.random.nextInt(4)) {
			case 0 -> 0xFFFF_FFFFL;
			case 1 -> first + this.random.nextInt(70);
			default -> fd();
		};
		long flags = oneIn(16) ? this.random.nextInt(16) : (this.random.nextInt(4) << 1);
		add(Op.CLOSE_RANGE, first & 0xFFFF_FFFFL, last & 0xFFFF_FFFFL, flags);
	}

	private void marks() {
		if (oneIn(3)) {
			add(Op.FCNTL, fd(), 1, 0);
		}
		else {
			add(Op.FCNTL, fd(), 2, oneIn(4) ? this.random.nextInt() : this.random.nextInt(2));
		}
	}

	private void status() {
		switch (this.random.nextInt(6)) {
			case 0, 1 -> add(Op.FCNTL, fd(), 3, 0);
			case 2 -> add(Op.FCNTL, fd(), 4, statusFlags() | this.random.nextInt(4));
			case 3 -> add(Op.FCNTL, fd(), 1027, fd());
			case 4 -> add(Op.FCNTL, fd(), 1028, 0);
			default -> add(Op.FCNTL, fd(), pick(new int[] { 99, 12345, -1, 1029 }), 0);
		}
	}

	private void fork() {
		if (this.tasks < MAX_TASKS) {
			add(Op.FORK, oneIn(2) ? 1 : 0, this.tasks++);
		}
	}

	private void exec() {
		add(Op.EXEC);
		add(Op.DUMP);
	}

	private void limit() {
		long hard = oneIn(8) ? this.random.nextInt(5000) : this.run.task(this.task).nofile().hard();
		add(Op.PRLIMIT, oneIn(3) ? hard : pick(SOFT), oneIn(16) ? hard + 1 : hard);
	}

	private void bulk() {
		if (oneIn(2)) {
			int first = this.random.nextInt(this.isWide ? 5000 : 200);
			add(Op.CLOSE_EVERY, first, first + this.random.nextInt(300), 1 + this.random.nextInt(5));
		}
		else {
			int count = 1 + this.random.nextInt(130);
			add(Op.FILL, open(this.random.nextInt(3)), (this.isWide && oneIn(2)) ? 4000 + count : count);
		}
	}

	/**
	 * Reads, writes or seeks where the model's file is the kernel's, and nobody waits.
	 */
	private void readOrWrite() {
		int fd = (int) fd();
		FdEntry entry = this.run.task(this.task).files().entry(fd);
		OpenFile file = (entry != null) ? entry.file() : null;
		FileKind kind = (file != null) ? file.kind() : FileKind.REGULAR;
		boolean never = kind == FileKind.DEVICE || kind == FileKind.SOCKET || kind == FileKind.DIRECTORY;
		boolean waits = kind != FileKind.REGULAR && file != null && (file.statusFlags() & 04000) == 0;
		if (never || waits) {
			return;
		}
		switch (this.random.nextInt(3)) {
			case 0 -> add(Op.READ, fd, count());
			case 1 -> add(Op.WRITE, fd, count());
			default -> {
				if (kind == FileKind.REGULAR) {
					add(Op.LSEEK, fd, this.random.nextInt(-50, 3000), oneIn(10) ? 5 : this.random.nextInt(3));
				}
			}
		}
	}

	private long count() {
		return switch (this.random.nextInt(4)) {
			case 0 -> 8;
			case 1 -> this.random.nextInt(16);
			default -> this.random.nextInt(3000);
		};
	}

	private void send() {
		// A low limit would also count what others have on their way.
		if (this.run.task(this.task).nofile().soft() >= 63) {
			add(Op.SEND, this.random.nextInt(this.tasks), fd(), oneIn(16) ? 254 : 1 + this.random.nextInt(4),
					oneIn(2) ? 0 : 1);
		}
	}

	private void reserve() {
		if (this.tasks < MAX_TASKS) {
			// On a shared table, so that somebody else can look at the number.
			int waiting = this.tasks++;
			int before = this.task;
			add(Op.FORK, 1, waiting);
			if (this.run.isAlive(waiting)) {
				this.task = waiting;
				add(Op.RESERVE, oneIn(2) ? 1 : 0);
				this.task = before;
			}
		}
	}

	private void add(Op op, long... arguments) {
		Call call = Call.of(this.task, op, arguments);
		if (this.run.isPossible(call)) {
			this.calls.add(call);
			this.run.call(call);
		}
	}

	/** Chooses a descriptor, mostly one that means something at the moment. */
	private long fd() {
		int soft = this.run.task(this.task).nofile().soft();
		FdBitmaps maps = this.run.task(this.task).files().bitmaps();
		return switch (this.random.nextInt(20)) {
			case 0, 1, 2, 3, 4, 5, 6, 7 -> open(this.random.nextInt(1 << 16));
			case 8, 9 -> open(this.random.nextInt(1 << 16)) + 1;
			case 10, 11 -> this.random.nextInt(12);
			case 12 -> this.random.nextInt(140);
			case 13 -> soft - 1 + this.random.nextInt(3);
			case 14 -> maps.capacity() - 1 + this.random.nextInt(2);
			case 15 -> (maps.reserved().length > 0) ? pick(maps.reserved()) : open(1);
			case 16 -> oneIn(4) ? STRANGE[this.random.nextInt(STRANGE.length)] : this.random.nextInt(5);
			case 17 -> this.random.nextInt(oneIn(8) ? 5000 : 300);
			default -> pick(EDGES);
		};
	}

	private long open(int from) {
		List<FdEntry> entries = this.run.task(this.task).files().entries(0, Integer.MAX_VALUE);
		return entries.isEmpty() ? 0 : entries.get(from % entries.size()).fd();
	}

	private long cloexec() {
		return oneIn(3) ? 02000000 : 0;
	}

	private int statusFlags() {
		int first = pick(STATUS_FLAGS);
		return first | pick(STATUS_FLAGS);
	}

	private boolean oneIn(int n) {
		return this.random.nextInt(n) == 0;
	}

	private int pick(int[] values) {
		return values[this.random.nextInt(values.length)];
	}

}
