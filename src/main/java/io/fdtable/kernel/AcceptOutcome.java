package io.fdtable.kernel;

import org.jspecify.annotations.Nullable;

/**
 * How a pending accept ended.
 *
 * @param pid the process that made it
 * @param fd the number it had reserved
 * @param generation which handing-out of the number that was
 * @param errno null if the number now holds the connection; otherwise what the accept
 * answers, its number being free again
 */
public record AcceptOutcome(int pid, int fd, long generation, @Nullable Errno errno) {
}
