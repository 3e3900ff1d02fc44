/**
 * Describes the API: what the annotations of the controllers cannot say is added here,
 * once for all operations.
 */
@NullMarked
package io.fdtable.web.openapi;

import org.jspecify.annotations.NullMarked;
