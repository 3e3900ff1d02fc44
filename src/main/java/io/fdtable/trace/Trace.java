package io.fdtable.trace;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

import io.fdtable.kernel.Allocator;
import org.jspecify.annotations.Nullable;

/**
 * A log of strace that has been read, and all that can be asked of it.
 *
 * <p>
 * What matters of the log is kept in a temporary file, and each question is answered by
 * replaying that. Safe from any thread; close it to free the file.
 */
public final class Trace implements Closeable {

	private final EventLog log;

	private final InitialDescriptors initial;

	private final TraceReport report;

	private Trace(EventLog log, InitialDescriptors initial, TraceReport report) {
		this.log = log;
		this.initial = initial;
		this.report = report;
	}

	/**
	 * Reads a log and replays it.
	 * @param in the output of strace, read to its end or until the event log is full
	 * @param maxBytes how large the event log may get; it takes about a tenth of the log
	 * @param progress is told how far the reading is
	 * @return the log with its report
	 * @throws IOException if the stream or the temporary file fails
	 */
	public static Trace read(InputStream in, long maxBytes, TraceProgress progress) throws IOException {
		EventLog log = new EventLog(maxBytes);
		try {
			StraceParser parser = new StraceParser(in);
			BitSet seen = new BitSet();
			List<String> notes = new ArrayList<>();
			record(parser, log, seen, notes, progress);
			InitialDescriptors initial = new InitialDescriptors();
			TraceReplay rehearsal = new TraceReplay(log, Allocator.WORD_FIRST, initial, new ReplayListener() {
			});
			rehearsal.run(Long.MAX_VALUE);
			initial.complete();
			Findings findings = new Findings(log);
			TraceReplay replay = new TraceReplay(log, Allocator.WORD_FIRST, initial, findings);
			findings.watch(replay);
			replay.run(Long.MAX_VALUE);
			replay.finish();
			note(seen, notes);
			TraceReport report = findings.report(parser, initial, List.copyOf(notes));
			return new Trace(log, initial, report);
		}
		catch (IOException | RuntimeException ex) {
			log.close();
			throw ex;
		}
	}

	private static void record(StraceParser parser, EventLog log, BitSet seen, List<String> notes,
			TraceProgress progress) throws IOException {
		Call call = parser.next();
		while (call != null) {
			if (log.isFull()) {
				notes.add("the log has more calls than are kept; everything here ends at line " + call.line);
				break;
			}
			seen.set(call.type.id());
			long offset = log.append(call);
			if (call.phase == Call.Phase.START) {
				parser.startedAt(offset);
			}
			progress.read(parser.lines(), parser.bytes());
			call = parser.next();
		}
		log.setUnnamedPid(parser.unnamedPid());
		log.flush();
	}

	private static void note(BitSet seen, List<String> notes) {
		if (!isSeen(seen, "close_range")) {
			notes.add("no close_range in the log: if it was not traced, descriptors that it closed count as open");
		}
		if (!isSeen(seen, "openat") && !isSeen(seen, "open")) {
			notes.add("no open in the log: trace with -e trace=%desc,%process,%network,close_range");
		}
	}

	private static boolean isSeen(BitSet seen, String name) {
		return seen.stream().anyMatch((id) -> CallType.byId(id).name().equals(name));
	}

	/** Returns what the log says about descriptors. */
	public TraceReport report() {
		return this.report;
	}

	@Override
	public void close() throws IOException {
		this.log.close();
	}

}
