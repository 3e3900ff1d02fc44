package io.fdtable.kernel;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * A pipe or FIFO, like {@code struct pipe_inode_info}: 16 buffers of a page each, 65,536
 * bytes in all.
 *
 * <p>
 * As in Linux a write first fills up the last buffer, if all that does not make whole
 * pages fits into it, and then takes new ones; so a write of at most 4096 bytes
 * (PIPE_BUF) is never split, and a pipe with room for fewer bytes than free ones exist
 * can be full. In packet mode (O_DIRECT) each write keeps its own buffers and a read
 * takes at most one. A buffer is charged to the memory budget while it holds bytes.
 */
final class Pipe implements FileOperations {

	/** PIPE_DEF_BUFFERS. */
	private static final int BUFFERS = 16;

	private static final int PAGE = RegularFile.PAGE;

	private final Sysctl sysctl;

	private final ArrayDeque<Buffer> buffers = new ArrayDeque<>();

	private int readers;

	private int writers;

	Pipe(Sysctl sysctl) {
		this.sysctl = sysctl;
	}

	private static final class Buffer {

		final byte[] page = new byte[PAGE];

		final boolean packet;

		int offset;

		int length;

		Buffer(boolean packet) {
			this.packet = packet;
		}

		void append(byte[] data, int from, int count) {
			System.arraycopy(data, from, this.page, this.offset + this.length, count);
			this.length += count;
		}

	}

	@Override
	public void opened(OpenFile file) {
		attach(file.isReadable(), file.isWritable());
	}

	@Override
	public void released(OpenFile file) {
		detach(file.isReadable(), file.isWritable());
	}

	synchronized void attach(boolean reader, boolean writer) {
		this.readers += reader ? 1 : 0;
		this.writers += writer ? 1 : 0;
	}

	/** Takes ends away; what is in the pipe goes with the last of both kinds. */
	synchronized void detach(boolean reader, boolean writer) {
		this.readers -= reader ? 1 : 0;
		this.writers -= writer ? 1 : 0;
		if (this.readers == 0 && this.writers == 0) {
			this.sysctl.uncharge((long) this.buffers.size() * PAGE);
			this.buffers.clear();
		}
	}

	@Override
	public byte[] read(OpenFile file, int count) {
		return read(count);
	}

	synchronized byte[] read(int count) {
		byte[] bytes = new byte[(int) Math.min(count, available())];
		if (count == 0) {
			return bytes;
		}
		if (this.buffers.isEmpty()) {
			if (this.writers == 0) {
				return bytes;
			}
			throw Errno.EAGAIN.exception();
		}
		int done = 0;
		while (done < bytes.length) {
			Buffer buffer = this.buffers.element();
			int part = Math.min(bytes.length - done, buffer.length);
			System.arraycopy(buffer.page, buffer.offset, bytes, done, part);
			done += part;
			buffer.offset += part;
			buffer.length -= part;
			// What a read leaves of a packet is lost.
			if (buffer.length == 0 || buffer.packet) {
				this.buffers.remove();
				this.sysctl.uncharge(PAGE);
			}
			if (buffer.packet) {
				break;
			}
		}
		return Arrays.copyOf(bytes, done);
	}

	synchronized boolean isEmpty() {
		return this.buffers.isEmpty();
	}

	private long available() {
		return this.buffers.stream().mapToLong((buffer) -> buffer.length).sum();
	}

	@Override
	public int write(OpenFile file, byte[] data) {
		return write(data, file.isDirect());
	}

	synchronized int write(byte[] data, boolean packet) {
		if (data.length == 0) {
			return 0;
		}
		if (this.readers == 0) {
			throw Errno.EPIPE.exception();
		}
		int done = fillLast(data);
		while (done < data.length && this.buffers.size() < BUFFERS) {
			try {
				this.sysctl.charge(PAGE);
			}
			catch (SyscallException ex) {
				if (done == 0) {
					throw ex;
				}
				return done;
			}
			Buffer buffer = new Buffer(packet);
			int part = Math.min(data.length - done, PAGE);
			buffer.append(data, done, part);
			this.buffers.add(buffer);
			done += part;
		}
		if (done == 0) {
			throw Errno.EAGAIN.exception();
		}
		return done;
	}

	private int fillLast(byte[] data) {
		Buffer last = this.buffers.peekLast();
		int rest = data.length % PAGE;
		if (last == null || last.packet || last.offset + last.length + rest > PAGE) {
			return 0;
		}
		last.append(data, 0, rest);
		return rest;
	}

	@Override
	public long llseek(OpenFile file, long offset, int whence) {
		throw Errno.ESPIPE.exception();
	}

}
