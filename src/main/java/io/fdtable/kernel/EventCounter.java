package io.fdtable.kernel;

/** A 64-bit counter made by {@code eventfd2} without EFD_SEMAPHORE, from 0. */
final class EventCounter implements FileOperations {

	/** What a read that finds 0 or a write that would reach this must wait for. */
	private static final long MAX = -1L;

	private long counter;

	@Override
	public synchronized byte[] read(OpenFile file, int count) {
		if (count < Long.BYTES) {
			throw Errno.EINVAL.exception();
		}
		if (this.counter == 0) {
			throw Errno.EAGAIN.exception();
		}
		byte[] bytes = new byte[Long.BYTES];
		for (int i = 0; i < Long.BYTES; i++) {
			bytes[i] = (byte) (this.counter >>> (Byte.SIZE * i));
		}
		this.counter = 0;
		return bytes;
	}

	@Override
	public synchronized int write(OpenFile file, byte[] data) {
		if (data.length != Long.BYTES) {
			throw Errno.EINVAL.exception();
		}
		long amount = 0;
		for (int i = Long.BYTES - 1; i >= 0; i--) {
			amount = (amount << Byte.SIZE) | Byte.toUnsignedLong(data[i]);
		}
		if (amount == MAX) {
			throw Errno.EINVAL.exception();
		}
		if (Long.compareUnsigned(MAX - this.counter, amount) <= 0) {
			throw Errno.EAGAIN.exception();
		}
		this.counter += amount;
		return Long.BYTES;
	}

	/** Does nothing, like {@code noop_llseek}. */
	@Override
	public long llseek(OpenFile file, long offset, int whence) {
		return file.position();
	}

}
