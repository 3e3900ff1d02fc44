/**
 * The only room that owns trees of processes; every mutation passes
 * {@code SyscallExecutor}.
 */
@NullMarked
package io.fdtable.session;

import org.jspecify.annotations.NullMarked;
