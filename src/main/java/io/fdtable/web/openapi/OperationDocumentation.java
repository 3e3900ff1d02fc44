package io.fdtable.web.openapi;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.Fcntl;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.kernel.Rlimit;
import io.fdtable.syscall.Syscall;
import io.fdtable.web.problem.ErrnoStatus;
import io.fdtable.web.problem.ProblemType;
import io.fdtable.web.problem.Problems;
import io.fdtable.web.problem.SyscallFailedException;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.examples.Example;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.OperationCustomizer;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.method.HandlerMethod;

/**
 * Adds to each operation what all of its kind have in common: problem responses, the
 * headers that make retries safe, examples.
 */
class OperationDocumentation implements OperationCustomizer {

	private static final String SESSION_EXAMPLE = "mfrggzdfmztwq2lknnwg23tpob-1";

	private final OperationExamples examples;

	OperationDocumentation(OperationExamples examples) {
		this.examples = examples;
	}

	@Override
	public Operation customize(Operation operation, HandlerMethod method) {
		boolean changes = !method.hasMethodAnnotation(GetMapping.class) && !operation.getTags().contains("Traces");
		// A reservation has a token where a descriptor has an ETag.
		boolean onDescriptor = hasParameter(operation, "fd") && !operation.getTags().contains("Reservations");
		describePathParameters(operation);
		Errnos errnos = method.getMethodAnnotation(Errnos.class);
		if (errnos != null) {
			for (Errno errno : errnos.value()) {
				addProblem(operation, ErrnoStatus.of(errno), errno.name(), Problems
					.of(new SyscallFailedException(errno, sampleCall(operation.getOperationId()), Rlimit.DEFAULT)));
			}
		}
		addProblem(operation, ProblemType.MALFORMED_REQUEST.status(), ProblemType.MALFORMED_REQUEST.slug(),
				Problems.malformed(List.of(new Problems.FieldError("/label", "is not a member of this request"))));
		if (operation.getOperationId().equals("streamEvents")) {
			addProblem(operation, ProblemType.EVENTS_GONE);
			addProblem(operation, ProblemType.TOO_MANY_STREAMS);
		}
		if (changes) {
			addHeader(operation, "Idempotency-Key",
					"A retry with the same key changes nothing and gets the same answer, with Idempotent-Replayed: true",
					"\"4f1c9c1e-close-7\"");
			addProblem(operation, ProblemType.IDEMPOTENCY_KEY_REUSED);
			addProblem(operation, ProblemType.TOO_MANY_IDEMPOTENCY_KEYS);
		}
		if (changes && onDescriptor) {
			addHeader(operation, "If-Match",
					"The ETag of the descriptor as last seen; the call is refused if it has changed since", null);
			addProblem(operation, ProblemType.PRECONDITION_FAILED);
		}
		describeResponseHeaders(operation);
		this.examples.addTo(operation);
		return operation;
	}

	/** Returns a call that the examples of an operation's errnos speak of. */
	private static @Nullable Syscall sampleCall(String operationId) {
		return switch (operationId) {
			case "forkSession" -> new Syscall.Fork(false, null);
			case "unshareFiles" -> new Syscall.Unshare();
			case "execSession" -> new Syscall.Execve();
			case "setLimits" -> new Syscall.Prlimit(2048, 1024);
			case "openFd" -> new Syscall.Open("/data/log", FileKind.OPAQUE, OpenFlags.O_CREAT, null);
			case "closeFd" -> new Syscall.Close(3);
			case "dupFd" -> new Syscall.Fcntl(3, Fcntl.F_DUPFD, 4096);
			case "dup2Fd" -> new Syscall.Dup2(3, 4096);
			case "dup3Fd" -> new Syscall.Dup3(3, 3, 0);
			case "fcntlFd" -> new Syscall.Fcntl(3, 99, 0);
			case "createPipe" -> new Syscall.Pipe2(OpenFlags.O_APPEND);
			case "readFd" -> new Syscall.Read(3, 1);
			case "writeFd" -> new Syscall.Write(3, new byte[0]);
			case "lseekFd" -> new Syscall.Lseek(3, -1, 0);
			case "pidfdGetfd" -> new Syscall.PidfdGetfd(2, 3);
			case "sendFds" -> new Syscall.Sendmsg(2, new int[0]);
			case "receiveFds" -> new Syscall.Recvmsg(1, false);
			case "acceptFd" -> new Syscall.Accept4(3, 0);
			case "connectFd" -> new Syscall.Connect(5, 4);
			case "shutdownFd" -> new Syscall.Shutdown(3, 2);
			case "closeRange" -> new Syscall.CloseRange(5, 4, 0);
			case "reserveFd" -> new Syscall.Reserve(0, false);
			case "installFd" -> new Syscall.Install(3, 0, "/data/log", FileKind.OPAQUE, OpenFlags.O_CREAT, null);
			case "releaseFd" -> new Syscall.Release(3, 0);
			default -> null;
		};
	}

