package io.fdtable.web;

import java.util.Arrays;

import io.fdtable.kernel.FdBitmaps;

/**
 * Draws a table's bitmap for a person: a row per word, equal neighbours folded.
 */
final class BitmapDrawing {

	private static final int GROUP = 8;

	private BitmapDrawing() {
	}

	static String of(FdBitmaps maps) {
		StringBuilder text = new StringBuilder();
		text.append("capacity ").append(maps.capacity()).append(", next_fd ").append(maps.nextFd()).append('\n');
		text.append("# open   c close-on-exec   r reserved   . free   full = its bit in full_fds_bits is set\n\n");
		String last = "";
		int folded = 0;
		for (int word = 0; word < maps.openFds().length; word++) {
			String row = row(maps, word);
			if (row.equals(last)) {
				folded++;
				continue;
			}
			fold(text, folded);
			text.append("%10d  %s\n".formatted(word * Long.SIZE, row));
			last = row;
			folded = 0;
		}
		fold(text, folded);
		return text.toString();
	}

	private static void fold(StringBuilder text, int rows) {
		if (rows > 0) {
			text.append("            … ")
				.append(rows)
				.append((rows == 1) ? " more word" : " more words")
				.append(" like this\n");
		}
	}

	private static String row(FdBitmaps maps, int word) {
		StringBuilder row = new StringBuilder();
		for (int bit = 0; bit < Long.SIZE; bit++) {
			if (bit > 0 && bit % GROUP == 0) {
				row.append(' ');
			}
			row.append(symbol(maps, word, bit));
		}
		if ((maps.fullFdsBits()[word / Long.SIZE] & (1L << word)) != 0) {
			row.append("  full");
		}
		return row.toString();
	}

	private static char symbol(FdBitmaps maps, int word, int bit) {
		long mask = 1L << bit;
		if ((maps.openFds()[word] & mask) == 0) {
			return '.';
		}
		if (Arrays.binarySearch(maps.reserved(), word * Long.SIZE + bit) >= 0) {
			return 'r';
		}
		return ((maps.closeOnExec()[word] & mask) != 0) ? 'c' : '#';
	}

}
