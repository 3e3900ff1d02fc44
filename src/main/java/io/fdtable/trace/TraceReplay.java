package io.fdtable.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.CloseRange;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.kernel.ProcessTree;
import io.fdtable.kernel.SyscallException;
import io.fdtable.kernel.Sysctl;
import io.fdtable.kernel.Task;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallInterpreter;
import io.fdtable.syscall.SyscallResult;
import io.fdtable.trace.TraceReport.Divergence;
import io.fdtable.trace.TraceReport.DivergenceKind;
import org.jspecify.annotations.Nullable;

/**
 * Does again, on the kernel model, what the processes of a log did, and compares each
 * answer with the log's.
 *
 * <p>
 * Every process of the log becomes a process of one tree, which has settings of its own,
 * so that a log can neither exhaust the service nor touch its sessions. Replaying the
 * same log twice gives the same tables.
 */
final class TraceReplay {

	/*
	 * When the log and the model differ, four explanations come before "divergence".
	 *
	 * 1. The number was open before the log began. Such descriptors are in no line. If
	 * Linux passes over a number, or works on one, whose state no line has told yet, it
	 * must have been open from the start. A first replay collects these numbers, and
	 * drops those that a later line refutes; the second starts with them open.
	 *
	 * 2. The table was copied by a fork while another thread was changing it. What that
	 * thread changed between the line that began the fork and the one that ended it may
	 * or may not be in the copy; the copy learns from its first use.
	 *
	 * 3. Calls of threads that overlap may have happened in any order. For a table that
	 * is shared the OverlapJudge keeps all orders in mind and says whether one explains
	 * the answer. The model does each call at its end, on the number that the log has,
	 * except that a call which may block reserves its number at once.
	 *
	 * 4. The soft limit is not known until the log tells it, and is learnt from the first
	 * EMFILE.
	 *
	 * After a divergence the model is changed to what the log says: a number that should
	 * be free is given a file of unknown origin, one that should be open is closed.
	 * Further differences that the same untraced call explains, because the numbers in
	 * question have not changed since, count as the same divergence.
	 */

	/**
	 * As wide as Linux lets tables get by default: what a log may make the model grow to.
	 */
	static final int NR_OPEN = Sysctl.DEFAULT_NR_OPEN;

	/** Threads at any one time; lines of further ones are passed over. */
	static final int MAX_THREADS = 8192;

	private static final long MAX_FILES = 4_000_000;

	/**
	 * For tables and open files, in bytes; what is known beside them takes thrice as
	 * much.
	 */
	private static final long MAX_MEMORY = Runtime.getRuntime().maxMemory() / 16;

	/** How many numbers in a row may turn out to have been open from the start. */
	private static final int MAX_GAP = 1 << 16;

	/** How many numbers one divergence may fill, so that a line cannot cost a second. */
	private static final int MAX_FILL = 256;

	private static final int MAX_DIVERGENCES = 100_000;

	private final EventLog.Reader events;

	private final EventLog.Reader ends;

	private final Allocator allocator;

	private final InitialDescriptors initial;

	private final ReplayListener listener;

	private final ProcessTree tree = new ProcessTree(new Sysctl(NR_OPEN, MAX_FILES, MAX_THREADS, MAX_MEMORY));

	private final SyscallInterpreter interpreter = new SyscallInterpreter();

	private final Map<Integer, TracedProcess> live = new HashMap<>();

	/** Calls under way whose reserved number had to go to another call. */
	private final List<CallUnderWay> dropped = new ArrayList<>();

	/** Forks that are under way and whose child the log does not name. */
	private final Set<CallUnderWay> unansweredForks = new LinkedHashSet<>();

	private int roots;

	private int divergences;

	private int open;

	TraceReplay(EventLog log, Allocator allocator, InitialDescriptors initial, ReplayListener listener) {
		this.events = log.reader();
		this.ends = log.reader();
		this.allocator = allocator;
		this.initial = initial;
		this.listener = listener;
	}

	/** Returns how many descriptors all processes have open. */
	int open() {
		return this.open;
	}

	@Nullable TracedProcess find(int pid) {
		return this.live.get(pid);
	}

	Iterable<TracedProcess> processes() {
		return this.live.values();
	}

	private final Call event = new Call();

	/** Whether {@link #event} holds an event that has been read and not been replayed. */
	private boolean isWaiting;

	/**
	 * Replays up to a line, that one included.
	 * @return false when the log is at its end
	 */
	boolean run(long untilLine) throws IOException {
		while (this.isWaiting || this.events.next(this.event)) {
			this.isWaiting = this.event.line > untilLine;
			if (this.isWaiting) {
				return true;
			}
			replay(this.event);
		}
		return false;
	}

	/** Ends every process that is still alive, at the end of the log. */
	void finish() {
		for (TracedProcess process : new ArrayList<>(this.live.values())) {
			end(process, 0);
		}
	}

