package io.fdtable.container;

import java.io.IOException;

import com.github.dockerjava.api.model.ContainerConfig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.junit.jupiter.Testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Guards what the image promises to operators: its user, its entry point, its AOT cache,
 * and that it needs neither a writable root nor a capability.
 */
@Testcontainers(disabledWithoutDocker = true)
class ImageIT {

	private static final FdTableContainer service = FdTableContainer.SHARED;

	@BeforeAll
	static void start() {
		service.start();
	}

	@Test
	void startsJavaWithNoShellBetween() {
		ContainerConfig config = config();
		assertThat(config.getEntrypoint()).containsExactly("java", "@jvm.options", "-XX:AOTCache=app.aot", "-jar",
				"app.jar");
		assertThat(config.getUser()).isEqualTo("65532:65532");
		assertThat(config.getWorkingDir()).isEqualTo("/app");
	}

	@Test
	void saysWhatItIs() {
		assertThat(config().getLabels()).contains(entry("org.opencontainers.image.title", "fdtable"),
				entry("org.opencontainers.image.licenses", "Apache-2.0"));
	}

	@Test
	void runsWithNoPrivilege() throws Exception {
		assertThat(inService("cat", "/proc/1/status").getStdout()).contains("Name:\tjava",
				"Uid:\t65532\t65532\t65532\t65532", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
				"NoNewPrivs:\t1");
	}

	@Test
	void runsFromItsAotCache() throws Exception {
		assertThat(inService("cat", "/proc/1/maps").getStdout()).contains("/app/app.aot");
	}

	@Test
	void runsTheContextThatWasGeneratedWithTheJar() {
		assertThat(service.getLogs()).contains("Starting AOT-processed FdTableApplication");
	}

	@Test
	void writesToTmpOnly() throws Exception {
		assertThat(inService("touch", "/app/file").getStderr()).contains("Read-only file system");
		assertThat(inService("touch", "/tmp/file").getExitCode()).isZero();
	}

	private static ExecResult inService(String... command) throws IOException, InterruptedException {
		return service.execInContainer(command);
	}

	private static ContainerConfig config() {
		return service.getDockerClient().inspectImageCmd(service.getDockerImageName()).exec().getConfig();
	}

}
