package io.fdtable.web;

import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.fdtable.kernel.AcceptOutcome;
import io.fdtable.kernel.Allocator;
import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdEntry;
import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.ProcessTree;
import io.fdtable.kernel.Rlimit;
import io.fdtable.kernel.Sysctl;
import io.fdtable.kernel.Task;
import io.fdtable.session.Answer;
import io.fdtable.session.SessionId;
import io.fdtable.session.SessionSnapshot;
import io.fdtable.syscall.Syscall;
import io.fdtable.syscall.SyscallResult;
import io.fdtable.web.problem.Problems;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Guards the form of every result of a batch. */
class ResultWriterTest {

	private static final Syscall ANY = new Syscall.Unshare();

	private static final FdEntry RESERVED = new FdEntry(5, 9, false, null, 0);

	private final StringWriter text = new StringWriter();

	private final JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), this.text);

	private final ResultWriter writer = new ResultWriter(this.json);

	private String written() {
		this.json.close();
		return this.text.toString().replace('"', '\'');
	}

	static Object[][] results() {
		FdEntry installed = installed();
		return new Object[][] { { ANY, new SyscallResult.Value(0), "{'ret':0}" },
				{ ANY, new SyscallResult.Value(4294967296L), "{'ret':4294967296}" },
				{ ANY, new SyscallResult.Failure(Errno.EBADF), "{'ret':-1,'errno':'EBADF'}" },
				{ ANY, new SyscallResult.Descriptor(installed, true), "{'ret':3}" },
				{ new Syscall.Reserve(0, false), new SyscallResult.Descriptor(RESERVED, false), "{'ret':5}" },
				{ new Syscall.Accept4(3, 0), new SyscallResult.Descriptor(installed, false), "{'ret':3}" },
				{ new Syscall.Accept4(3, 0), new SyscallResult.Descriptor(RESERVED, false),
						"{'ret':5,'pending':true}" },
				{ ANY, new SyscallResult.Closed(7), "{'ret':0,'closed':7}" },
				{ ANY, new SyscallResult.Forked(2), "{'ret':2,'session':'tree-2'}" },
				{ ANY, new SyscallResult.Unshared(true), "{'ret':0}" },
				{ ANY, new SyscallResult.Executed(new int[] { 3, 5 }, true), "{'ret':0,'closed':[3,5]}" },
				{ ANY, new SyscallResult.Executed(new int[0], true), "{'ret':0,'closed':[]}" },
				{ ANY, new SyscallResult.Installed(installed), "{'ret':0}" },
				{ ANY, new SyscallResult.Pipe(installed, RESERVED), "{'ret':0,'fds':[3,5]}" },
				{ ANY, new SyscallResult.Received(List.of(installed, RESERVED), true),
						"{'ret':2,'fds':[3,5],'truncated':true}" },
				{ ANY, new SyscallResult.Data(new byte[] { 'h', 'i', '!', '!' }), "{'ret':4,'data':'aGkhIQ=='}" },
				{ ANY, new SyscallResult.Data(new byte[0]), "{'ret':0,'data':''}" },
				{ ANY, new SyscallResult.Woke(List.of()), "{'ret':0,'ended':[]}" },
				{ ANY, new SyscallResult.Woke(
						List.of(new AcceptOutcome(1, 5, 9, null), new AcceptOutcome(2, 6, 9, Errno.EINVAL))),
						"{'ret':0,'ended':[{'pid':1,'fd':5,'generation':'9','errno':null},"
								+ "{'pid':2,'fd':6,'generation':'9','errno':'EINVAL'}]}" } };
	}

	private static FdEntry installed() {
		Task task = new ProcessTree(Sysctl.unbounded()).init(1024, 4096, true, Allocator.WORD_FIRST);
		int fd = task.open(null, FileKind.OPAQUE, 0, null);
		return task.files().entry(fd);
	}

	@ParameterizedTest
	@MethodSource("results")
	void writesEveryResult(Syscall call, SyscallResult result, String expected) {
		SessionSnapshot child = (result instanceof SyscallResult.Forked) ? new SessionSnapshot(new SessionId("tree", 2),
				1, null, Rlimit.DEFAULT, Allocator.WORD_FIRST, 1, Instant.EPOCH, Instant.EPOCH, Duration.ZERO) : null;
		this.writer.write(call, new Answer(result, Rlimit.DEFAULT, child, false));
		assertThat(written()).isEqualTo(expected);
	}

	@Test
	void writesThatACallWasSkipped() {
		this.writer.writeSkipped();
		assertThat(written()).isEqualTo("{'skipped':true}");
	}

	@Test
	void writesAProblemWithItsPlace() {
		this.writer.writeProblem(Problems.malformed(List.of(new Problems.FieldError("/fd", "is missing"))), "line", 7);
		assertThat(written()).isEqualTo("{'type':'/problems/malformed-request','title':'Malformed request',"
				+ "'status':400,'detail':'the request has an error: correct the members, parameters or headers that"
				+ " errors names','line':7,'errors':[{'pointer':'/fd','detail':'is missing'}]}");
	}

}