	private void replay(Call call) throws IOException {
		TracedProcess process = process(call);
		if (process == null) {
			return;
		}
		switch (call.phase) {
			case START -> began(process, call);
			case END -> ended(process, call);
			case COMPLETE -> complete(process, call);
		}
		reserveAgain(process);
		if (!process.hasEnded) {
			this.listener.after(process, call);
		}
	}

	/** Gives calls under way a number again that had to do without for a moment. */
	private void reserveAgain(TracedProcess process) {
		if (process.table.isJudgeWrong) {
			process.table.isJudgeWrong = false;
			if (process.table.judge != null) {
				process.table.judge.reset();
			}
		}
		if (!this.dropped.isEmpty()) {
			for (CallUnderWay underWay : this.dropped) {
				if (underWay.process.underWay == underWay) {
					reserve(underWay);
				}
			}
			this.dropped.clear();
		}
	}

	// Processes

	private @Nullable TracedProcess process(Call call) {
		TracedProcess process = this.live.get(call.pid);
		if (process != null || call.op == Op.ENDED || call.op == Op.SUPERSEDED || call.phase == Call.Phase.END) {
			return process;
		}
		return newcomer(call);
	}

	/**
	 * A thread whose making the log does not show. If a fork of one process, and one
	 * only, has no answer in the log, it is that one's child.
	 */
	private @Nullable TracedProcess newcomer(Call call) {
		CallUnderWay fork = (this.unansweredForks.size() == 1) ? this.unansweredForks.iterator().next() : null;
		if (fork != null) {
			fork.isApplied = true;
			this.unansweredForks.remove(fork);
			return fork(fork.process, fork.call, call.pid, call.line);
		}
		return root(call);
	}

	private @Nullable TracedProcess root(Call call) {
		if (this.live.size() >= MAX_THREADS) {
			this.listener.capped("threads alive at once: " + MAX_THREADS);
			return null;
		}
		Task task;
		try {
			task = this.tree.init(NR_OPEN, NR_OPEN, false, this.allocator);
		}
		catch (SyscallException ex) {
			this.listener.capped("memory of the tables: " + ex.errno());
			return null;
		}
		int root = this.roots++;
		TracedProcess process = new TracedProcess(call.pid, null, null, task, new TracedTable(task.files(), root),
				call.line);
		this.live.put(call.pid, process);
		this.initial.root(root, call.pid);
		BitSet fds = this.initial.of(root);
		for (int fd = fds.nextSetBit(0); fd >= 0; fd = fds.nextSetBit(fd + 1)) {
			place(process, fd, this.initial.isCloseOnExec(root, fd), TracedTable.INITIAL);
		}
		this.listener.began(process, null);
		return process;
	}

	private @Nullable TracedProcess fork(TracedProcess parent, Call call, int pid, long line) {
		boolean share = (call.arg & CloneArguments.CLONE_FILES) != 0;
		SyscallResult result = interpret(parent, new Syscall.Fork(share, null));
		Task task = (result instanceof SyscallResult.Forked forked) ? this.tree.find(forked.pid()) : null;
		if (task == null) {
			this.listener.capped("threads alive at once: " + MAX_THREADS);
			return null;
		}
		TracedProcess former = this.live.get(pid);
		if (former != null) {
			end(former, line);
		}
		TracedTable table = share ? parent.table : parent.table.copy(task.files());
		if (share) {
			table.sharers++;
			if (table.judge == null) {
				table.judge = new OverlapJudge(table);
			}
		}
		else {
			this.open += table.open;
		}
		boolean isThread = (call.arg & CloneArguments.CLONE_THREAD) != 0;
		TracedProcess child = new TracedProcess(pid, parent, isThread ? parent.leader : null, task, table, line);
		if (isThread) {
			child.leader.threadCount++;
		}
		this.live.put(pid, child);
		this.listener.began(child, call);
		return child;
	}

	private void end(TracedProcess process, long line) {
		if (process.hasEnded) {
			return;
		}
		this.listener.ending(process, line);
		process.hasEnded = true;
		CallUnderWay underWay = process.underWay;
		if (underWay != null) {
			withdraw(underWay);
		}
		interpret(process, new Syscall.Exit());
		process.leader.threads.remove(process);
		this.live.remove(process.pid, process);
		process.table.sharers--;
		if (process.table.sharers == 0) {
			this.open -= process.table.open;
		}
		else if (process.table.sharers == 1) {
			process.table.judge = null;
		}
	}

	private void endGroup(TracedProcess process, long line) {
		// The leader last: what it has open then is what the process has.
		for (TracedProcess thread : new ArrayList<>(process.leader.threads)) {
			if (!thread.isLeader()) {
				end(thread, line);
			}
		}
		end(process.leader, line);
	}

	/** An exec in another thread takes over the number of the first one. */
	private void superseded(TracedProcess leader, Call call) {
		TracedProcess other = this.live.get((int) call.arg);
		if (other == null || other == leader) {
			return;
		}
		interpret(leader, new Syscall.Exit());
		leader.table.sharers--;
		leader.task = other.task;
		leader.table = other.table;
		CallUnderWay underWay = other.underWay;
		leader.underWay = underWay;
		other.hasEnded = true;
		leader.threads.remove(other);
		this.live.remove(other.pid, other);
	}

