package io.fdtable.web.problem;

import java.util.Arrays;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Refuses a body whose media type is a wildcard. Spring MVC takes that for a match and
 * fails when it reads the body, which would look like a fault of the service.
 */
public final class BodyTypeInterceptor implements HandlerInterceptor {

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws HttpMediaTypeNotSupportedException {
		String type = request.getContentType();
		if (type != null && type.indexOf('*') >= 0 && handler instanceof HandlerMethod method && hasBody(method)) {
			throw new HttpMediaTypeNotSupportedException("a body has one media type");
		}
		return true;
	}

	private static boolean hasBody(HandlerMethod method) {
		return Arrays.stream(method.getMethodParameters())
			.anyMatch((parameter) -> parameter.hasParameterAnnotation(RequestBody.class));
	}

}
