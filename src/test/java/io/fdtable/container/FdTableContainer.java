package io.fdtable.container;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.ImageFromDockerfile;

/**
 * The image, built from the Dockerfile and the packaged jar, run as the Kubernetes
 * deployment runs it.
 */
class FdTableContainer extends GenericContainer<FdTableContainer> {

	static final long MEMORY_BYTES = 512L * 1024 * 1024;

	private static final int PORT = 8080;

	private static final ImageFromDockerfile IMAGE = new ImageFromDockerfile("fdtable:it", false)
		.withDockerfile(Path.of("Dockerfile").toAbsolutePath());

	/** For tests that leave it running; start it before use. Ends with the JVM. */
	static final FdTableContainer SHARED = new FdTableContainer();

	FdTableContainer() {
		super(IMAGE);
		withExposedPorts(PORT);
		// AOTMode=on: no start without the cache, where the image as shipped would only
		// be slower.
		withEnv("JAVA_TOOL_OPTIONS", "-XX:MaxRAMPercentage=60 -XX:AOTMode=on");
		withTmpFs(Map.of("/tmp", "size=64m"));
		withCreateContainerCmdModifier(FdTableContainer::restrict);
		waitingFor(Wait.forHttp("/readyz").forPort(PORT));
	}

	private static void restrict(CreateContainerCmd create) {
		HostConfig host = create.getHostConfig();
		host.withReadonlyRootfs(true)
			.withCapDrop(Capability.ALL)
			.withSecurityOpts(List.of("no-new-privileges"))
			.withMemory(MEMORY_BYTES)
			.withMemorySwap(MEMORY_BYTES);
	}

	URI uri(String path) {
		return URI.create("http://" + getHost() + ":" + port() + path);
	}

	int port() {
		return getMappedPort(PORT);
	}

}
