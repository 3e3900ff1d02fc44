package io.fdtable.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Records the course of a number over a log of unknown length in constant memory: when
 * the points run out, each two become one.
 */
final class PeakMeter {

	private static final int POINTS = 256;

	private final int[] points = new int[POINTS];

	private long linesPerPoint = 1;

	private int used;

	private int highest;

	private long highestLine;

	void record(long line, int value) {
		if (value > this.highest) {
			this.highest = value;
			this.highestLine = line;
		}
		while ((line - 1) / this.linesPerPoint >= POINTS) {
			halve();
		}
		int point = (int) ((line - 1) / this.linesPerPoint);
		this.used = Math.max(this.used, point + 1);
		this.points[point] = Math.max(this.points[point], value);
	}

	private void halve() {
		for (int i = 0; i < POINTS / 2; i++) {
			this.points[i] = Math.max(this.points[2 * i], this.points[2 * i + 1]);
		}
		Arrays.fill(this.points, POINTS / 2, POINTS, 0);
		this.linesPerPoint *= 2;
		this.used = (this.used + 1) / 2;
	}

	TraceReport.Peak peak() {
		List<Integer> values = new ArrayList<>();
		for (int i = 0; i < this.used; i++) {
			values.add(this.points[i]);
		}
		return new TraceReport.Peak(this.highest, this.highestLine, this.linesPerPoint, values);
	}

}
