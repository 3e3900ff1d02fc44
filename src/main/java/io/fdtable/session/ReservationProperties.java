package io.fdtable.session;

import java.time.Duration;

import jakarta.validation.constraints.NotNull;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What an operator can set of reservations, under {@code fdtable.reservation}.
 *
 * @param maxLease the longest lease that a client may ask for
 */
@Validated
@ConfigurationProperties("fdtable.reservation")
public record ReservationProperties(@DefaultValue("1h") @NotNull Duration maxLease) {
}
