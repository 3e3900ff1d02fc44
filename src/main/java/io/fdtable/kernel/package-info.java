/**
 * Models Linux's descriptor tables in plain Java: no framework, no logging, no clock, no
 * randomness and no I/O, and safe from any number of threads exactly where the kernel is.
 *
 * <p>
 * Start with {@link io.fdtable.kernel.FilesStruct}, the table;
 * {@link io.fdtable.kernel.Task} is a process that uses one and holds the system calls;
 * {@link io.fdtable.kernel.ProcessTree} is a family of them.
 */
@NullMarked
package io.fdtable.kernel;

import org.jspecify.annotations.NullMarked;
