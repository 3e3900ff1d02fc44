package io.fdtable.web;

import java.io.IOException;

import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.test.context.TestComponent;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Fails in ways that no request to the product's own controllers can provoke. */
@TestComponent
@RestController
class FaultyController {

	static final String SECRET = "jdbc:secret@internal";

	@GetMapping("/faulty/exception")
	String exception() {
		throw new IllegalStateException(SECRET);
	}

	@GetMapping("/faulty/error")
	String error() {
		throw new AssertionError(SECRET);
	}

	@GetMapping("/faulty/send-error")
	void sendError(HttpServletResponse response) throws IOException {
		response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, SECRET);
	}

}
