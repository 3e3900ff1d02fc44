package io.fdtable.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.FilesStruct;
import io.fdtable.kernel.OpenFile;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.kernel.ProcessTree;
import io.fdtable.kernel.SyscallException;
import io.fdtable.kernel.Sysctl;
import io.fdtable.kernel.Task;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallInterpreter;
import io.fdtable.syscall.SyscallResult;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts on the kernel model: on {@link SyscallInterpreter} where there is a
 * {@link Syscall}, otherwise on {@link Task}.
 */
final class ModelSystem implements DescriptorSystem {

	/** The strategies that promise what Linux does: always the lowest free number. */
	static final List<Allocator> LOWEST_FIRST = Arrays.stream(Allocator.values())
		.filter(Allocator::isLowestFirst)
		.toList();

	private static final List<String> PATHS = List.of("/dev/null", "/", "/regular");

	private static final List<FileKind> KINDS = List.of(FileKind.DEVICE, FileKind.DIRECTORY, FileKind.REGULAR,
			FileKind.SOCKET, FileKind.EVENTFD);

	/** More slots than a call with {@link Op#needsRoom} takes on the kernel's side. */
	private static final int ROOM = 12;

	private final Allocator allocator;

	private final int nrOpen;

	ModelSystem(Allocator allocator, int nrOpen) {
		this.allocator = allocator;
		this.nrOpen = nrOpen;
	}

	@Override
	public List<Answer> run(Script script) {
		Run run = start(script.soft(), script.hard());
		return script.calls().stream().map(run::call).toList();
	}

	/** Returns the script without the calls that nobody can make. */
	Script possible(Script script) {
		Run run = start(script.soft(), script.hard());
		List<Call> possible = new ArrayList<>();
		for (Call call : script.calls()) {
			if (run.isPossible(call)) {
				run.call(call);
				possible.add(call);
			}
		}
		return script.with(possible);
	}

	Run start(int soft, int hard) {
		return new Run(soft, hard);
	}

	/** One run of a script, call by call. */
	final class Run {

		private final SyscallInterpreter interpreter = new SyscallInterpreter();

		private final Sysctl sysctl;

		private final ProcessTree tree;

		private final List<@Nullable Task> tasks = new ArrayList<>();

		private final List<Integer> pids = new ArrayList<>();

		/** The number that a waiting task has reserved, or -1. */
		private final List<Integer> reserved = new ArrayList<>();

		private Run(int soft, int hard) {
			this.sysctl = new Sysctl(ModelSystem.this.nrOpen, Long.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);
			this.tree = new ProcessTree(this.sysctl);
			Task first = this.tree.init(soft, hard, true, ModelSystem.this.allocator);
			// The paths exist before the script begins.
			Task other = first.fork(false);
			other.setNofile(Math.min(hard, 16), hard);
			for (int i = 0; i < PATHS.size() && hard >= 16; i++) {
				other.open(PATHS.get(i), KINDS.get(i), OpenFlags.O_RDONLY, null);
			}
			other.exit();
			add(0, first);
		}

		private void add(int number, Task task) {
			while (this.tasks.size() <= number) {
				this.tasks.add(null);
				this.pids.add(0);
				this.reserved.add(-1);
			}
			this.tasks.set(number, task);
			this.pids.set(number, task.pid());
			this.reserved.set(number, -1);
		}

		void setNrOpen(int nrOpen) {
			this.sysctl.setNrOpen(nrOpen);
		}

		boolean isAlive(int number) {
			return number < this.tasks.size() && this.tasks.get(number) != null;
		}

		boolean isWaiting(int number) {
			return isAlive(number) && this.reserved.get(number) >= 0;
		}

		boolean isPossible(Call call) {
			boolean freeNumber = call.op() != Op.FORK || !isAlive(call.intArgument(1));
			boolean hasReceiver = call.op() != Op.SEND || isAlive(call.intArgument(0));
			boolean hasPid = call.op() != Op.GETFD || call.intArgument(0) < this.pids.size();
			return freeNumber && hasReceiver && hasPid && hasRoom(call) && isAlive(call.task())
					&& isWaiting(call.task()) == call.op().endsWaiting();
		}

