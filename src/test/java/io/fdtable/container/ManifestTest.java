package io.fdtable.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

/**
 * Guards the Kubernetes manifests: each is read with the typed model of the Kubernetes
 * API, in which a misspelt field is an error, and says what the image and the service
 * need.
 */
class ManifestTest {

	private static final Path BASE = Path.of("k8s");

	private static final KubernetesSerialization KUBERNETES = new KubernetesSerialization(strictMapper(), true);

	@Test
	void aMisspeltFieldIsAnError() {
		assertThatThrownBy(() -> KUBERNETES.unmarshal("""
				apiVersion: apps/v1
				kind: Deployment
				spec:
				  template:
				    spec:
				      containers:
				        - name: fdtable
				          readynessProbe: {}
				""")).rootCause()
			.isInstanceOf(UnrecognizedPropertyException.class)
			.hasMessageContaining("readynessProbe");
	}

	@Test
	void theBaseListsEveryManifest() throws IOException {
		JsonNode kustomization = KUBERNETES.unmarshal(Files.readString(BASE.resolve("kustomization.yaml")),
				JsonNode.class);
		assertThat(kustomization.get("resources").valueStream().map(JsonNode::asString))
			.containsExactlyInAnyOrderElementsOf(manifests());
		assertThat(kustomization.get("namespace").asString())
			.isEqualTo(read("namespace", Namespace.class).getMetadata().getName());
	}

	@Test
	void theTagIsTheVersionOfTheBuild() throws IOException {
		JsonNode kustomization = KUBERNETES.unmarshal(Files.readString(BASE.resolve("kustomization.yaml")),
				JsonNode.class);
		assertThat(kustomization.at("/images/0/name").asString()).isEqualTo(container().getImage());
		assertThat(kustomization.at("/images/0/newTag").asString())
			.isEqualTo(PropertiesLoaderUtils.loadProperties(new ClassPathResource("META-INF/build-info.properties"))
				.getProperty("build.version"));
	}

	@Test
	void theNamespaceEnforcesTheRestrictedPodSecurityStandard() {
		assertThat(read("namespace", Namespace.class).getMetadata().getLabels())
			.contains(entry("pod-security.kubernetes.io/enforce", "restricted"));
	}

	@Test
	void onePodIsReplacedAndNeverDoubled() {
		Deployment deployment = deployment();
		assertThat(deployment.getSpec().getReplicas()).isEqualTo(1);
		assertThat(deployment.getSpec().getStrategy().getType()).isEqualTo("Recreate");
		assertThat(deployment.getSpec().getStrategy().getRollingUpdate()).isNull();
		assertThat(manifests()).noneMatch((name) -> name.contains("autoscaler"));
	}

