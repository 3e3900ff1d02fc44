package io.fdtable.kernel;

/**
 * A character device, modelled as a terminal at which nobody types: what is written is
 * shown to nobody, and a read finds nothing yet.
 */
final class Terminal implements FileOperations {

	private static final byte[] NOTHING = new byte[0];

	@Override
	public byte[] read(OpenFile file, int count) {
		if (count == 0) {
			return NOTHING;
		}
		throw Errno.EAGAIN.exception();
	}

	@Override
	public int write(OpenFile file, byte[] data) {
		return data.length;
	}

	@Override
	public long llseek(OpenFile file, long offset, int whence) {
		throw Errno.ESPIPE.exception();
	}

}
