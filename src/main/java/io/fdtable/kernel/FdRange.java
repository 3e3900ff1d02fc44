package io.fdtable.kernel;

/**
 * An inclusive range of descriptor numbers, both ends unsigned 32-bit, like
 * {@code struct fd_range}.
 *
 * @param first the lowest number
 * @param last the highest number, not below {@code first} as unsigned
 */
public record FdRange(int first, int last) {

	boolean contains(int fd) {
		return Integer.compareUnsigned(this.first, fd) <= 0 && Integer.compareUnsigned(fd, this.last) <= 0;
	}

}
