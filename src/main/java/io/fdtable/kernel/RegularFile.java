package io.fdtable.kernel;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The content of a regular file in pages of 4096 bytes, like a file of tmpfs. A page
 * exists from the first write to it; what was never written is a hole and reads as zeros.
 *
 * <p>
 * A file is at most as long as {@link Sysctl#fileMaxBytes}, to which a write is cut short
 * as RLIMIT_FSIZE does. Each page is charged to the memory budget. Its own monitor is
 * what {@code i_rwsem} is in Linux: each access to the content is one step. It does not
 * guard positions, which are read before and stored after; that is what the lock of the
 * open file is for.
 */
final class RegularFile implements FileOperations {

	static final int PAGE = 4096;

	private static final long POINTER_BYTES = 4;

	private final Sysctl sysctl;

	private byte[] @Nullable [] pages = new byte[0][];

	/** What pages and the pointers to them take of the memory budget, in bytes. */
	private long charged;

	private long size;

	RegularFile(Sysctl sysctl) {
		this.sysctl = sysctl;
	}

	@Override
	public byte[] read(OpenFile file, int count) {
		long position = file.position();
		checkArea(position, count);
		byte[] bytes = readAt(position, count);
		file.setPosition(position + bytes.length);
		return bytes;
	}

	private synchronized byte[] readAt(long position, int count) {
		int length = (int) Math.max(0, Math.min(count, this.size - position));
		byte[] bytes = new byte[length];
		for (int done = 0; done < length;) {
			int offset = offsetIn(position + done);
			int part = Math.min(length - done, PAGE - offset);
			byte[] page = pageAt(position + done);
			if (page != null) {
				System.arraycopy(page, offset, bytes, done, part);
			}
			done += part;
		}
		return bytes;
	}

	@Override
	public int write(OpenFile file, byte[] data) {
		long position = file.position();
		checkArea(position, data.length);
		if (data.length == 0) {
			return 0;
		}
		Written written = file.isAppending() ? append(data) : writeAt(position, data);
		file.setPosition(written.end());
		return written.count();
	}

	private record Written(int count, long end) {
	}

	private synchronized Written append(byte[] data) {
		return writeAt(this.size, data);
	}

	private synchronized Written writeAt(long position, byte[] data) {
		long room = this.sysctl.fileMaxBytes() - position;
		if (room <= 0) {
			throw Errno.EFBIG.exception();
		}
		int length = (int) Math.min(data.length, room);
		int written = 0;
		while (written < length) {
			byte[] page = pageFor(position + written);
			if (page == null) {
				break;
			}
			int offset = offsetIn(position + written);
			int part = Math.min(length - written, PAGE - offset);
			System.arraycopy(data, written, page, offset, part);
			written += part;
		}
		if (written == 0) {
			throw Errno.ENOMEM.exception();
		}
		long end = position + written;
		this.size = Math.max(this.size, end);
		return new Written(written, end);
	}

	/** Checks what {@code rw_verify_area} does: the last byte must have a position. */
	private static void checkArea(long position, int count) {
		if (position + count < 0) {
			throw Errno.EINVAL.exception();
		}
	}

	private static int offsetIn(long position) {
		return (int) (position % PAGE);
	}

	private byte @Nullable [] pageAt(long position) {
		long index = position / PAGE;
		return (index < this.pages.length) ? this.pages[(int) index] : null;
	}

	/** Returns the page to write to, or null if the memory budget is spent. */
	private byte @Nullable [] pageFor(long position) {
		int index = (int) (position / PAGE);
		try {
			if (index >= this.pages.length) {
				int length = Math.max(index + 1, 2 * this.pages.length);
				charge(POINTER_BYTES * (length - this.pages.length));
				this.pages = Arrays.copyOf(this.pages, length);
			}
			byte[] page = this.pages[index];
			if (page == null) {
				charge(PAGE);
				page = new byte[PAGE];
				this.pages[index] = page;
			}
			return page;
		}
		catch (SyscallException ex) {
			return null;
		}
	}

	private void charge(long bytes) {
		this.sysctl.charge(bytes);
		this.charged += bytes;
	}

	@Override
	public synchronized long llseek(OpenFile file, long offset, int whence) {
		return switch (whence) {
			case Seek.SEEK_SET -> Seek.to(file, offset);
			case Seek.SEEK_CUR -> (offset != 0) ? Seek.to(file, file.position() + offset) : file.position();
			case Seek.SEEK_END -> Seek.to(file, this.size + offset);
			case Seek.SEEK_DATA -> seekPage(file, offset, true);
			default -> seekPage(file, offset, false);
		};
	}

	private long seekPage(OpenFile file, long offset, boolean data) {
		if (offset < 0 || offset >= this.size) {
			throw Errno.ENXIO.exception();
		}
		long position = offset;
		while (position < this.size && (pageAt(position) != null) != data) {
			position = (position / PAGE + 1) * PAGE;
		}
		if (position >= this.size) {
			if (data) {
				throw Errno.ENXIO.exception();
			}
			position = this.size;
		}
		return Seek.to(file, position);
	}

	@Override
	public synchronized void truncate() {
		this.sysctl.uncharge(this.charged);
		this.pages = new byte[0][];
		this.charged = 0;
		this.size = 0;
	}

	@Override
	public void evict() {
		truncate();
	}

}