	private SyscallResult interpret(TracedProcess process, Syscall call) {
		return this.interpreter.interpret(process.task, call);
	}

	// Calls in two parts

	private void began(TracedProcess process, Call call) throws IOException {
		if (process.underWay != null) {
			withdraw(process.underWay);
		}
		Call whole = new Call();
		this.ends.read((call.other != 0) ? call.other : call.offset, whole);
		CallUnderWay underWay = new CallUnderWay(process, whole, call.line);
		process.underWay = underWay;
		process.table.underWay.add(underWay);
		if (whole.op == Op.FORK && !whole.returned) {
			this.unansweredForks.add(underWay);
		}
		else if (whole.op == Op.FORK && whole.succeeded()) {
			underWay.isApplied = true;
			TracedProcess child = fork(process, whole, (int) whole.ret, call.line);
			if (child != null && child.table != process.table) {
				underWay.copy = child.table;
			}
		}
		else if (whole.op == Op.OPEN && !whole.failedWith("EMFILE") && !whole.failedWith("EBADF")) {
			reserve(underWay);
		}
	}

	/**
	 * Reserves the number that a call will hold while it blocks, if it can be that one.
	 */
	private void reserve(CallUnderWay underWay) {
		TracedProcess process = underWay.process;
		int actual = underWay.isCertain() ? (int) underWay.call.ret : CallUnderWay.NONE;
		for (int i = 0; i <= MAX_GAP; i++) {
			int fd = lowest(process, 0, underWay.call.closeOnExec);
			if (fd < 0 || fd == actual || actual == CallUnderWay.NONE) {
				underWay.reserved = fd;
				return;
			}
			release(process, fd);
			if (fd > actual || !wasHidden(process, fd, actual)) {
				return;
			}
		}
	}

	private int lowest(TracedProcess process, int from, boolean closeOnExec) {
		SyscallResult result = interpret(process, new Syscall.Reserve(from, closeOnExec));
		if (result.errno() == Errno.ENOMEM) {
			lose(process);
		}
		return (result.errno() == null) ? (int) result.ret() : CallUnderWay.NONE;
	}

	private boolean install(TracedProcess process, int fd, String label) {
		SyscallResult result = interpret(process, new Syscall.Install(fd, 0, null, FileKind.OPAQUE, 0, label));
		if (result.errno() != null) {
			release(process, fd);
		}
		return result.errno() == null;
	}

	private void release(TracedProcess process, int fd) {
		interpret(process, new Syscall.Release(fd, 0));
	}

	/** Ends a call without its doing anything. */
	private void withdraw(CallUnderWay underWay) {
		if (underWay.reserved >= 0) {
			release(underWay.process, underWay.reserved);
			underWay.reserved = CallUnderWay.NONE;
		}
		this.unansweredForks.remove(underWay);
		underWay.table.underWay.remove(underWay);
		underWay.process.underWay = null;
		if (underWay.copy != null) {
			for (CallUnderWay other : underWay.table.underWay) {
				markUncertain(underWay.copy, other.call);
			}
		}
		if (underWay.table.judge != null) {
			underWay.table.judge.withdraw(underWay);
		}
	}

	/** What overlaps with the copying of a table may or may not be in the copy. */
	private static void markUncertain(TracedTable copy, Call call) {
		if (call.succeeded()) {
			if (call.op == Op.CLOSE) {
				copy.uncertain.set(Math.max(call.fd, 0));
			}
			else if (call.op.makesOne()) {
				copy.uncertain.set((int) Math.max(call.ret, 0));
			}
			for (int i = 0; i < call.fdCount && call.op == Op.PAIR; i++) {
				copy.uncertain.set(Math.max(call.fds[i], 0));
			}
		}
	}

	private void ended(TracedProcess process, Call call) {
		CallUnderWay underWay = process.underWay;
		if (underWay == null) {
			complete(process, call);
			return;
		}
		judge(process, underWay, call);
		int reserved = underWay.reserved;
		boolean isApplied = underWay.isApplied;
		if (reserved >= 0 && call.succeeded() && call.ret == reserved) {
			underWay.reserved = CallUnderWay.NONE;
			withdraw(underWay);
			process.leader.calls++;
			checkSource(process, call);
			if (install(process, reserved, label(call))) {
				made(process, reserved, call);
			}
			else {
				lose(process);
			}
			return;
		}
		withdraw(underWay);
		if (!isApplied) {
			carryOut(process, call);
		}
		else if (call.op == Op.FORK) {
			process.leader.calls++;
			pidfd(process, call);
		}
	}

	// Whole calls

	private void complete(TracedProcess process, Call call) {
		judge(process, null, call);
		carryOut(process, call);
	}

