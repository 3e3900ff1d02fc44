package io.fdtable.web;

import java.time.Duration;
import java.time.Instant;

import io.fdtable.kernel.Errno;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards what clients see of reservations: every status of the three operations. */
@ServerTest
@TestPropertySource(properties = "fdtable.reservation.max-lease=PT10M")
class ReservationControllerIT {

	private static final String TOKEN = ReservationController.TOKEN_HEADER;

	@Autowired
	private Api api;

	private String session;

	private String reservations;

	@BeforeEach
	void createSession() {
		this.session = this.api.session("{\"limits\":{\"nofile\":{\"soft\":8,\"hard\":8}}}");
		this.reservations = this.session + "/reservations";
	}

	private String reserve() {
		return this.api.post(this.reservations, null).is(201).json().path("token").asString();
	}

	private Reply install(int fd, String token, String members) {
		return this.api.put(this.reservations + "/" + fd, "{\"token\":\"" + token + "\"" + members + "}");
	}

	@Test
	void reservesInstallsAndClosesADescriptor() {
		Instant before = Instant.now();
		Reply reply = this.api.post(this.reservations, "{\"minFd\":5,\"closeOnExec\":true,\"lease\":\"PT1M\"}").is(201);
		assertThat(reply.header(HttpHeaders.LOCATION)).isEqualTo(this.reservations + "/5");
		JsonNode reservation = reply.json();
		assertThat(reservation.propertyNames()).containsExactlyInAnyOrder("fd", "generation", "token", "expiresAt");
		assertThat(reservation.path("token").asString()).matches("[a-z2-7]{26}");
		assertThat(Instant.parse(reservation.path("expiresAt").asString())).isBetween(before.plusSeconds(60),
				Instant.now().plusSeconds(60));
		JsonNode reserved = this.api.get(this.session + "/fds/5").is(200).json();
		assertThat(reserved.path("state").asString()).isEqualTo("RESERVED");
		assertThat(reserved.path("generation")).isEqualTo(reservation.path("generation"));

		Reply installed = install(5, reservation.path("token").asString(),
				",\"path\":\"/data\",\"kind\":\"REGULAR\",\"flags\":[\"O_RDWR\"],\"label\":\"mine\"")
			.is(200);
		JsonNode descriptor = installed.json();
		assertThat(descriptor.path("state").asString()).isEqualTo("INSTALLED");
		assertThat(descriptor.path("closeOnExec").asBoolean()).isTrue();
		assertThat(descriptor.path("accessMode").asString()).isEqualTo("O_RDWR");
		assertThat(descriptor.path("label").asString()).isEqualTo("mine");
		assertThat(descriptor.path("generation")).isEqualTo(reservation.path("generation"));
		String etag = installed.header(HttpHeaders.ETAG);
		assertThat(etag).isNotNull();
		this.api.delete(this.session + "/fds/5", HttpHeaders.IF_MATCH, etag).is(204);
	}

	@Test
	void releasesADescriptor() {
		String token = reserve();
		this.api.delete(this.reservations + "/3", TOKEN, token).is(204);
		this.api.get(this.session + "/fds/3").isErrno(404, Errno.EBADF);
		this.api.delete(this.reservations + "/3", TOKEN, token).isErrno(404, Errno.EBADF, "release");
		install(3, token, "").isErrno(404, Errno.EBADF, "install");
	}

	@Test
	void anInstalledDescriptorIsBusy() {
		String token = reserve();
		install(3, token, "").is(200);
		install(3, token, "").isErrno(409, Errno.EBUSY, "install");
		this.api.delete(this.reservations + "/3", TOKEN, token).isErrno(409, Errno.EBUSY, "release");
	}

	@Test
	void anotherTokenIsStale() {
		reserve();
		String other = reserve();
		install(3, other, "").isErrno(410, Errno.ESTALE, "install");
		this.api.delete(this.reservations + "/3", TOKEN, other).isErrno(410, Errno.ESTALE, "release");
	}