	@Test
	void thePodMeetsTheRestrictedPodSecurityStandard() {
		PodSpec pod = pod();
		assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
		assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
		assertThat(pod.getHostNetwork()).isNull();
		assertThat(pod.getHostPID()).isNull();
		assertThat(pod.getHostIPC()).isNull();
		assertThat(pod.getInitContainers()).isEmpty();
		assertThat(container().getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
		assertThat(container().getSecurityContext().getPrivileged()).isNull();
		assertThat(container().getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
		assertThat(container().getSecurityContext().getCapabilities().getAdd()).isEmpty();
	}

	@Test
	void theContainerRunsAsTheUserOfTheImage() throws IOException {
		assertThat(Files.readAllLines(Path.of("Dockerfile"))).contains("USER 65532:65532");
		assertThat(pod().getSecurityContext().getRunAsUser()).isEqualTo(65532L);
		assertThat(pod().getSecurityContext().getRunAsGroup()).isEqualTo(65532L);
	}

	@Test
	void onlyTmpCanBeWrittenTo() {
		assertThat(container().getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
		assertThat(container().getVolumeMounts()).singleElement().satisfies((mount) -> {
			assertThat(mount.getName()).isEqualTo("tmp");
			assertThat(mount.getMountPath()).isEqualTo("/tmp");
		});
		assertThat(pod().getVolumes()).singleElement().satisfies((volume) -> {
			assertThat(volume.getName()).isEqualTo("tmp");
			assertThat(volume.getEmptyDir().getSizeLimit()).isEqualTo(new Quantity("64Mi"));
		});
	}

	@Test
	void tracesAreRefusedBeforeTheirFilesFillTmp() {
		String maxDisk = container().getEnv()
			.stream()
			.filter((variable) -> variable.getName().equals("FDTABLE_TRACE_MAXDISK"))
			.map((variable) -> variable.getValue())
			.findFirst()
			.orElseThrow();
		assertThat(DataSize.parse(maxDisk)).isEqualTo(DataSize.ofMegabytes(48));
		assertThat(pod().getVolumes().getFirst().getEmptyDir().getSizeLimit().getNumericalAmount().longValueExact())
			.isGreaterThan(DataSize.ofMegabytes(48 + 8).toBytes());
	}

	@Test
	void noTokenOfTheClusterIsMounted() {
		assertThat(read("service-account", ServiceAccount.class).getAutomountServiceAccountToken()).isFalse();
		assertThat(pod().getAutomountServiceAccountToken()).isFalse();
		assertThat(pod().getServiceAccountName())
			.isEqualTo(read("service-account", ServiceAccount.class).getMetadata().getName());
		assertThat(pod().getEnableServiceLinks()).isFalse();
	}

	@Test
	void probesAskTheServiceOnItsOwnPort() {
		assertThat(container().getPorts()).singleElement().satisfies((port) -> {
			assertThat(port.getName()).isEqualTo("http");
			assertThat(port.getContainerPort()).isEqualTo(8080);
		});
		assertProbe(container().getStartupProbe(), "/livez");
		assertProbe(container().getLivenessProbe(), "/livez");
		assertProbe(container().getReadinessProbe(), "/readyz");
		assertThat(container().getStartupProbe().getPeriodSeconds()).isEqualTo(1);
		assertThat(container().getStartupProbe().getFailureThreshold()).isEqualTo(60);
	}

	@Test
	void theGracePeriodHoldsPreStopAndShutdown() throws IOException {
		Long preStop = container().getLifecycle().getPreStop().getSleep().getSeconds();
		Duration shutdown = Duration.parse("PT" + setting("spring.lifecycle.timeout-per-shutdown-phase"));
		assertThat(preStop).isEqualTo(5);
		assertThat(setting("server.shutdown")).isEqualTo("graceful");
		assertThat(pod().getTerminationGracePeriodSeconds()).isEqualTo(preStop + shutdown.toSeconds() + 5);
	}

	@Test
	void theHeapLeavesAThirdOfTheMemoryToTheRest() throws IOException {
		Quantity limit = container().getResources().getLimits().get("memory");
		assertThat(limit).isEqualTo(new Quantity("512Mi"));
		assertThat(container().getResources().getRequests()).containsEntry("memory", limit)
			.containsEntry("cpu", new Quantity("250m"));
		assertThat(container().getResources().getLimits()).containsEntry("cpu", new Quantity("2"));
		EnvVar options = container().getEnv().getFirst();
		assertThat(options.getName()).isEqualTo("JAVA_TOOL_OPTIONS");
		assertThat(options.getValue()).isEqualTo("-XX:MaxRAMPercentage=60");
		assertThat(Files.readAllLines(Path.of("Dockerfile")))
			.contains("ENV JAVA_TOOL_OPTIONS=\"" + options.getValue() + "\"");
	}

	@Test
	void prometheusFindsTheMetrics() {
		assertThat(deployment().getSpec().getTemplate().getMetadata().getAnnotations()).containsOnly(
				entry("prometheus.io/scrape", "true"), entry("prometheus.io/port", "8080"),
				entry("prometheus.io/path", "/actuator/prometheus"));
	}

	@Test
	void selectorsFindThePod() {
		var labels = deployment().getSpec().getTemplate().getMetadata().getLabels();
		assertThat(labels).containsOnly(entry("app.kubernetes.io/name", "fdtable"));
		assertThat(deployment().getSpec().getSelector().getMatchLabels()).isEqualTo(labels);
		assertThat(read("service", Service.class).getSpec().getSelector()).isEqualTo(labels);
		assertThat(read("network-policy", NetworkPolicy.class).getSpec().getPodSelector().getMatchLabels())
			.isEqualTo(labels);
		assertThat(read("pod-disruption-budget", PodDisruptionBudget.class).getSpec().getSelector().getMatchLabels())
			.isEqualTo(labels);
	}

	@Test
	void theServiceLeadsToTheNamedPort() {
		assertThat(read("service", Service.class).getSpec().getPorts()).singleElement()
			.satisfies((port) -> assertThat(port.getTargetPort()).isEqualTo(new IntOrString("http")));
	}

	@Test
	void theNetworkIsClosedButForTheServicesPort() {
		NetworkPolicy policy = read("network-policy", NetworkPolicy.class);
		assertThat(policy.getSpec().getPolicyTypes()).containsExactlyInAnyOrder("Ingress", "Egress");
		assertThat(policy.getSpec().getEgress()).isEmpty();
		NetworkPolicyIngressRule rule = policy.getSpec().getIngress().getFirst();
		assertThat(policy.getSpec().getIngress()).hasSize(1);
		assertThat(rule.getPorts()).singleElement()
			.satisfies((port) -> assertThat(port.getPort()).isEqualTo(new IntOrString("http")));
		// An empty list of peers would let everyone in.
		assertThat(rule.getFrom()).hasSize(2);
	}

	@Test
	void noDrainEndsSessionsUnasked() {
		PodDisruptionBudget budget = read("pod-disruption-budget", PodDisruptionBudget.class);
		assertThat(budget.getSpec().getMinAvailable()).isEqualTo(new IntOrString(1));
		assertThat(budget.getSpec().getUnhealthyPodEvictionPolicy()).isEqualTo("AlwaysAllow");
	}

	private static void assertProbe(Probe probe, String path) {
		HTTPGetAction get = probe.getHttpGet();
		assertThat(get.getPath()).isEqualTo(path);
		assertThat(get.getPort()).isEqualTo(new IntOrString("http"));
	}

	private static Container container() {
		assertThat(pod().getContainers()).hasSize(1);
		return pod().getContainers().getFirst();
	}

	private static PodSpec pod() {
		return deployment().getSpec().getTemplate().getSpec();
	}

	private static Deployment deployment() {
		return read("deployment", Deployment.class);
	}

	private static List<String> manifests() {
		try (Stream<Path> files = Files.list(BASE)) {
			return files.map((file) -> file.getFileName().toString())
				.filter((name) -> !name.equals("kustomization.yaml"))
				.toList();
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
	}

	private static <T> T read(String name, Class<T> type) {
		try {
			Object resource = KUBERNETES.unmarshal(Files.readString(BASE.resolve(name + ".yaml")));
			return type.cast(resource);
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
	}

	private static Object setting(String name) throws IOException {
		return new YamlPropertySourceLoader().load("application", new ClassPathResource("application.yml"))
			.getFirst()
			.getProperty(name);
	}

	/**
	 * The model keeps fields that it does not know in a map; without that map they are
	 * errors.
	 */
	private static JsonMapper strictMapper() {
		return JsonMapper.builder()
			.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.annotationIntrospector(new JacksonAnnotationIntrospector() {
				@Override
				public Boolean hasAnySetter(MapperConfig<?> config, Annotated annotated) {
					return false;
				}
			})
			.build();
	}

}
