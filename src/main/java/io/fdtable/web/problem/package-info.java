/**
 * Answers every error, wherever it arises, as a problem of RFC 9457: what was wrong and
 * what to do; with an {@code errno} if and only if the kernel model has run.
 */
@NullMarked
package io.fdtable.web.problem;

import org.jspecify.annotations.NullMarked;
