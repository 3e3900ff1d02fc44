package io.fdtable.web;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * The fast path of open, close and dup2: hands requests of the usual form to the methods
 * of {@link DescriptorController} itself, because finding and calling them through Spring
 * MVC takes longer than all the rest of such a request.
 *
 * <p>
 * What is unusual in any way goes on to Spring MVC, which answers the same. Failures
 * become problems where all others do.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
@SuppressWarnings("serial")
class FastPath extends HttpFilter {

	private final transient DescriptorController controller;

	private final transient RequestTimers timers;

	/** Made by Spring MVC, which starts after the filters. */
	private final transient ObjectProvider<HandlerExceptionResolver> problems;

	private final transient ObjectWriter json;

	FastPath(DescriptorController controller, RequestTimers timers,
			@Qualifier("handlerExceptionResolver") ObjectProvider<HandlerExceptionResolver> problems, JsonMapper json) {
		this.controller = controller;
		this.timers = timers;
		this.problems = problems;
		this.json = json.writer();
	}

	@Override
	protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		FastRequest fast = FastRequest.of(request);
		if (fast == null) {
			chain.doFilter(request, response);
			return;
		}
		long start = System.nanoTime();
		HttpServletRequest rest = answer(fast, request, response);
		if (rest != null) {
			chain.doFilter(rest, response);
		}
		else {
			this.timers.record(request.getMethod(), fast.call().path(), response.getStatus(),
					System.nanoTime() - start);
		}
	}

	/** Answers a request, or returns it as it was if its body is unusual. */
	private @Nullable HttpServletRequest answer(FastRequest fast, HttpServletRequest request,
			HttpServletResponse response) throws IOException {
		try {
			FdNumber newFd = FdNumber.ZERO;
			if (fast.call() == FastRequest.Call.DUP2) {
				Dup2Body body = read(request);
				newFd = body.newFd();
				if (newFd == null) {
					return body.again(request);
				}
			}
			write(call(fast, newFd, CallContext.of(request, response)), response);
		}
		catch (RuntimeException ex) {
			if (this.problems.getObject().resolveException(request, response, null, ex) == null) {
				throw ex;
			}
		}
		return null;
	}

	private static Dup2Body read(HttpServletRequest request) {
		try {
			return Dup2Body.read(request);
		}
		catch (IOException ex) {
			throw new HttpMessageNotReadableException("the body did not arrive", ex,
					new ServletServerHttpRequest(request));
		}
	}

	private ResponseEntity<?> call(FastRequest fast, FdNumber newFd, CallContext context) {
		return switch (fast.call()) {
			case OPEN -> this.controller.open(fast.session(), null, context);
			case CLOSE -> {
				this.controller.close(fast.session(), fast.fd(), context);
				yield ResponseEntity.noContent().build();
			}
			case DUP2 ->
				this.controller.dup2(fast.session(), fast.fd(), new DescriptorController.Dup2Request(newFd), context);
		};
	}

	private void write(ResponseEntity<?> answer, HttpServletResponse response) throws IOException {
		response.setStatus(answer.getStatusCode().value());
		answer.getHeaders().forEach((name, values) -> response.setHeader(name, values.getFirst()));
		if (answer.getBody() != null) {
			byte[] body = this.json.writeValueAsBytes(answer.getBody());
			response.setContentType(MediaType.APPLICATION_JSON_VALUE);
			response.setContentLength(body.length);
			response.getOutputStream().write(body);
		}
	}

}
