/**
 * This package only starts the service; every other class lives in one of the rooms
 * below.
 *
 * <p>
 * Arrows between rooms point one way: {@code web} to {@code trace} to {@code session} to
 * {@code syscall} to {@code kernel}.
 */
@NullMarked
package io.fdtable;

import org.jspecify.annotations.NullMarked;
