package io.fdtable.web;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards what one can see of a table: the bitmaps, drawn and as words, and statistics.
 */
@ServerTest
class InspectionControllerIT {

	@Autowired
	private Api api;

	private String session;

	@BeforeEach
	void createSession() {
		this.session = this.api.session();
	}

	@Test
	void showsTheWordsOfTheBitmaps() {
		this.api.post(this.session + "/fds/0/dup3", "{\"newFd\":65,\"flags\":[\"O_CLOEXEC\"]}").is(200);
		this.api.get(this.session + "/bitmap").is(200, """
				{"capacity":128,"nextFd":3,
				"openFds":["0x0000000000000007","0x0000000000000002"],
				"closeOnExec":["0x0000000000000000","0x0000000000000002"],
				"fullFdsBits":["0x0000000000000000"],"reserved":[]}""");
	}

	@Test
	void drawsTheBitmap() {
		for (int fd = 3; fd < 64; fd++) {
			this.api.open(this.session);
		}
		this.api.post(this.session + "/fds/0/dup3", "{\"newFd\":255,\"flags\":[\"O_CLOEXEC\"]}").is(200);
		Reply reply = this.api.get(this.session + "/bitmap", HttpHeaders.ACCEPT, "text/plain").is(200);
		assertThat(reply.header(HttpHeaders.CONTENT_TYPE)).startsWith("text/plain");
		assertThat(reply.text()).startsWith("capacity 256, next_fd 64\n")
			.contains("         0  " + "######## ".repeat(8).strip() + "  full\n")
			.contains("        64  ........ ........")
			.contains("            … 1 more word like this\n       192  ........")
			.endsWith(" .......c\n");
	}

	@Test
	void showsWhatATableHoldsAndHasDone() {
		this.api.open(this.session);
		this.api.delete(this.session + "/fds/1").is(204);
		this.api.delete(this.session + "/fds/9").is(404);
		this.api.fork(this.session, true);
		JsonNode statistics = this.api.get(this.session + "/statistics").is(200).json();
		JsonNode table = statistics.path("table");
		assertThat(table.path("open").asInt()).isEqualTo(3);
		assertThat(table.path("reserved").asInt()).isZero();
		assertThat(table.path("holes").asInt()).isEqualTo(1);
		assertThat(table.path("highest").asInt()).isEqualTo(3);
		assertThat(table.path("highWater").asInt()).isEqualTo(3);
		assertThat(table.path("capacity").asInt()).isEqualTo(64);
		assertThat(table.path("nextFd").asInt()).isEqualTo(1);
		assertThat(table.path("sharers").asInt()).isEqualTo(2);
		assertThat(statistics.path("calls"))
			.hasToString("{\"clone\":{\"ok\":1},\"close\":{\"EBADF\":1,\"ok\":1},\"openat\":{\"ok\":1}}");
	}

	@Test
	void showsWhatTheServiceHolds() {
		JsonNode before = this.api.get("/v1/statistics").is(200).json();
		this.api.open(this.session);
		JsonNode after = this.api.get("/v1/statistics").is(200).json();
		assertThat(after.path("openFiles").asLong()).isEqualTo(before.path("openFiles").asLong() + 1);
		assertThat(after.path("sessions").asLong()).isEqualTo(before.path("sessions").asLong());
		assertThat(after.path("maxSessions").asLong()).isEqualTo(10_000);
		assertThat(after.path("nrOpen").asInt()).isEqualTo(1_048_576);
		assertThat(after.path("fileMax").asLong()).isEqualTo(1_000_000);
		assertThat(after.path("calls").path("openat").path("ok").asLong())
			.isEqualTo(before.path("calls").path("openat").path("ok").asLong() + 1);
	}

}
