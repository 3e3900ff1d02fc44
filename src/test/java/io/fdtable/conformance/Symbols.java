package io.fdtable.conformance;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The names that arguments and answers of scripts may use in place of numbers. */
final class Symbols {

	/** What {@link Op#OPEN} opens, by number. */
	static final List<String> KINDS = List.of("null", "directory", "regular", "socket", "eventfd");

	private static final Map<String, Long> NUMBERS = new LinkedHashMap<>();

	static {
		KINDS.forEach((kind) -> NUMBERS.put(kind, (long) KINDS.indexOf(kind)));
		NUMBERS.put("O_RDONLY", 0L);
		NUMBERS.put("O_WRONLY", 1L);
		NUMBERS.put("O_RDWR", 2L);
		NUMBERS.put("O_CREAT", 0100L);
		NUMBERS.put("O_EXCL", 0200L);
		NUMBERS.put("O_TRUNC", 01000L);
		NUMBERS.put("O_APPEND", 02000L);
		NUMBERS.put("O_NONBLOCK", 04000L);
		NUMBERS.put("O_DSYNC", 010000L);
		NUMBERS.put("O_ASYNC", 020000L);
		NUMBERS.put("O_DIRECT", 040000L);
		NUMBERS.put("O_LARGEFILE", 0100000L);
		NUMBERS.put("O_DIRECTORY", 0200000L);
		NUMBERS.put("O_NOFOLLOW", 0400000L);
		NUMBERS.put("O_CLOEXEC", 02000000L);
		NUMBERS.put("O_SYNC", 04010000L);
		NUMBERS.put("O_PATH", 010000000L);
		NUMBERS.put("CLOSE_RANGE_UNSHARE", 2L);
		NUMBERS.put("CLOSE_RANGE_CLOEXEC", 4L);
		NUMBERS.put("F_DUPFD", 0L);
		NUMBERS.put("F_GETFD", 1L);
		NUMBERS.put("F_SETFD", 2L);
		NUMBERS.put("F_GETFL", 3L);
		NUMBERS.put("F_SETFL", 4L);
		NUMBERS.put("F_DUPFD_QUERY", 1027L);
		NUMBERS.put("F_CREATED_QUERY", 1028L);
		NUMBERS.put("F_DUPFD_CLOEXEC", 1030L);
		NUMBERS.put("FD_CLOEXEC", 1L);
		NUMBERS.put("private", 0L);
		NUMBERS.put("shared", 1L);
		NUMBERS.put("INT_MAX", (long) Integer.MAX_VALUE);
		NUMBERS.put("UINT_MAX", 0xFFFF_FFFFL);
	}

	private Symbols() {
	}

	/** Reads a number, a name, or several of both joined by a bar. */
	static long number(String text) {
		long value = 0;
		for (String part : text.split("\\|", -1)) {
			Long named = NUMBERS.get(part);
			value |= (named != null) ? named : Long.decode(part);
		}
		return value;
	}

	static boolean isNumber(String text) {
		try {
			number(text);
			return true;
		}
		catch (NumberFormatException ex) {
			return false;
		}
	}

	/** Writes a value with the names of one family, such as {@code O_}. */
	static String name(long value, String prefix) {
		StringBuilder names = new StringBuilder();
		long rest = value;
		for (Map.Entry<String, Long> entry : NUMBERS.entrySet()) {
			long bits = entry.getValue();
			if (entry.getKey().startsWith(prefix) && bits != 0 && (rest & bits) == bits) {
				names.append(names.isEmpty() ? "" : "|").append(entry.getKey());
				rest &= ~bits;
			}
		}
		if (rest != 0) {
			names.append(names.isEmpty() ? "" : "|").append(rest);
		}
		return names.isEmpty() ? "0" : names.toString();
	}

	static String command(long value) {
		return NUMBERS.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().startsWith("F_") && entry.getValue() == value)
			.map(Map.Entry::getKey)
			.findFirst()
			.orElse(Long.toString(value));
	}

}
