package io.fdtable.web;

import java.util.Arrays;

import io.fdtable.kernel.FileKind;
import io.fdtable.kernel.OpenFlags;
import io.fdtable.syscall.Syscall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards how the calls of a batch are read: every call with all of its members, and every
 * way in which one can be malformed.
 */
class CallReaderTest {

	private static final JsonFactory JSON = new JsonFactory();

	private final CallReader reader = new CallReader();

	private BatchItem read(String json) {
		try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json.replace('\'', '"'))) {
			parser.nextToken();
			return this.reader.read(parser);
		}
	}

	private BatchItem.Malformed malformed(String json) {
		return (BatchItem.Malformed) read(json);
	}

	static Object[][] calls() {
		return new Object[][] { { "{'call':'open'}", open(null, FileKind.OPAQUE, 0, null) },
				{ "{'call':'open','path':'/a','kind':'REGULAR','flags':['O_RDWR','O_CLOEXEC'],'label':'l'}",
						open("/a", FileKind.REGULAR, OpenFlags.O_RDWR | OpenFlags.O_CLOEXEC, "l") },
				{ "{'flags':['0x2'],'label':null,'path':null,'kind':null,'call':'open'}",
						open(null, FileKind.OPAQUE, 2, null) },
				{ "{'call':'close','fd':3}", new Syscall.Close(3) },
				{ "{'fd':4294967295,'call':'close'}", new Syscall.Close(-1) },
				{ "{'call':'close','fd':-2147483648}", new Syscall.Close(Integer.MIN_VALUE) },
				{ "{'call':'close_range','first':3,'last':4294967295}", new Syscall.CloseRange(3, -1, 0) },
				{ "{'call':'close_range','flags':['CLOSE_RANGE_UNSHARE','CLOSE_RANGE_CLOEXEC'],'first':3,'last':9}",
						new Syscall.CloseRange(3, 9, 6) },
				{ "{'call':'dup','oldFd':5}", new Syscall.Dup(5) },
				{ "{'call':'dup2','oldFd':5,'newFd':6}", new Syscall.Dup2(5, 6) },
				{ "{'call':'dup3','oldFd':5,'newFd':6}", new Syscall.Dup3(5, 6, 0) },
				{ "{'call':'dup3','newFd':6,'oldFd':5,'flags':['O_CLOEXEC']}",
						new Syscall.Dup3(5, 6, OpenFlags.O_CLOEXEC) },
				{ "{'call':'fcntl','fd':1,'cmd':'F_GETFD'}", new Syscall.Fcntl(1, 1, 0) },
				{ "{'call':'fcntl','fd':1,'cmd':'F_DUPFD_CLOEXEC','arg':10}", new Syscall.Fcntl(1, 1030, 10) },
				{ "{'call':'fcntl','fd':1,'cmd':'99','arg':-9223372036854775808}",
						new Syscall.Fcntl(1, 99, Long.MIN_VALUE) },
				{ "{'call':'pipe2'}", new Syscall.Pipe2(0) },
				{ "{'call':'pipe2','flags':['O_NONBLOCK']}", new Syscall.Pipe2(OpenFlags.O_NONBLOCK) },
				{ "{'call':'fork'}", new Syscall.Fork(false, null) },
				{ "{'call':'fork','shareFiles':true,'label':'w'}", new Syscall.Fork(true, "w") },
				{ "{'call':'unshare'}", new Syscall.Unshare() }, { "{'call':'execve'}", new Syscall.Execve() },
				{ "{'call':'exit'}", new Syscall.Exit() }, { "{'call':'reserve'}", new Syscall.Reserve(0, false) },
				{ "{'call':'reserve','minFd':7,'closeOnExec':true}", new Syscall.Reserve(7, true) },
				{ "{'call':'install','fd':3}", new Syscall.Install(3, 0, null, FileKind.OPAQUE, 0, null) },
				{ "{'call':'install','fd':3,'path':'/a','kind':'DEVICE','flags':['O_WRONLY'],'label':'l'}",
						new Syscall.Install(3, 0, "/a", FileKind.DEVICE, 1, "l") },
				{ "{'call':'release','fd':3}", new Syscall.Release(3, 0) },
				{ "{'call':'pidfd_getfd','fromPid':2,'fd':3}", new Syscall.PidfdGetfd(2, 3) },
				{ "{'call':'sendmsg','toPid':2,'fds':[3,-1,4294967295,0,1,2,3,4,5]}",
						new Syscall.Sendmsg(2, new int[] { 3, -1, -1, 0, 1, 2, 3, 4, 5 }) },
				{ "{'call':'recvmsg','maxFds':2}", new Syscall.Recvmsg(2, false) },
				{ "{'call':'recvmsg','maxFds':2,'closeOnExec':true}", new Syscall.Recvmsg(2, true) },
				{ "{'call':'read','fd':3,'count':4096}", new Syscall.Read(3, 4096) },
				{ "{'call':'write','fd':3,'data':'aGVsbG8='}",
						new Syscall.Write(3, new byte[] { 'h', 'e', 'l', 'l', 'o' }) },
				{ "{'call':'write','fd':3,'data':''}", new Syscall.Write(3, new byte[0]) },
				{ "{'call':'lseek','fd':3,'offset':-1,'whence':'SEEK_END'}", new Syscall.Lseek(3, -1, 2) },
				{ "{'call':'prlimit','soft':10,'hard':-1}", new Syscall.Prlimit(10, -1) },
				{ "{'call':'lseek','fd':3,'offset':'9223372036854775807','whence':'SEEK_SET'}",
						new Syscall.Lseek(3, Long.MAX_VALUE, 0) },
				{ "{'call':'listen','fd':3}", new Syscall.Listen(3, 4096) },
				{ "{'call':'listen','fd':3,'backlog':128}", new Syscall.Listen(3, 128) },
				{ "{'call':'accept4','fd':3}", new Syscall.Accept4(3, 0) },
				{ "{'call':'accept4','fd':3,'flags':['O_CLOEXEC']}", new Syscall.Accept4(3, OpenFlags.O_CLOEXEC) },
				{ "{'call':'connect','fd':4,'file':'o12'}", new Syscall.Connect(4, 12) },
				{ "{'call':'shutdown','fd':4,'how':'SHUT_RDWR'}", new Syscall.Shutdown(4, 2) } };
	}

	private static Syscall open(String path, FileKind kind, int flags, String label) {
		return new Syscall.Open(path, kind, flags, label);
	}

	@ParameterizedTest
	@MethodSource("calls")
	void readsEveryCall(String json, Syscall call) {
		assertThat(read(json)).isEqualTo(new BatchItem.Call(call, 0));
	}

	@Test
	void everyCallIsInThisTest() {
		assertThat(Arrays.stream(calls())
			.map((row) -> ((String) row[0]).replaceAll(".*'call':'(\\w+)'.*", "$1"))
			.distinct())
			.containsExactlyInAnyOrderElementsOf(Arrays.stream(CallName.values()).map(CallName::toString).toList());
	}

	@Test
	void readsThePidThatActs() {
		assertThat(read("{'pid':2,'call':'unshare'}")).isEqualTo(new BatchItem.Call(new Syscall.Unshare(), 2));
	}

	@Test
	void nothingOfOneCallIsLeftInTheNext() {
		read("{'call':'open','pid':2,'path':'/a','kind':'REGULAR','flags':['O_RDWR'],'label':'l'}");
		assertThat(read("{'call':'open'}")).isEqualTo(new BatchItem.Call(open(null, FileKind.OPAQUE, 0, null), 0));
		read("{'call':'fcntl','fd':1,'cmd':'F_SETFD','arg':1}");
		assertThat(read("{'call':'fcntl','fd':1,'cmd':'F_SETFD'}"))
			.isEqualTo(new BatchItem.Call(new Syscall.Fcntl(1, 2, 0), 0));
		read("{'call':'listen','fd':3,'backlog':1}");
		assertThat(read("{'call':'listen','fd':3}")).isEqualTo(new BatchItem.Call(new Syscall.Listen(3, 4096), 0));
		read("{'call':'reserve','minFd':9,'closeOnExec':true}");
		assertThat(read("{'call':'reserve'}")).isEqualTo(new BatchItem.Call(new Syscall.Reserve(0, false), 0));
	}

	@ParameterizedTest
	@ValueSource(strings = { "3", "'open'", "null", "true", "[]", "[{'call':'open'}]" })
	void refusesWhatIsNoObject(String json) {
		assertThat(malformed(json)).isEqualTo(new BatchItem.Malformed("", "is not an object"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			{}                                                | /call
			{'call':null}                                     | /call
			{'call':3}                                        | /call
			{'call':'openat'}                                 | /call
			{'call':'OPEN'}                                   | /call
			{'call':'open','call':'open'}                     | /call
			{'call':'open','mode':1}                          | /mode
			{'call':'open','a/b~c':1}                         | /a~1b~0c
			{'call':'open','fd':3}                            | /fd
			{'fd':3,'call':'open'}                            | /fd
			{'call':'open','path':3}                          | /path
			{'call':'open','kind':'FILE'}                     | /kind
			{'call':'open','kind':3}                          | /kind
			{'call':'open','flags':'O_RDWR'}                  | /flags
			{'call':'open','flags':{}}                        | /flags
			{'call':'open','flags':[2]}                       | /flags/0
			{'call':'open','flags':['O_RDWR',null]}           | /flags/1
			{'call':'open','flags':['O_RDWR',['O_EXCL']]}     | /flags/1
			{'call':'open','flags':['O_RDWR','O_RDWRX']}      | /flags/1
			{'call':'open','flags':['CLOSE_RANGE_CLOEXEC']}   | /flags/0
			{'call':'open','label':true}                      | /label
			{'call':'open','pid':0}                           | /pid
			{'call':'open','pid':-1}                          | /pid
			{'call':'open','pid':2147483648}                  | /pid
			{'call':'open','pid':'2'}                         | /pid
			{'call':'close'}                                  | /fd
			{'call':'close','fd':null}                        | /fd
			{'call':'close','fd':'3'}                         | /fd
			{'call':'close','fd':3.0}                         | /fd
			{'call':'close','fd':4294967296}                  | /fd
			{'call':'close','fd':-2147483649}                 | /fd
			{'call':'close','fd':99999999999999999999}        | /fd
			{'call':'close','fd':3,'fd':3}                    | /fd
			{'call':'close','fd':3,'flags':[]}                | /flags
			{'call':'close_range','first':3}                  | /last
			{'call':'close_range','first':3,'last':9,'flags':['O_CLOEXEC']} | /flags/0
			{'call':'dup'}                                    | /oldFd
			{'call':'dup','fd':3}                             | /fd
			{'call':'dup2','oldFd':3}                         | /newFd
			{'call':'dup3','newFd':3}                         | /oldFd
			{'call':'fcntl','fd':3}                           | /cmd
			{'call':'fcntl','fd':3,'cmd':'F_GETLKX'}          | /cmd
			{'call':'fcntl','fd':3,'cmd':1}                   | /cmd
			{'call':'fcntl','fd':3,'cmd':'F_SETFD','arg':9223372036854775808} | /arg
			{'call':'pipe2','flags':['O_X']}                  | /flags/0
			{'call':'fork','shareFiles':1}                    | /shareFiles
			{'call':'reserve','closeOnExec':'true'}           | /closeOnExec
			{'call':'reserve','minFd':{}}                     | /minFd
			{'call':'install'}                                | /fd
			{'call':'release'}                                | /fd
			{'call':'pidfd_getfd','fd':3}                     | /fromPid
			{'call':'sendmsg','toPid':2}                      | /fds
			{'call':'sendmsg','toPid':2,'fds':3}              | /fds
			{'call':'sendmsg','toPid':2,'fds':[3,'4']}        | /fds/1
			{'call':'sendmsg','toPid':2,'fds':[4294967296]}   | /fds/0
			{'call':'recvmsg'}                                | /maxFds
			{'call':'recvmsg','maxFds':2147483648}            | /maxFds
			{'call':'read','fd':3}                            | /count
			{'call':'write','fd':3}                           | /data
			{'call':'write','fd':3,'data':'a*=='}             | /data
			{'call':'write','fd':3,'data':'a'}                | /data
			{'call':'write','fd':3,'data':'aGVsbG8'}          | /data
			{'call':'lseek','fd':3,'offset':0}                | /whence
			{'call':'lseek','fd':3,'offset':0,'whence':'SET'} | /whence
			{'call':'prlimit','hard':3}                       | /soft
			{'call':'listen','fd':3,'backlog':'1'}            | /backlog
			{'call':'lseek','fd':3,'offset':'x','whence':'SEEK_SET'} | /offset
			{'call':'lseek','fd':3,'offset':1.5,'whence':'SEEK_SET'} | /offset
			{'call':'accept4'}                                | /fd
			{'call':'connect','fd':3,'file':12}               | /file
			{'call':'connect','fd':3,'file':'12'}             | /file
			{'call':'shutdown','fd':3,'how':'RDWR'}           | /how
			""")
	void saysWhereACallIsMalformed(String json, String pointer) {
		assertThat(malformed(json).pointer()).isEqualTo(pointer);
		assertThat(malformed(json).detail()).isNotBlank();
	}

	@Test
	void refusesWhatIsTooLong() {
		assertThat(malformed("{'call':'open','label':'" + "x".repeat(257) + "'}"))
			.isEqualTo(new BatchItem.Malformed("/label", "is longer than 256"));
		assertThat(malformed("{'call':'open','path':'" + "x".repeat(65537) + "'}").pointer()).isEqualTo("/path");
		assertThat(malformed("{'call':'open','flags':[" + "'O_RDWR',".repeat(64) + "'O_RDWR']}").pointer())
			.isEqualTo("/flags");
		assertThat(malformed("{'call':'sendmsg','toPid':1,'fds':[" + "3,".repeat(1024) + "3]}").pointer())
			.isEqualTo("/fds");
	}

	@Test
	void nestingIsRefusedBeforeItIsFollowed() {
		assertThat(malformed("{'call':'open','path':" + "[".repeat(100_000)))
			.isEqualTo(new BatchItem.Malformed("/path", "must be a string"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "{'call':}", "{call:'open'}", "{'call':'open',}", "{'call' 'open'}", "{'call':'op" })
	void leavesWhatIsNotJsonToTheParser(String json) {
		assertThatExceptionOfType(StreamReadException.class).isThrownBy(() -> read(json));
	}

}
