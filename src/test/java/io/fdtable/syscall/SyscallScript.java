package io.fdtable.syscall;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.ProcessTree;
import io.fdtable.kernel.Task;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs calls that were recorded on Linux and asserts that each answers what it answered
 * there. A line is {@code call(arguments) = answer}, preceded by {@code pid:} for a
 * process other than the first; {@code FDSize() = n} asserts the width of its table.
 */
final class SyscallScript {

	private static final Pattern LINE = Pattern.compile("(?:(\\d+): )?(\\w+)\\((.*)\\) = (.+)");

	private static final Map<String, Integer> CONSTANTS = Map.ofEntries(Map.entry("F_DUPFD", 0),
			Map.entry("F_GETFD", 1), Map.entry("F_SETFD", 2), Map.entry("F_GETFL", 3), Map.entry("F_SETFL", 4),
			Map.entry("F_DUPFD_QUERY", 1027), Map.entry("F_CREATED_QUERY", 1028), Map.entry("F_DUPFD_CLOEXEC", 1030),
			Map.entry("O_RDWR", 2), Map.entry("O_CREAT", 0100), Map.entry("O_EXCL", 0200), Map.entry("O_TRUNC", 01000),
			Map.entry("O_APPEND", 02000), Map.entry("O_NONBLOCK", 04000), Map.entry("O_CLOEXEC", 02000000),
			Map.entry("O_PATH", 010000000), Map.entry("CLOSE_RANGE_UNSHARE", 2), Map.entry("CLOSE_RANGE_CLOEXEC", 4));

	private final SyscallInterpreter interpreter = new SyscallInterpreter();

	private final ProcessTree tree;

	SyscallScript(ProcessTree tree) {
		this.tree = tree;
	}

	/** Runs every line, in order. */
	void run(String script) {
		script.lines().filter((line) -> !line.isBlank() && !line.startsWith("#")).forEach(this::runLine);
	}

	private void runLine(String line) {
		Matcher matcher = LINE.matcher(line.strip());
		assertThat(matcher.matches()).as(line).isTrue();
		int pid = (matcher.group(1) != null) ? Integer.parseInt(matcher.group(1)) : 1;
		Task task = this.tree.find(pid);
		assertThat(task).as(line).isNotNull();
		assertThat(answer(task, matcher.group(2), arguments(matcher.group(3)))).as(line).isEqualTo(matcher.group(4));
	}

	private String answer(Task task, String call, List<String> arguments) {
		return switch (call) {
			case "FDSize" -> Integer.toString(task.files().bitmaps().capacity());
			// Reserving a number and opening a file on it are two steps of one call.
			case "reserve" -> Integer.toString(task.reserve(0, false));
			case "install" -> {
				task.install((int) number(arguments.get(0)), 0, "/fifo", FileKind.PIPE, 0, null);
				yield "0";
			}
			default -> {
				SyscallResult result = this.interpreter.interpret(task, parse(call, arguments));
				yield (result.errno() != null) ? "-" + result.errno() : Long.toString(result.ret());
			}
		};
	}

	private static List<String> arguments(String text) {
		List<String> arguments = new ArrayList<>();
		for (String argument : text.split(",", -1)) {
			if (!argument.isBlank()) {
				arguments.add(argument.strip());
			}
		}
		return arguments;
	}

	private static Syscall parse(String call, List<String> arguments) {
		return switch (call) {
			case "open" -> new Syscall.Open(arguments.get(0), FileKind.OPAQUE, (int) number(arguments.get(1)), null);
			case "close" -> new Syscall.Close((int) number(arguments.get(0)));
			case "close_range" -> new Syscall.CloseRange((int) number(arguments.get(0)), (int) number(arguments.get(1)),
					(int) number(arguments.get(2)));
			case "dup" -> new Syscall.Dup((int) number(arguments.get(0)));
			case "dup2" -> new Syscall.Dup2((int) number(arguments.get(0)), (int) number(arguments.get(1)));
			case "dup3" -> new Syscall.Dup3((int) number(arguments.get(0)), (int) number(arguments.get(1)),
					(int) number(arguments.get(2)));
			case "fcntl" -> new Syscall.Fcntl((int) number(arguments.get(0)), (int) number(arguments.get(1)),
					(arguments.size() > 2) ? number(arguments.get(2)) : 0);
			case "fork" -> new Syscall.Fork(false, null);
			case "clone" -> new Syscall.Fork(true, null);
			case "unshare" -> new Syscall.Unshare();
			case "execve" -> new Syscall.Execve();
			case "exit" -> new Syscall.Exit();
			case "setrlimit" -> new Syscall.Prlimit(number(arguments.get(0)), number(arguments.get(1)));
			default -> throw new IllegalArgumentException(call);
		};
	}

	/** Reads a number, or names joined by {@code |}. */
	private static long number(String text) {
		long value = 0;
		for (String part : text.split("\\|", -1)) {
			value |= CONSTANTS.containsKey(part) ? CONSTANTS.get(part) : Long.decode(part);
		}
		return value;
	}

}