	private void carryOut(TracedProcess process, Call call) {
		process.leader.calls++;
		if (process.leader.isLost && call.op != Op.EXIT_GROUP && call.op != Op.EXIT && call.op != Op.ENDED) {
			return;
		}
		switch (call.op) {
			case OPEN, ALLOC, DUP, DUP_FROM, PAIR, RECEIVE -> make(process, call);
			case DUP2, DUP3 -> dup2(process, call);
			case CLOSE -> close(process, call);
			case CLOSE_RANGE -> closeRange(process, call);
			case GET_CLOEXEC, SET_CLOEXEC -> closeOnExec(process, call);
			case USE, ADDRESS -> use(process, call);
			case FORK -> {
				if (call.succeeded()) {
					fork(process, call, (int) call.ret, call.line);
					pidfd(process, call);
				}
			}
			case EXEC -> {
				if (call.succeeded()) {
					exec(process, call);
				}
			}
			case EXIT, ENDED -> {
				if (process.isLeader() && call.op == Op.EXIT && process.threads.size() > 1) {
					// The process goes on without its first thread.
					break;
				}
				end(process, call.line);
			}
			case EXIT_GROUP -> endGroup(process, call.line);
			case UNSHARE -> {
				if (call.succeeded() && call.arg != 0) {
					interpret(process, new Syscall.Unshare());
					followTable(process);
				}
			}
			case LIMIT -> limit(process, call);
			case SUPERSEDED -> superseded(process, call);
		}
	}

	private void pidfd(TracedProcess process, Call call) {
		if ((call.arg & CloneArguments.CLONE_PIDFD) != 0 && call.fdCount > 0) {
			call.closeOnExec = true;
			call.op = Op.ALLOC;
			settle(process, call, call.fds[0]);
			call.op = Op.FORK;
		}
	}

	private void exec(TracedProcess process, Call call) {
		for (TracedProcess thread : new ArrayList<>(process.leader.threads)) {
			if (thread != process && !thread.isLeader()) {
				end(thread, call.line);
			}
		}
		this.listener.executing(process, call);
		SyscallResult result = interpret(process, new Syscall.Execve());
		if (result instanceof SyscallResult.Executed executed) {
			followTable(process);
			for (int fd : executed.closed()) {
				closed(process, fd, call.offset);
			}
		}
		process.leader.program = call.offset;
		this.listener.executed(process, call);
	}

	/** Splits what is known of a table when the model has made it private. */
	private void followTable(TracedProcess process) {
		TracedTable old = process.table;
		if (process.task.hasExited() || process.task.files() == old.files) {
			return;
		}
		process.table = old.copy(process.task.files());
		old.sharers--;
		if (old.sharers == 1) {
			old.judge = null;
		}
		this.open += process.table.open;
	}

	private void limit(TracedProcess process, Call call) {
		if (!call.succeeded()) {
			return;
		}
		for (TracedProcess thread : process.leader.threads) {
			setLimit(thread, call.arg);
		}
	}

	private void setLimit(TracedProcess process, long soft) {
		// The hard limit of the log decides nothing that the log does not show.
		interpret(process, new Syscall.Prlimit(Math.min(soft, NR_OPEN), NR_OPEN));
		process.isLimitKnown = true;
	}

	// Making descriptors

	private void make(TracedProcess process, Call call) {
		if (!call.succeeded()) {
			failedToMake(process, call);
			return;
		}
		checkSource(process, call);
		if (call.op == Op.PAIR) {
			for (int i = 0; i < 2; i++) {
				settle(process, call, (i < call.fdCount) ? call.fds[i] : Call.NONE);
			}
		}
		else if (call.op == Op.RECEIVE) {
			for (int i = 0; i < Math.max(call.fdCount, call.fdTotal); i++) {
				settle(process, call, (i < call.fdCount) ? call.fds[i] : Call.NONE);
			}
		}
		else {
			settle(process, call, (int) call.ret);
		}
	}

	private void checkSource(TracedProcess process, Call call) {
		if (call.fd >= 0 && call.type.fdArg() >= 0) {
			require(process, call, call.fd, true);
			this.listener.used(process, call.fd, call);
		}
	}

	private void failedToMake(TracedProcess process, Call call) {
		if (call.failedWith("EBADF") && call.fd != Call.NONE) {
			notOpen(process, call);
		}
		else if (call.failedWith("EMFILE")) {
			int fd = attempt(process, call);
			if (fd >= 0) {
				undo(process, fd);
				if (process.isLimitKnown) {
					diverge(process, call, DivergenceKind.LIMIT, fd, Integer.toString(fd), "EMFILE");
				}
				for (TracedProcess thread : process.leader.threads) {
					setLimit(thread, fd);
				}
			}
		}
		// Any other error is the world's: the number was reserved and given back.
	}

	/**
	 * Makes a descriptor on the model and compares it with the log.
	 * @param actual the number in the log, or NONE if it is not there
	 */
	private void settle(TracedProcess process, Call call, int actual) {
		if (process.table.judge != null) {
			follow(process, call, actual);
			return;
		}
		for (int i = 0; i <= MAX_GAP; i++) {
			int expected = attempt(process, call);
			if (expected == actual || (actual < 0 && expected >= 0)) {
				made(process, expected, call);
				return;
			}
			undo(process, expected);
			if (expected >= 0 && expected < actual && wasHidden(process, expected, actual)) {
				continue;
			}
			if (expected > actual && wasGone(process, actual)) {
				continue;
			}
			if (!process.leader.isLost) {
				force(process, call, expected, actual);
			}
			return;
		}
	}

