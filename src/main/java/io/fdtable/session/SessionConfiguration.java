package io.fdtable.session;

import java.time.Clock;
import java.time.InstantSource;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * What the session room needs from outside: its settings, and the time.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ FdtableProperties.class, EventProperties.class, ReservationProperties.class })
@EnableScheduling
class SessionConfiguration {

	@Bean
	InstantSource clock() {
		return Clock.systemUTC();
	}

}
