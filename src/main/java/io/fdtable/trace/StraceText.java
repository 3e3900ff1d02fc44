package io.fdtable.trace;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Strings as strace prints them: as in C, with an octal escape for each byte that is not
 * ASCII.
 */
final class StraceText {

	private StraceText() {
	}

	/**
	 * Returns what the program passed, as far as it is text in UTF-8.
	 * @param printed the string as printed, without quotes
	 */
	static String unescape(String printed) {
		if (printed.indexOf('\\') < 0) {
			return printed;
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(printed.length());
		byte[] from = printed.getBytes(StandardCharsets.UTF_8);
		int i = 0;
		while (i < from.length) {
			if (from[i] != '\\' || i + 1 == from.length) {
				bytes.write(from[i++]);
				continue;
			}
			int digits = i + 1;
			int value = 0;
			while (digits < from.length && digits < i + 4 && from[digits] >= '0' && from[digits] <= '7') {
				value = value * 8 + from[digits++] - '0';
			}
			if (digits > i + 1) {
				bytes.write(value);
				i = digits;
			}
			else {
				bytes.write(switch (from[i + 1]) {
					case 'n' -> '\n';
					case 't' -> '\t';
					case 'r' -> '\r';
					default -> from[i + 1];
				});
				i += 2;
			}
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

}
