package io.fdtable.trace;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

/**
 * What the trace room needs from outside: its settings.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(TraceProperties.class)
class TraceConfiguration {

}
