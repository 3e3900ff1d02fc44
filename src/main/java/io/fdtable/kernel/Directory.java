package io.fdtable.kernel;

/** A directory, like one of tmpfs: it has a position, and cannot be read as bytes. */
final class Directory implements FileOperations {

	@Override
	public byte[] read(OpenFile file, int count) {
		throw Errno.EISDIR.exception();
	}

	@Override
	public int write(OpenFile file, byte[] data) {
		throw Errno.EISDIR.exception();
	}

	@Override
	public long llseek(OpenFile file, long offset, int whence) {
		return switch (whence) {
			case Seek.SEEK_SET -> Seek.to(file, offset);
			case Seek.SEEK_CUR -> Seek.to(file, file.position() + offset);
			default -> throw Errno.EINVAL.exception();
		};
	}

}
