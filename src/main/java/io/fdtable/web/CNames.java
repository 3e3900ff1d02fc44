package io.fdtable.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.fdtable.kernel.CloseRange;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.kernel.Seek;
import io.fdtable.web.problem.MalformedRequestException;
import org.jspecify.annotations.Nullable;

/**
 * Translates between the names that C programs use and the numbers behind them.
 *
 * <p>
 * Where a name is asked for, a number in digits ({@code "8"}, {@code "0x8"}) will do, so
 * that a client can also send what has no name.
 */
final class CNames {

	private static final Map<String, Integer> ACCESS_MODES = Map.of("O_RDONLY", OpenFlags.O_RDONLY, "O_WRONLY",
			OpenFlags.O_WRONLY, "O_RDWR", OpenFlags.O_RDWR);

	private static final Map<String, Integer> OPEN_FLAGS = union(ACCESS_MODES, OpenFlags.flagsByName());

	private static final Map<String, Integer> CLOSE_RANGE_FLAGS = Map.of("CLOSE_RANGE_UNSHARE",
			CloseRange.CLOSE_RANGE_UNSHARE, "CLOSE_RANGE_CLOEXEC", CloseRange.CLOSE_RANGE_CLOEXEC);

	private static final Map<String, Integer> WHENCES = Map.of("SEEK_SET", Seek.SEEK_SET, "SEEK_CUR", Seek.SEEK_CUR,
			"SEEK_END", Seek.SEEK_END, "SEEK_DATA", Seek.SEEK_DATA, "SEEK_HOLE", Seek.SEEK_HOLE);

	private static final Map<String, Integer> SHUTDOWN_HOWS = Map.of("SHUT_RD", 0, "SHUT_WR", 1, "SHUT_RDWR", 2);

	private static final Map<String, Integer> FCNTL_COMMANDS = Map.of("F_DUPFD", Fcntl.F_DUPFD, "F_DUPFD_CLOEXEC",
			Fcntl.F_DUPFD_CLOEXEC, "F_GETFD", Fcntl.F_GETFD, "F_SETFD", Fcntl.F_SETFD, "F_GETFL", Fcntl.F_GETFL,
			"F_SETFL", Fcntl.F_SETFL, "F_DUPFD_QUERY", Fcntl.F_DUPFD_QUERY, "F_CREATED_QUERY", Fcntl.F_CREATED_QUERY);

	private CNames() {
	}

	static int openFlags(@Nullable List<String> names) {
		return combine(names, OPEN_FLAGS, "/flags");
	}

	static int closeRangeFlags(@Nullable List<String> names) {
		return combine(names, CLOSE_RANGE_FLAGS, "/flags");
	}

	static int fcntlCommand(String name) {
		return value(name, FCNTL_COMMANDS, "/cmd");
	}

	static int whence(String name) {
		return value(name, WHENCES, "/whence");
	}

	static int shutdownHow(String name) {
		return value(name, SHUTDOWN_HOWS, "/how");
	}

	static String accessMode(int statusFlags) {
		return switch (statusFlags & OpenFlags.O_ACCMODE) {
			case OpenFlags.O_RDONLY -> "O_RDONLY";
			case OpenFlags.O_WRONLY -> "O_WRONLY";
			case OpenFlags.O_RDWR -> "O_RDWR";
			default -> "O_ACCMODE";
		};
	}

	/** Names the status flags, without the O_LARGEFILE that every 64-bit open has. */
	static List<String> statusFlags(int statusFlags) {
		List<String> names = new ArrayList<>();
		int rest = statusFlags & ~(OpenFlags.O_ACCMODE | OpenFlags.O_LARGEFILE);
		for (Map.Entry<String, Integer> flag : OpenFlags.flagsByName().entrySet()) {
			if ((rest & flag.getValue()) == flag.getValue()) {
				names.add(flag.getKey());
				rest &= ~flag.getValue();
			}
		}
		return names;
	}

	private static int combine(@Nullable List<String> names, Map<String, Integer> values, String pointer) {
		int flags = 0;
		if (names != null) {
			for (int i = 0; i < names.size(); i++) {
				flags |= value(String.valueOf(names.get(i)), values, pointer + "/" + i);
			}
		}
		return flags;
	}

	private static int value(String name, Map<String, Integer> values, String pointer) {
		Integer value = values.get(name);
		if (value != null) {
			return value;
		}
		try {
			long number = Long.decode(name);
			if (number >= Integer.MIN_VALUE && number <= 0xffff_ffffL) {
				return (int) number;
			}
		}
		catch (NumberFormatException ex) {
			// Neither a name nor a number: refused below like a number that is too large.
		}
		throw new MalformedRequestException(pointer,
				"'" + name + "' is neither one of " + values.keySet() + " nor a 32-bit number");
	}

	private static Map<String, Integer> union(Map<String, Integer> first, Map<String, Integer> second) {
		Map<String, Integer> union = new TreeMap<>(first);
		union.putAll(second);
		return union;
	}

}