	/** Does what the call does and returns the descriptor, or NONE if there was none. */
	private int attempt(TracedProcess process, Call call) {
		SyscallResult result = interpret(process, switch (call.op) {
			case DUP -> new Syscall.Dup(call.fd);
			case DUP_FROM ->
				new Syscall.Fcntl(call.fd, call.closeOnExec ? Fcntl.F_DUPFD_CLOEXEC : Fcntl.F_DUPFD, call.arg);
			default -> new Syscall.Open(null, FileKind.OPAQUE, call.closeOnExec ? OpenFlags.O_CLOEXEC : 0, label(call));
		});
		if (result.errno() == Errno.ENOMEM || result.errno() == Errno.ENFILE) {
			lose(process);
		}
		return (result.errno() == null) ? (int) result.ret() : CallUnderWay.NONE;
	}

	/** Gives a process up whose table has become too large to follow. */
	private void lose(TracedProcess process) {
		process.leader.isLost = true;
		this.listener
			.capped("memory of the tables: " + MAX_MEMORY + " bytes; some processes are not followed to their end");
	}

	private void undo(TracedProcess process, int fd) {
		if (fd >= 0) {
			interpret(process, new Syscall.Close(fd));
		}
	}

	/** The file's own note tells where it was opened; dup, fork and exec keep it. */
	private static String label(Call call) {
		return Long.toString(call.offset);
	}

	private void made(TracedProcess process, int fd, Call call) {
		int before = process.table.open;
		process.table.setMade(fd, call.offset);
		this.open += process.table.open - before;
		this.listener.made(process, fd, call);
	}

	private void closed(TracedProcess process, int fd, long offset) {
		int before = process.table.open;
		process.table.setClosed(fd, offset);
		this.open += process.table.open - before;
	}

	/** Opens a number without a call, because the log says that it is open. */
	private boolean place(TracedProcess process, int fd, boolean closeOnExec, long origin) {
		int reserved = lowest(process, fd, closeOnExec);
		if (reserved != fd) {
			if (reserved >= 0) {
				release(process, reserved);
			}
			return false;
		}
		if (!install(process, fd, Long.toString(origin))) {
			return false;
		}
		int before = process.table.open;
		process.table.setMade(fd, origin);
		this.open += process.table.open - before;
		return true;
	}

	/** Tells whether Linux passed over a number for a reason that is no divergence. */
	private boolean wasHidden(TracedProcess process, int fd, int actual) {
		TracedTable table = process.table;
		if (table.uncertain.get(fd)) {
			return place(process, fd, false, TracedTable.UNTRACED);
		}
		return !table.known.get(fd) && actual - fd < MAX_GAP && this.initial.add(table.root, fd, this.event.line)
				&& place(process, fd, false, TracedTable.INITIAL);
	}

	/** Tells whether a number that the model holds was free for a reason that is none. */
	private boolean wasGone(TracedProcess process, int fd) {
		TracedTable table = process.table;
		boolean isRefuted = table.made(fd) == TracedTable.INITIAL && this.initial.refute(table.root, fd);
		if ((isRefuted || table.uncertain.get(fd)) && table.isOpen(fd)) {
			interpret(process, new Syscall.Close(fd));
			closed(process, fd, 0);
			return true;
		}
		return false;
	}

	/** Brings the model in line with a number that it does not expect. */
	private void force(TracedProcess process, Call call, int expected, int actual) {
		if (expected < 0) {
			diverge(process, call, DivergenceKind.LIMIT, actual, "EMFILE", Integer.toString(actual));
			setLimit(process, NR_OPEN);
		}
		else if (expected < actual) {
			diverge(process, call, DivergenceKind.OPEN_IN_LOG, expected, Integer.toString(expected),
					Integer.toString(actual));
			int from = (call.op == Op.DUP_FROM) ? (int) call.arg : 0;
			for (int i = 0; i < MAX_FILL; i++) {
				int fd = lowest(process, from, false);
				if (fd >= 0) {
					release(process, fd);
				}
				if (fd < 0 || fd >= actual || !place(process, fd, false, TracedTable.UNTRACED)) {
					break;
				}
			}
		}
		else {
			diverge(process, call, DivergenceKind.FREE_IN_LOG, actual, Integer.toString(expected),
					Integer.toString(actual));
			interpret(process, new Syscall.Close(actual));
			closed(process, actual, 0);
		}
		int fd = attempt(process, call);
		if (fd != actual) {
			undo(process, fd);
			if (!place(process, actual, call.closeOnExec, call.offset)) {
				lose(process);
				return;
			}
		}
		made(process, actual, call);
	}

