package io.fdtable.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.fdtable.kernel.Sysctl;

/**
 * A log of any length, made of real ones: each is repeated with new process numbers, one
 * after another, and made up while it is read.
 */
final class RepeatedLog extends InputStream {

	private final List<String> logs;

	private final long lines;

	private long made;

	private int round;

	private byte[] text = new byte[0];

	private int position;

	RepeatedLog(List<String> logs, long lines) {
		this.logs = logs;
		this.lines = lines;
	}

	/** Runs a replay of a long log and prints what it needed, for a JVM of its own. */
	public static void main(String[] args) throws IOException {
		List<String> logs = Arrays.stream(args).skip(1).map(Traces::text).toList();
		try (Trace trace = Trace.read(new RepeatedLog(logs, Long.parseLong(args[0])), new TraceDisk(1L << 32),
				Sysctl.unbounded(), TraceProgress.NONE)) {
			TraceReport report = trace.report();
			System.out.println("lines=" + report.lines() + " unparsed=" + report.unparsed() + " divergences="
					+ report.divergences().size() + " processes=" + report.processes().size() + " capped="
					+ report.limits().capped());
		}
	}

	@Override
	public int read() throws IOException {
		byte[] one = new byte[1];
		return (read(one, 0, 1) < 0) ? -1 : one[0] & 0xFF;
	}

	@Override
	public int read(byte[] into, int offset, int length) {
		if (this.position == this.text.length && !next()) {
			return -1;
		}
		int count = Math.min(length, this.text.length - this.position);
		System.arraycopy(this.text, this.position, into, offset, count);
		this.position += count;
		return count;
	}

	private boolean next() {
		if (this.made >= this.lines) {
			return false;
		}
		String log = this.logs.get(this.round % this.logs.size());
		TreeSet<Integer> pids = new TreeSet<>();
		for (String line : log.lines().toList()) {
			pids.add(Integer.parseInt(line.substring(0, line.indexOf(' '))));
		}
		int first = 100_000 + 20 * this.round;
		List<Integer> old = List.copyOf(pids);
		String any = String.join("|", old.stream().map(String::valueOf).toList());
		log = Pattern.compile("\\b(" + any + ")\\b")
			.matcher(log)
			.replaceAll((match) -> Integer.toString(first + old.indexOf(Integer.valueOf(match.group()))));
		long left = this.lines - this.made;
		long count = log.lines().count();
		if (count > left) {
			log = String.join("\n", log.lines().limit(left).toList()) + "\n";
			count = left;
		}
		this.made += count;
		this.round++;
		this.text = log.getBytes(StandardCharsets.ISO_8859_1);
		this.position = 0;
		return true;
	}

}
