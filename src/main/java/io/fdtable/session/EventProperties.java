package io.fdtable.session;

import java.time.Duration;

import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What an operator can set of event streams, under {@code fdtable.events}.
 *
 * @param ringSize how many events are kept for each session, for streams that resume
 * @param heartbeat how long a stream may be silent; what shows that a client has gone
 * @param maxStreams how many streams the service has at any one time
 * @param maxStreamsPerSession how many of them may watch one session
 */
@Validated
@ConfigurationProperties("fdtable.events")
public record EventProperties(@DefaultValue("256") @Min(1) int ringSize,
		@DefaultValue("15s") @NotNull Duration heartbeat, @DefaultValue("1000") @Min(0) int maxStreams,
		@DefaultValue("16") @Min(0) int maxStreamsPerSession) {
}