	private void dup2(TracedProcess process, Call call) {
		int target = (int) call.arg;
		if (!call.succeeded()) {
			if (call.failedWith("EBADF") && !process.isLimitKnown && process.table.isOpen(call.fd)) {
				// The target may be beyond a limit that the log has not shown.
				return;
			}
			if (call.failedWith("EBADF") && target >= 0 && target < process.task.nofile().soft()) {
				notOpen(process, call);
			}
			return;
		}
		checkSource(process, call);
		if (call.fd == target) {
			return;
		}
		boolean replaces = process.table.made(target) != 0;
		if (replaces) {
			this.listener.closing(process, target, call);
		}
		SyscallResult result = interpret(process, (call.op == Op.DUP2) ? new Syscall.Dup2(call.fd, target)
				: new Syscall.Dup3(call.fd, target, call.closeOnExec ? OpenFlags.O_CLOEXEC : 0));
		if (result.errno() == null) {
			made(process, target, call);
			return;
		}
		if (result.errno() == Errno.EBUSY) {
			// A call under way holds the number in the model; the log knows better.
			for (CallUnderWay other : List.copyOf(process.table.underWay)) {
				if (other.reserved == target) {
					release(other.process, target);
					other.reserved = CallUnderWay.NONE;
				}
			}
		}
		else if (result.errno() == Errno.ENOMEM || target >= NR_OPEN) {
			lose(process);
			return;
		}
		else {
			diverge(process, call, DivergenceKind.LIMIT, target, String.valueOf(result.errno()),
					Integer.toString(target));
			setLimit(process, NR_OPEN);
		}
		if (interpret(process, new Syscall.Dup2(call.fd, target)).errno() == null) {
			made(process, target, call);
		}
		else {
			lose(process);
		}
	}

	// Descriptors that exist

	private void close(TracedProcess process, Call call) {
		if (call.failedWith("EBADF")) {
			notOpen(process, call);
			return;
		}
		if (!call.returned || call.fd < 0) {
			return;
		}
		// Linux frees the number even if close reports an error.
		require(process, call, call.fd, true);
		this.listener.closing(process, call.fd, call);
		interpret(process, new Syscall.Close(call.fd));
		closed(process, call.fd, call.offset);
	}

	private void closeRange(TracedProcess process, Call call) {
		if (!call.succeeded()) {
			return;
		}
		long first = call.fd & 0xFFFF_FFFFL;
		long last = call.arg & 0xFFFF_FFFFL;
		boolean unshare = call.fdCount > 0;
		int flags = (unshare ? CloseRange.CLOSE_RANGE_UNSHARE : 0)
				| (call.closeOnExec ? CloseRange.CLOSE_RANGE_CLOEXEC : 0);
		if (unshare) {
			interpret(process, new Syscall.Unshare());
			followTable(process);
		}
		if (!call.closeOnExec) {
			for (FdEntry entry : process.table.files.entries((int) Math.min(first, NR_OPEN), NR_OPEN)) {
				if (entry.fd() <= last && !entry.isReserved()) {
					this.listener.closing(process, entry.fd(), call);
					closed(process, entry.fd(), call.offset);
				}
			}
			// What no line has told yet is known to be free now.
			process.table.known.set((int) Math.min(first, NR_OPEN), (int) Math.min(last + 1, NR_OPEN));
		}
		interpret(process, new Syscall.CloseRange((int) first, (int) last, flags));
	}

	private void closeOnExec(TracedProcess process, Call call) {
		if (call.failedWith("EBADF")) {
			notOpen(process, call);
			return;
		}
		if (!call.succeeded() || call.fd < 0) {
			return;
		}
		require(process, call, call.fd, true);
		boolean wanted = (call.op == Op.SET_CLOEXEC) ? call.closeOnExec : (call.ret & Fcntl.FD_CLOEXEC) != 0;
		boolean had = interpret(process, new Syscall.Fcntl(call.fd, Fcntl.F_GETFD, 0)).ret() == 1;
		if (call.op == Op.GET_CLOEXEC && had != wanted) {
			long made = process.table.made(call.fd);
			if (made == TracedTable.INITIAL && !had) {
				this.initial.setCloseOnExec(process.table.root, call.fd);
			}
			else if (made >= 0) {
				diverge(process, call, DivergenceKind.CLOSE_ON_EXEC, call.fd, Boolean.toString(had),
						Boolean.toString(wanted));
			}
		}
		interpret(process, new Syscall.Fcntl(call.fd, Fcntl.F_SETFD, wanted ? Fcntl.FD_CLOEXEC : 0));
		if (had && !wanted) {
			process.table.setCleared(call.fd, call.offset);
		}
		else if (wanted) {
			process.table.setCleared(call.fd, 0);
		}
	}

	private void use(TracedProcess process, Call call) {
		if (call.fd < 0) {
			return;
		}
		if (call.failedWith("EBADF")) {
			// A file opened for reading only answers EBADF to a write, too.
			if (!process.table.isOpen(call.fd)) {
				notOpen(process, call);
			}
		}
		else if (call.succeeded()) {
			require(process, call, call.fd, true);
			this.listener.used(process, call.fd, call);
		}
		else if (call.returned && provesOpen(call.errno)) {
			require(process, call, call.fd, true);
			if (!call.failedWith("ENOTTY")) {
				this.listener.used(process, call.fd, call);
			}
		}
		if (call.op == Op.ADDRESS && call.textLength > 0 && (call.succeeded() || call.failedWith("EINPROGRESS"))) {
			process.table.setNamed(call.fd, call.offset);
		}
	}