		/**
		 * Tells whether the kernel's side has a slot for what the call needs there, and
		 * the call does not speak of that slot.
		 */
		private boolean hasRoom(Call call) {
			if (!call.op().needsRoom() || !isAlive(call.task())) {
				return true;
			}
			FilesStruct files = task(call.task()).files();
			int usable = Math.min(files.bitmaps().capacity(), task(call.task()).nofile().hard());
			int[] free = IntStream.range(0, usable).filter((fd) -> files.entry(fd) == null).toArray();
			if (free.length < ROOM) {
				return false;
			}
			int parked = free[free.length - 1];
			return switch (call.op()) {
				case SEND -> IntStream.of(sent(call)).noneMatch((fd) -> fd == parked);
				case GETFD -> call.intArgument(1) != parked;
				default -> true;
			};
		}

		Task task(int number) {
			Task task = this.tasks.get(number);
			if (task == null) {
				throw new IllegalArgumentException("no task " + number);
			}
			return task;
		}

		Answer call(Call call) {
			Task task = task(call.task());
			String text;
			try {
				text = answer(task, call);
			}
			catch (SyscallException ex) {
				text = ex.errno().name();
			}
			catch (RuntimeException ex) {
				// No answer of any kernel, so that it is shrunk like every difference.
				text = ex.toString();
			}
			if (task.hasExited()) {
				this.tasks.set(call.task(), null);
				return new Answer(text, 0);
			}
			return new Answer(text, task.files().statistics().capacity());
		}

		private String answer(Task task, Call call) {
			return switch (call.op()) {
				case RESERVE -> {
					this.reserved.set(call.task(), task.reserve(0, call.argument(0) != 0));
					yield "blocked";
				}
				case INSTALL -> {
					int fd = this.reserved.set(call.task(), -1);
					task.install(fd, 0, null, FileKind.PIPE, OpenFlags.O_RDONLY, null);
					yield descriptor(task, fd);
				}
				case RELEASE -> {
					task.release(this.reserved.set(call.task(), -1), 0);
					yield "0";
				}
				case FORK -> {
					SyscallResult result = this.interpreter.interpret(task,
							new Syscall.Fork(call.argument(0) != 0, null));
					if (result instanceof SyscallResult.Forked forked) {
						add(call.intArgument(1), Objects.requireNonNull(this.tree.find(forked.pid())));
						yield Long.toString(call.argument(1));
					}
					yield text(result);
				}
				case GETFD -> text(this.interpreter.interpret(task,
						new Syscall.PidfdGetfd(this.pids.get(call.intArgument(0)), call.intArgument(1))));
				case SEND -> text(this.interpreter.interpret(task,
						new Syscall.Sendmsg(this.pids.get(call.intArgument(0)), sent(call))));
				case DUMP -> dump(task);
				case FILL -> fill(task, call.intArgument(0), call.argument(1));
				case CLOSE_EVERY -> closeEvery(task, call);
				default -> text(this.interpreter.interpret(task, syscall(call)));
			};
		}

		private String fill(Task task, int fd, long count) {
			int done = 0;
			long last = -1;
			while (done < count) {
				SyscallResult result = this.interpreter.interpret(task, new Syscall.Dup(fd));
				Errno errno = result.errno();
				if (errno != null) {
					return done + " to " + last + " " + errno;
				}
				last = result.ret();
				done++;
			}
			return done + " to " + last;
		}

		private String closeEvery(Task task, Call call) {
			int done = 0;
			for (long fd = call.argument(0); fd <= call.argument(1); fd += call.argument(2)) {
				done += (this.interpreter.interpret(task, new Syscall.Close((int) fd)).errno() == null) ? 1 : 0;
			}
			return Integer.toString(done);
		}

	}

