/**
 * Turns system calls into data: a call is an immutable value, and interpreting equal
 * calls on equal state gives equal state and an equal result; an errno is a result and
 * never an exception that escapes.
 */
@NullMarked
package io.fdtable.syscall;

import org.jspecify.annotations.NullMarked;