	private static boolean hasParameter(Operation operation, String name) {
		return operation.getParameters() != null
				&& operation.getParameters().stream().map(Parameter::getName).anyMatch(name::equals);
	}

	private static void describePathParameters(Operation operation) {
		if (operation.getParameters() == null) {
			return;
		}
		for (Parameter parameter : operation.getParameters()) {
			switch (parameter.getName()) {
				case "id" -> parameter.description("The id of a session").example(SESSION_EXAMPLE);
				case "fd" ->
					parameter.description("A descriptor, taken as unsigned 32-bit: -1 is 4294967295").example(3);
				case "traceId" ->
					parameter.description("The id of a trace").example("6f1d0c0b7a8e4d33a1f4e6f2b9c85d07");
				case "pid" -> parameter.description("A process of the log").example(15691);
				case "tracedFd" -> parameter.description("A descriptor").example(9);
				case "line" -> parameter.description("A line of the log, from 1").example(186);
				case "from" -> parameter.description("The earlier line").example(180);
				case "to" -> parameter.description("The later line").example(255);
				case "nofile" -> parameter.description("A soft RLIMIT_NOFILE").example(12);
				case "pageSize" -> parameter.description("How many to list at most, 1 to 1024");
				case "pageToken" -> parameter.description("The nextPageToken of the page before");
				default -> {
				}
			}
		}
	}

	private static void addHeader(Operation operation, String name, String description, @Nullable String example) {
		operation.addParametersItem(new HeaderParameter().name(name)
			.required(false)
			.description(description)
			.schema(new StringSchema())
			.example(example));
	}

	private static void describeResponseHeaders(Operation operation) {
		operation.getResponses().forEach((status, response) -> {
			if (status.equals("201")) {
				response.addHeaderObject("Location",
						new Header().description("Where the new resource is").schema(new StringSchema()));
			}
		});
	}

	private static void addProblem(Operation operation, ProblemType type) {
		addProblem(operation, type.status(), type.slug(), Problems.of(type, type.status(), "nothing was done"));
	}

	private static void addProblem(Operation operation, HttpStatus status, String name, ProblemDetail problem) {
		String code = Integer.toString(status.value());
		ApiResponse response = operation.getResponses()
			.computeIfAbsent(code,
					(absent) -> new ApiResponse().description(status.getReasonPhrase()).content(new Content()));
		MediaType media = response.getContent()
			.computeIfAbsent("application/problem+json", (absent) -> new MediaType()
				.schema(new Schema<>().$ref("#/components/schemas/" + ProblemSchema.NAME)));
		media.addExamples(name, new Example().summary(problem.getTitle()).value(asMap(problem)));
	}

	private static Map<String, Object> asMap(ProblemDetail problem) {
		Map<String, Object> map = new LinkedHashMap<>();
		map.put("type", String.valueOf(problem.getType()));
		map.put("title", String.valueOf(problem.getTitle()));
		map.put("status", problem.getStatus());
		map.put("detail", String.valueOf(problem.getDetail()));
		if (problem.getProperties() != null) {
			map.putAll(problem.getProperties());
		}
		return map;
	}

}
