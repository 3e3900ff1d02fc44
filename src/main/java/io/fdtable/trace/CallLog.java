package io.fdtable.trace;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The calls of one log that matter to descriptors, in their order, in a few bytes each.
 *
 * <p>
 * They are kept in a temporary file that has no name any more once it is open, so that
 * memory does not grow with the log and nothing is left behind. Written once by one
 * thread; then {@link Reader readers} may read, each for itself.
 */
final class CallLog implements Closeable {

	/** What a reader keeps in memory, in bytes. */
	static final int BUFFER = 1 << 16;

	/** No call is longer: its text, its descriptors and a few numbers. */
	private static final int MAX_CALL = Call.MAX_TEXT + 5 * Call.MAX_FDS + 128;

	/** Where the first call stands; 0 means "nowhere". */
	static final long BEGIN = 1;

	private static final Call.Phase[] PHASES = Call.Phase.values();

	private static final Op[] OPS = Op.values();

	private final FileChannel channel;

	private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);

	private final TraceDisk disk;

	private long taken;

	/** Where the buffer stands in the file. */
	private long base;

	private int unnamedPid;

	private final List<String> errnos = new ArrayList<>();

	private final Map<String, Integer> errnoIds = new HashMap<>();

	CallLog(TraceDisk disk) throws IOException {
		this.disk = disk;
		Path file = Files.createTempFile("fdtable-trace-", ".calls");
		this.channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
				StandardOpenOption.DELETE_ON_CLOSE);
		this.buffer.put((byte) 0);
	}

	/** Names the process whose first lines carried no number. */
	void setUnnamedPid(int pid) {
		this.unnamedPid = pid;
	}

	long size() {
		return this.base + this.buffer.position();
	}

	/**
	 * Writes a call at the end. The first part of a call gets to know of the second, and
	 * the other way round.
	 * @return where it stands
	 */
	@SuppressWarnings("EnumOrdinal") // the file does not outlive the enum
	long append(Call call) throws IOException {
		if (this.buffer.remaining() < MAX_CALL) {
			flush();
		}
		long offset = size();
		ByteBuffer to = this.buffer;
		to.put((byte) call.phase.ordinal());
		if (call.phase == Call.Phase.START) {
			to.putLong(0);
		}
		else if (call.phase == Call.Phase.END) {
			to.putLong(call.other);
			putNumber(to, call.startLine);
			if (call.other != 0) {
				link(call.other, offset);
			}
		}
		putNumber(to, call.line);
		putNumber(to, call.pid);
		to.put((byte) call.type.id());
		to.put((byte) call.op.ordinal());
		to.put((byte) ((call.closeOnExec ? 1 : 0) | (call.returned ? 2 : 0) | (call.errno != null ? 4 : 0)
				| ((call.fdCount > 0) ? 8 : 0) | ((call.arg != 0) ? 16 : 0)));
		putNumber(to, call.fd);
		if (call.arg != 0) {
			putNumber(to, call.arg);
		}
		putNumber(to, call.ret);
		if (call.errno != null) {
			putNumber(to, errnoId(call.errno));
		}
		if (call.fdCount > 0) {
			putNumber(to, call.fdCount);
			for (int i = 0; i < call.fdCount; i++) {
				putNumber(to, call.fds[i]);
			}
		}
		putNumber(to, call.textLength);
		to.put(call.text(0), 0, call.textLength);
		return offset;
	}

	private void link(long start, long end) throws IOException {
		long at = start + 1;
		if (at >= this.base) {
			this.buffer.putLong((int) (at - this.base), end);
		}
		else {
			ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).putLong(end).flip();
			this.channel.write(bytes, at);
		}
	}

	private int errnoId(String name) {
		Integer id = this.errnoIds.get(name);
		if (id == null) {
			id = this.errnos.size();
			this.errnos.add(name);
			this.errnoIds.put(name, id);
		}
		return id;
	}

	/**
	 * Writes what has been appended, so that readers see it.
	 * @throws TraceRefusedException if the disk has no room for it
	 */
	void flush() throws IOException {
		this.buffer.flip();
		this.disk.take(this.buffer.remaining());
		this.taken += this.buffer.remaining();
		while (this.buffer.hasRemaining()) {
			this.base += this.channel.write(this.buffer, this.base);
		}
		this.buffer.clear();
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
		this.disk.giveBack(this.taken);
		this.taken = 0;
	}

	Reader reader() {
		return new Reader();
	}

	private static void putNumber(ByteBuffer to, long value) {
		long rest = (value << 1) ^ (value >> 63);
		while ((rest & ~0x7FL) != 0) {
			to.put((byte) (rest | 0x80));
			rest >>>= 7;
		}
		to.put((byte) rest);
	}

	/** Returns a copy of a call, or null for an offset that is none. */
	@Nullable Call at(Reader reader, long offset) throws IOException {
		if (offset < BEGIN) {
			return null;
		}
		Call call = new Call();
		reader.read(offset, call);
		return call;
	}

	/**
	 * Reads calls, one after another or from anywhere.
	 */
	final class Reader {

		private final ByteBuffer window = ByteBuffer.allocate(BUFFER).limit(0);

		private long windowAt;

		private long next = BEGIN;

		/**
		 * Reads the next call in order.
		 * @return false at the end
		 */
		boolean next(Call into) throws IOException {
			if (this.next >= CallLog.this.base) {
				return false;
			}
			this.next = read(this.next, into);
			return true;
		}

		/** Goes on reading from a call. */
		void seek(long offset) {
			this.next = offset;
		}

		/**
		 * Reads one call.
		 * @return where the next one stands
		 */
		long read(long offset, Call into) throws IOException {
			position(offset);
			ByteBuffer from = this.window;
			into.clear();
			into.offset = offset;
			into.phase = PHASES[from.get()];
			if (into.phase != Call.Phase.COMPLETE) {
				into.other = from.getLong();
			}
			if (into.phase == Call.Phase.END) {
				into.startLine = number(from);
			}
			into.line = number(from);
			int pid = (int) number(from);
			into.pid = (pid == 0) ? CallLog.this.unnamedPid : pid;
			into.type = CallType.byId(from.get() & 0xFF);
			into.op = OPS[from.get()];
			int flags = from.get();
			into.closeOnExec = (flags & 1) != 0;
			into.returned = (flags & 2) != 0;
			into.fd = (int) number(from);
			into.arg = ((flags & 16) != 0) ? number(from) : 0;
			into.ret = number(from);
			into.errno = ((flags & 4) != 0) ? CallLog.this.errnos.get((int) number(from)) : null;
			if ((flags & 8) != 0) {
				int count = (int) number(from);
				for (int i = 0; i < count; i++) {
					into.addFd((int) number(from));
				}
			}
			into.textLength = (int) number(from);
			from.get(into.text(into.textLength), 0, into.textLength);
			return this.windowAt + from.position();
		}

		private void position(long offset) throws IOException {
			long end = this.windowAt + this.window.limit();
			boolean whole = offset + MAX_CALL <= end || end == CallLog.this.base;
			if (offset < this.windowAt || offset >= end || !whole) {
				this.window.clear();
				// Somewhat before, because the two parts of a call stand close together.
				this.windowAt = Math.max(0, offset - BUFFER / 4);
				int count;
				do {
					count = fill();
				}
				while (count > 0 && this.window.hasRemaining());
				this.window.flip();
			}
			this.window.position((int) (offset - this.windowAt));
		}

		private int fill() throws IOException {
			try {
				return CallLog.this.channel.read(this.window, this.windowAt + this.window.position());
			}
			catch (ClosedChannelException ex) {
				throw new TraceDeletedException(ex);
			}
		}

		private long number(ByteBuffer from) {
			long rest = 0;
			int shift = 0;
			byte next;
			do {
				next = from.get();
				rest |= (next & 0x7FL) << shift;
				shift += 7;
			}
			while (next < 0);
			return (rest >>> 1) ^ -(rest & 1);
		}

	}

}