	@Test
	void anExpiredLeaseIsGivenBack() throws InterruptedException {
		String token = this.api.post(this.reservations, "{\"lease\":\"PT1S\"}").is(201).json().path("token").asString();
		Instant deadline = Instant.now().plus(Duration.ofSeconds(20));
		while (this.api.get(this.session + "/fds/3").status() == 200) {
			assertThat(Instant.now()).isBefore(deadline);
			Thread.sleep(50);
		}
		install(3, token, "").isErrno(404, Errno.EBADF, "install");
	}

	@Test
	void aRetryGetsTheSameToken() {
		String body = "{\"minFd\":4}";
		Reply first = this.api.post(this.reservations, body, CallContext.IDEMPOTENCY_KEY, "key").is(201);
		Reply again = this.api.post(this.reservations, body, CallContext.IDEMPOTENCY_KEY, "key").is(201, first.text());
		assertThat(again.header(CallContext.IDEMPOTENT_REPLAYED)).isEqualTo("true");
		this.api.get(this.session + "/fds/5").isErrno(404, Errno.EBADF);
	}

	@Test
	void reserveAnswersEmfile() {
		this.api.post(this.reservations, "{\"minFd\":8}").isErrno(409, Errno.EMFILE, "reserve");
		for (int fd = 3; fd < 8; fd++) {
			reserve();
		}
		this.api.post(this.reservations, null).isErrno(409, Errno.EMFILE, "reserve");
		this.api.post(this.session + "/fds", null).isErrno(409, Errno.EMFILE);
	}

	@Test
	void installAnswersWhatOpenDoesAndKeepsTheReservation() {
		this.api.post(this.session + "/fds", "{\"path\":\"/f\",\"kind\":\"REGULAR\",\"flags\":[\"O_CREAT\"]}").is(201);
		this.api.delete(this.session + "/fds/3").is(204);
		String token = reserve();
		String regular = ",\"kind\":\"REGULAR\",\"path\":";
		install(3, token, regular + "\"\"").isErrno(404, Errno.ENOENT, "install");
		install(3, token, regular + "\"/" + "x".repeat(4096) + "\"").isErrno(422, Errno.ENAMETOOLONG, "install");
		install(3, token, regular + "\"/f\",\"flags\":[\"O_CREAT\",\"O_DIRECTORY\"]").isErrno(422, Errno.EINVAL,
				"install");
		install(3, token, regular + "\"/f\",\"flags\":[\"O_DIRECTORY\"]").isErrno(409, Errno.ENOTDIR, "install");
		install(3, token, regular + "\"/f\",\"flags\":[\"O_CREAT\",\"O_EXCL\"]").isErrno(409, Errno.EEXIST, "install");
		install(3, token, ",\"kind\":\"DIRECTORY\",\"path\":\"/d\",\"flags\":[\"O_RDWR\"]").isErrno(409, Errno.EISDIR,
				"install");
		install(3, token, "").is(200);
	}

	@Test
	void thereIsNothingToReserveWithoutASession() {
		String token = reserve();
		this.api.delete(this.session).is(204);
		this.api.post(this.reservations, null).isErrno(404, Errno.ESRCH);
		install(3, token, "").isErrno(404, Errno.ESRCH);
		this.api.delete(this.reservations + "/3", TOKEN, token).isErrno(404, Errno.ESRCH);
	}

	@Test
	void whatHasNoMeaningIsMalformed() {
		this.api.post(this.reservations, "{\"lease\":\"PT0S\"}").isMalformedAt("/lease");
		this.api.post(this.reservations, "{\"lease\":\"PT10M1S\"}").isMalformedAt("/lease");
		this.api.post(this.reservations, "{\"lease\":\"soon\"}").isMalformedAt("/lease");
		this.api.post(this.reservations, "{\"minFD\":3}").isMalformedAt("/minFD");
		this.api.put(this.reservations + "/3", "{}").isMalformedAt("/token");
		this.api.delete(this.reservations + "/3").isProblem(400, "malformed-request");
		this.api.delete(this.reservations + "/x", TOKEN, "x").isMalformedAt("fd");
	}

}
