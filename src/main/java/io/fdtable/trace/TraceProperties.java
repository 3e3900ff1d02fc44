package io.fdtable.trace;

import java.time.Duration;

import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * What an operator can set about traces, under {@code fdtable.trace}.
 *
 * @param max the highest number of traces at any one time, those being read included
 * @param maxSize how large a log may be, uncompressed
 * @param maxDisk how much the temporary files of all traces may take; one takes about a
 * tenth of its log, and as much as the log if that is all short lines
 * @param ttl how long a trace is kept after its last use
 */
@Validated
@ConfigurationProperties("fdtable.trace")
record TraceProperties(@DefaultValue("32") @Min(1) int max, @DefaultValue("1GB") @NotNull DataSize maxSize,
		@DefaultValue("2GB") @NotNull DataSize maxDisk, @DefaultValue("1h") @NotNull Duration ttl) {
}
