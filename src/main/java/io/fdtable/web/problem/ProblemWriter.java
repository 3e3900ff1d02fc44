package io.fdtable.web.problem;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;

/**
 * Writes problems where Spring MVC is not there to do it.
 */
@Component
class ProblemWriter {

	private final JsonMapper json;

	ProblemWriter(JsonMapper json) {
		this.json = json;
	}

	void write(ProblemDetail problem, HttpServletRequest request, HttpServletResponse response) throws IOException {
		problem.setInstance(URI.create(request.getRequestURI()));
		byte[] body = this.json.writeValueAsString(problem).getBytes(StandardCharsets.UTF_8);
		response.setStatus(problem.getStatus());
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		response.setContentLength(body.length);
		response.getOutputStream().write(body);
	}

}
