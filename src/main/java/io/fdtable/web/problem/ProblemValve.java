package io.fdtable.web.problem;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.apache.catalina.Container;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;

/**
 * Answers what Tomcat refuses before any servlet has seen it, such as an encoded slash or
 * a bad character in a path.
 */
@SuppressWarnings("NullAway.Init")
class ProblemValve extends ErrorReportValve {

	private final JsonMapper json;

	ProblemValve(JsonMapper json) {
		this.json = json;
	}

	@Override
	protected void report(Request request, Response response, @Nullable Throwable throwable) {
		int status = response.getStatus();
		if (status < HttpStatus.BAD_REQUEST.value() || response.getContentWritten() > 0
				|| !response.setErrorReported()) {
			return;
		}
		ProblemType type = ProblemType.of(HttpStatusCode.valueOf(status));
		byte[] body = this.json
			.writeValueAsString(Problems.of(type, HttpStatusCode.valueOf(status), whatWasWrong(type)))
			.getBytes(StandardCharsets.UTF_8);
		try {
			response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
			response.setContentLength(body.length);
			response.getOutputStream().write(body);
			response.finishResponse();
		}
		catch (IOException ex) {
			// The client has gone: there is nobody left to tell.
		}
	}

	private static String whatWasWrong(ProblemType type) {
		return switch (type) {
			case NOT_IMPLEMENTED -> "the method or the transfer coding of the request is not implemented";
			case HTTP_VERSION_NOT_SUPPORTED -> "the version of HTTP in the request line is not supported";
			case EXPECTATION_FAILED -> "the Expect header asks for something else than 100-continue";
			default -> "the request line, a header or the path is not acceptable to the server";
		};
	}

	/** Puts the valve in the place of Tomcat's own, which writes HTML. */
	@Configuration(proxyBeanMethods = false)
	static class Installation {

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemValve(JsonMapper json) {
			return (factory) -> factory.addContextCustomizers((context) -> {
				Container host = context.getParent();
				if (host instanceof StandardHost standardHost) {
					standardHost.setErrorReportValveClass("");
					standardHost.getPipeline().addValve(new ProblemValve(json));
				}
			});
		}

	}

}
