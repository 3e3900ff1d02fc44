package io.fdtable.web;

import java.io.IOException;

import jakarta.servlet.ServletException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.AbstractProtocol;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/**
 * Bounds connections by the heap, since each takes memory before any request of it can be
 * refused; and where most are taken, lets none stay that has been answered, so that idle
 * ones keep nobody out.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE)
class ConnectionBound implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

	/**
	 * The heap for which there may be a connection, in bytes: about three times what one
	 * takes with a request that has only begun, as measured.
	 */
	static final int HEAP_PER_CONNECTION = 1 << 18;

	@Override
	public void customize(TomcatServletWebServerFactory factory) {
		Farewell farewell = new Farewell();
		factory.addConnectorCustomizers((connector) -> bound(connector, farewell));
		factory.addEngineValves(farewell);
	}

	private static void bound(Connector connector, Farewell farewell) {
		if (connector.getProtocolHandler() instanceof AbstractProtocol<?> protocol) {
			protocol.setMaxConnections(bound(protocol.getMaxConnections(), Runtime.getRuntime().maxMemory()));
			farewell.protocol = protocol;
		}
	}

	/** Returns how many connections there may be, of as many as the operator allows. */
	static int bound(int allowed, long heap) {
		return (int) Math.min(allowed, Math.max(1, heap / HEAP_PER_CONNECTION));
	}

	/** Ends a connection with its answer where connections are scarce. */
	private static final class Farewell extends ValveBase {

		private volatile @Nullable AbstractProtocol<?> protocol;

		Farewell() {
			super(true);
		}

		@Override
		public void invoke(Request request, Response response) throws IOException, ServletException {
			AbstractProtocol<?> connections = this.protocol;
			if (connections != null && isScarce(connections)) {
				response.setHeader(HttpHeaders.CONNECTION, "close");
			}
			getNext().invoke(request, response);
		}

		private static boolean isScarce(AbstractProtocol<?> connections) {
			return connections.getConnectionCount() > connections.getMaxConnections() / 4L * 3;
		}

	}

}
