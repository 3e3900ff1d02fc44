/**
 * Proves that a table answers as Linux does: scripts of calls run on the model and on the
 * kernel of the machine, and tables of expected values that others have written.
 */
@NullMarked
package io.fdtable.conformance;

import org.jspecify.annotations.NullMarked;
