package io.fdtable;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Starts the service.
 */
@SpringBootApplication
public class FdTableApplication {

	public static void main(String[] args) {
		SpringApplication.run(FdTableApplication.class, args);
	}

}