	/** Tells whether Linux gives the error only after it has found the file. */
	private static boolean provesOpen(@Nullable String errno) {
		return errno != null && switch (errno) {
			case "ENOTTY", "ESPIPE", "EAGAIN", "ENOTSOCK", "EPIPE", "ENOTCONN", "ECONNREFUSED", "EINPROGRESS",
					"ECONNRESET", "EISDIR" ->
				true;
			default -> false;
		};
	}

	private void notOpen(TracedProcess process, Call call) {
		if (call.fd < 0) {
			return;
		}
		this.listener.notOpen(process, call.fd, call);
		require(process, call, call.fd, false);
		process.table.known.set(call.fd);
	}

	/** Makes sure that a number is open, or free, as the log says. */
	private void require(TracedProcess process, Call call, int fd, boolean isOpen) {
		TracedTable table = process.table;
		if (table.isOpen(fd) == isOpen || fd >= NR_OPEN) {
			return;
		}
		if (table.judge != null) {
			bring(process, fd, isOpen);
			return;
		}
		if (isOpen ? wasHidden(process, fd, fd + 1) : wasGone(process, fd)) {
			return;
		}
		if (isOpen) {
			diverge(process, call, DivergenceKind.OPEN_IN_LOG, fd, "EBADF", "open");
			place(process, fd, false, TracedTable.UNTRACED);
		}
		else {
			diverge(process, call, DivergenceKind.FREE_IN_LOG, fd, "open", "EBADF");
			interpret(process, new Syscall.Close(fd));
			closed(process, fd, 0);
		}
	}

	// Calls that overlap

	/** Lets the judge of a shared table decide, and brings it in line if it must. */
	private void judge(TracedProcess process, @Nullable CallUnderWay underWay, Call call) {
		TracedTable table = process.table;
		if (table.judge == null || process.leader.isLost) {
			return;
		}
		for (int i = 0; i <= MAX_GAP; i++) {
			if (table.judge.end(underWay, call)) {
				return;
			}
			if (!adjust(process, table.judge, call)) {
				break;
			}
		}
		condemn(process, table.judge, call);
		table.isJudgeWrong = true;
	}

	/**
	 * Finds a reason for an answer that is no divergence and that the judge cannot know.
	 */
	private boolean adjust(TracedProcess process, OverlapJudge judge, Call call) {
		if (!makesNumbers(call)) {
			boolean isOpen = !call.failedWith("EBADF");
			boolean found = judge.isTaken(call.fd) != isOpen
					&& (isOpen ? wasHidden(process, call.fd, call.fd + 1) : wasGone(process, call.fd));
			if (found) {
				judge.set(call.fd, isOpen);
			}
			return found;
		}
		int from = (call.op == Op.DUP_FROM) ? (int) call.arg : 0;
		int highest = (int) call.ret;
		for (int i = 0; i < call.fdCount; i++) {
			highest = Math.max(highest, call.fds[i]);
		}
		for (int fd = judge.lowestFree(from); fd < highest; fd++) {
			if (!process.table.known.get(fd) && !isComing(process.table, fd) && wasHidden(process, fd, highest)) {
				judge.set(fd, true);
				return true;
			}
		}
		if (judge.isTaken(highest) && wasGone(process, highest)) {
			judge.set(highest, false);
			return true;
		}
		return false;
	}

	/** Tells whether a call under way will turn out to have got the number. */
	private static boolean isComing(TracedTable table, int fd) {
		for (CallUnderWay other : table.underWay) {
			if (other.isCertain() && concerns(other.call, fd, true)) {
				return true;
			}
		}
		return false;
	}

	private static boolean makesNumbers(Call call) {
		return call.op.makesOne() || call.op == Op.PAIR || call.op == Op.RECEIVE || call.op == Op.FORK;
	}

	private void condemn(TracedProcess process, OverlapJudge judge, Call call) {
		if (!makesNumbers(call)) {
			boolean isOpen = !call.failedWith("EBADF");
			diverge(process, call, isOpen ? DivergenceKind.OPEN_IN_LOG : DivergenceKind.FREE_IN_LOG, call.fd,
					isOpen ? "EBADF" : "open", isOpen ? "open" : "EBADF");
			return;
		}
		int actual = (call.fdCount > 0) ? call.fds[0] : (int) call.ret;
		int expected = judge.lowestFree((call.op == Op.DUP_FROM) ? (int) call.arg : 0);
		if (expected < actual) {
			diverge(process, call, DivergenceKind.OPEN_IN_LOG, expected, Integer.toString(expected),
					Integer.toString(actual));
			place(process, expected, false, TracedTable.UNTRACED);
		}
		else {
			diverge(process, call, DivergenceKind.FREE_IN_LOG, actual, Integer.toString(expected),
					Integer.toString(actual));
		}
	}

