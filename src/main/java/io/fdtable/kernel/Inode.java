package io.fdtable.kernel;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a path of a {@link Namespace} leads to, or a file without a name; all open files
 * of it share its content. It lives as long as a path or an open file refers to it.
 */
final class Inode {

	private final FileKind kind;

	private final FileOperations operations;

	/** Starts with the reference of whoever creates the inode. */
	private final AtomicInteger count = new AtomicInteger(1);

	Inode(FileKind kind, Sysctl sysctl) {
		this(kind, switch (kind) {
			case REGULAR, OPAQUE -> new RegularFile(sysctl);
			case DIRECTORY -> new Directory();
			case PIPE -> new Pipe(sysctl);
			case SOCKET -> throw new IllegalArgumentException("a socket belongs to the sockets of its tree");
			case EVENTFD -> new EventCounter();
			case DEVICE -> new Terminal();
		});
	}

	Inode(FileKind kind, FileOperations operations) {
		this.kind = kind;
		this.operations = operations;
	}

	FileKind kind() {
		return this.kind;
	}

	FileOperations operations() {
		return this.operations;
	}

	/** Takes a reference that somebody else's reference keeps possible. */
	Inode acquire() {
		this.count.incrementAndGet();
		return this;
	}

	/** Drops a reference; the last one frees the content. */
	void release() {
		if (this.count.decrementAndGet() == 0) {
			this.operations.evict();
		}
	}

}
