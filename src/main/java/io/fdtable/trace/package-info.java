/**
 * Parsing never touches a session; a replay acts only through syscalls.
 */
@NullMarked
package io.fdtable.trace;

import org.jspecify.annotations.NullMarked;
