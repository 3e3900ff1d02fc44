package io.fdtable.kernel;

/**
 * What a path of a {@link Namespace} leads to; all open files of one path share it.
 */
final class Inode {

	private final FileKind kind;

	Inode(FileKind kind) {
		this.kind = kind;
	}

	FileKind kind() {
		return this.kind;
	}

}