	/** Makes the descriptor that the judge has found explained, or has condemned. */
	private void follow(TracedProcess process, Call call, int actual) {
		int fd = attempt(process, call);
		if (process.leader.isLost) {
			return;
		}
		if (fd != actual && actual >= 0) {
			undo(process, fd);
			bring(process, actual, false);
			if (call.op == Op.DUP || call.op == Op.DUP_FROM) {
				interpret(process, new Syscall.Dup2(call.fd, actual));
				interpret(process, new Syscall.Fcntl(actual, Fcntl.F_SETFD, call.closeOnExec ? Fcntl.FD_CLOEXEC : 0));
			}
			else if (!place(process, actual, call.closeOnExec, call.offset)) {
				lose(process);
				return;
			}
		}
		made(process, (actual >= 0) ? actual : fd, call);
	}

	/**
	 * Makes a number open, or free, which in another order of the calls under way it is
	 * by now.
	 */
	private void bring(TracedProcess process, int fd, boolean isOpen) {
		TracedTable table = process.table;
		for (CallUnderWay other : List.copyOf(table.underWay)) {
			if (!isOpen && other.reserved == fd) {
				drop(other);
			}
			else if (other.process != process && !other.isApplied && other.isCertain() && other.reserved < 0
					&& concerns(other.call, fd, isOpen)) {
				other.isApplied = true;
				carryOut(other.process, other.call);
			}
		}
		if (isOpen && !table.isOpen(fd)) {
			place(process, fd, false, TracedTable.UNTRACED);
		}
		else if (!isOpen && table.isOpen(fd)) {
			interpret(process, new Syscall.Close(fd));
			closed(process, fd, 0);
		}
	}

	private static boolean concerns(Call call, int fd, boolean isOpen) {
		if (!isOpen) {
			return call.op == Op.CLOSE && call.fd == fd;
		}
		boolean isOneOf = call.op.makesOne() && call.ret == fd;
		for (int i = 0; i < call.fdCount && call.op == Op.PAIR; i++) {
			isOneOf |= call.fds[i] == fd;
		}
		return isOneOf || ((call.op == Op.DUP2 || call.op == Op.DUP3) && call.arg == fd);
	}

	/** Takes the number back from a call under way that gets it, or another, later. */
	private void drop(CallUnderWay underWay) {
		release(underWay.process, underWay.reserved);
		underWay.reserved = CallUnderWay.NONE;
		this.dropped.add(underWay);
	}

	// Divergences

	private void diverge(TracedProcess process, Call call, DivergenceKind kind, int fd, String expected,
			String actual) {
		if (process.leader.isLost) {
			return;
		}
		TracedTable table = process.table;
		TracedTable.LastDivergence last = table.lastDivergences.get(kind);
		long since = (kind == DivergenceKind.OPEN_IN_LOG) ? table.closed(fd) : table.made(fd);
		if (last != null && since < last.offset() && kind != DivergenceKind.CLOSE_ON_EXEC) {
			this.listener.divergedAgain(last.number(), fd);
			return;
		}
		if (this.divergences == MAX_DIVERGENCES) {
			this.listener.capped("divergences: " + MAX_DIVERGENCES);
			return;
		}
		List<String> model = around(table, fd, null);
		List<String> inLog = around(table, fd, switch (kind) {
			case OPEN_IN_LOG -> "open";
			case FREE_IN_LOG -> "free";
			case CLOSE_ON_EXEC, LIMIT -> null;
		});
		this.divergences++;
		table.lastDivergences.put(kind, new TracedTable.LastDivergence(this.divergences, call.offset));
		this.listener.diverged(new Divergence(call.line, process.pid, call.type.name(), kind, fd, expected, actual,
				model, inLog, reason(process, kind, fd), List.of(), 1));
	}

	private static List<String> around(TracedTable table, int fd, @Nullable String state) {
		List<String> slots = new ArrayList<>();
		for (int i = Math.max(0, fd - 3); i <= fd + 3; i++) {
			FdEntry entry = table.files.entry(i);
			String model = (entry == null) ? "free" : entry.isReserved() ? "reserved" : "open";
			slots.add(i + " " + ((i == fd && state != null) ? state : model));
		}
		return slots;
	}

	private static String reason(TracedProcess process, DivergenceKind kind, int fd) {
		if (kind == DivergenceKind.LIMIT) {
			return "the limit was changed outside the trace";
		}
		if (kind == DivergenceKind.CLOSE_ON_EXEC) {
			return "FD_CLOEXEC was changed by a call that is not in the log, such as ioctl or close_range";
		}
		String threads = (process.table.sharers > 1) ? ", or a thread did whose calls are not in the log" : "";
		if (kind == DivergenceKind.FREE_IN_LOG) {
			return "a call that is not in the log closed " + fd + ", such as close_range" + threads;
		}
		return (process.program == 0 && process.parent == null)
				? "the process was started with " + fd + " open, or a call that is not in the log opened it"
				: "a call that is not in the log opened " + fd + threads;
	}

}
