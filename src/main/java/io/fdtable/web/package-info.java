/**
 * Controllers translate and never decide: no {@code if} on descriptor state. One table
 * maps errno to status.
 */
@NullMarked
package io.fdtable.web;

import org.jspecify.annotations.NullMarked;