	private static Syscall syscall(Call call) {
		return switch (call.op()) {
			case OPEN -> {
				int kind = call.intArgument(0);
				String path = (kind < PATHS.size()) ? PATHS.get(kind) : null;
				int flags = call.intArgument(1);
				yield new Syscall.Open(path, KINDS.get(kind), (path != null) ? flags : flags & ~OpenFlags.O_ACCMODE,
						null);
			}
			case CLOSE -> new Syscall.Close(call.intArgument(0));
			case CLOSE_RANGE -> new Syscall.CloseRange(call.intArgument(0), call.intArgument(1), call.intArgument(2));
			case DUP -> new Syscall.Dup(call.intArgument(0));
			case DUP2 -> new Syscall.Dup2(call.intArgument(0), call.intArgument(1));
			case DUP3 -> new Syscall.Dup3(call.intArgument(0), call.intArgument(1), call.intArgument(2));
			case FCNTL -> new Syscall.Fcntl(call.intArgument(0), call.intArgument(1), call.argument(2));
			case UNSHARE -> new Syscall.Unshare();
			case EXEC -> new Syscall.Execve();
			case EXIT -> new Syscall.Exit();
			case PIPE -> new Syscall.Pipe2(call.intArgument(0));
			case READ -> new Syscall.Read(call.intArgument(0), call.argument(1));
			case WRITE -> new Syscall.Write(call.intArgument(0), alphabet(call.intArgument(1)));
			case LSEEK -> new Syscall.Lseek(call.intArgument(0), call.argument(1), call.intArgument(2));
			case RECEIVE -> new Syscall.Recvmsg(call.intArgument(0), call.argument(1) != 0);
			case PRLIMIT -> new Syscall.Prlimit(call.argument(0), call.argument(1));
			default -> throw new IllegalArgumentException(call.op() + " is no system call");
		};
	}

	private static int[] sent(Call call) {
		return IntStream.range(0, call.intArgument(2))
			.map((i) -> call.intArgument(1) + i * call.intArgument(3))
			.toArray();
	}

	private static byte[] alphabet(int count) {
		byte[] data = new byte[count];
		for (int i = 0; i < count; i++) {
			data[i] = (byte) ('a' + i % 26);
		}
		return data;
	}

	private static String text(SyscallResult result) {
		Errno errno = result.errno();
		if (errno != null) {
			return errno.name();
		}
		return switch (result) {
			case SyscallResult.Descriptor descriptor -> mark(descriptor.entry());
			case SyscallResult.Pipe pipe -> mark(pipe.read()) + " " + mark(pipe.write());
			case SyscallResult.Data data -> data.bytes().length + "/" + sum(data.bytes());
			case SyscallResult.Received received -> received(received);
			default -> Long.toString(result.ret());
		};
	}

	private static int sum(byte[] bytes) {
		int sum = 0;
		for (byte value : bytes) {
			sum += Byte.toUnsignedInt(value);
		}
		return sum;
	}

	private static String received(SyscallResult.Received received) {
		String fds = received.entries().stream().map(ModelSystem::mark).collect(Collectors.joining(" "));
		return (fds.isEmpty() ? "none" : fds) + (received.truncated() ? " truncated" : "");
	}

	private static String descriptor(Task task, int fd) {
		FdEntry entry = task.files().entry(fd);
		return (entry != null) ? mark(entry) : "lost";
	}

	private static String mark(FdEntry entry) {
		return entry.fd() + (entry.closeOnExec() ? "+" : "");
	}

	private static String dump(Task task) {
		task.files().checkInvariants();
		List<FdEntry> entries = task.files()
			.entries(0, Integer.MAX_VALUE)
			.stream()
			.filter((entry) -> !entry.isReserved())
			.toList();
		int[] origins = origins(entries);
		StringBuilder text = new StringBuilder();
		for (int i = 0, start = 0; i < entries.size(); i++) {
			boolean ends = i + 1 == entries.size() || entries.get(i + 1).fd() != entries.get(i).fd() + 1
					|| origins[i + 1] != origins[i] || entries.get(i + 1).closeOnExec() != entries.get(i).closeOnExec();
			if (ends) {
				text.append(text.isEmpty() ? "" : " ").append(entries.get(start).fd());
				text.append((i > start) ? "-" + entries.get(i).fd() : "");
				text.append('=').append(origins[i]).append(entries.get(i).closeOnExec() ? "+" : "");
				start = i + 1;
			}
		}
		return text.isEmpty() ? "nothing" : text.toString();
	}

	/** Returns for each descriptor the lowest one of the same open file. */
	private static int[] origins(List<FdEntry> entries) {
		Map<@Nullable OpenFile, Integer> first = new HashMap<>();
		int[] origins = new int[entries.size()];
		Arrays.setAll(origins, (i) -> {
			FdEntry entry = entries.get(i);
			return first.computeIfAbsent(entry.file(), (file) -> entry.fd());
		});
		return origins;
	}

}
