package io.fdtable.web.problem;

import java.net.URI;

import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Answers what a filter or the servlet container has refused, which comes here by an
 * error dispatch.
 */
@Hidden
@RestController
class ProblemErrorController implements ErrorController {

	@RequestMapping("${spring.web.error.path:/error}")
	@Nullable ResponseEntity<ProblemDetail> error(HttpServletRequest request, HttpServletResponse response) {
		if (response.isCommitted()) {
			// A stream whose client has gone: there is no status left to send.
			return null;
		}
		HttpStatusCode status = (request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code)
				? HttpStatusCode.valueOf(code) : HttpStatus.NOT_FOUND;
		ProblemType type = ProblemType.of(status);
		ProblemDetail problem = Problems.of(type, status, type.title());
		if (request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) instanceof String uri) {
			problem.setInstance(URI.create(uri));
		}
		return ResponseEntity.status(status).contentType(MediaType.APPLICATION_PROBLEM_JSON).body(problem);
	}

}
