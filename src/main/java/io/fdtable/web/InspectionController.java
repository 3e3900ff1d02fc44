package io.fdtable.web;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import io.fdtable.kernel.Errno;
import io.fdtable.kernel.FdBitmaps;
import io.fdtable.kernel.Sysctl;
import io.fdtable.kernel.TableStatistics;
import io.fdtable.session.Session;
import io.fdtable.session.SessionRegistry;
import io.fdtable.web.openapi.Errnos;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Looks into tables: the bitmaps that the allocator searches, and what searching has
 * cost.
 */
@RestController
@RequestMapping("/v1")
@Tag(name = "Inspection")
class InspectionController {

	private final Calls calls;

	private final SessionRegistry registry;

	InspectionController(Calls calls, SessionRegistry registry) {
		this.calls = calls;
		this.registry = registry;
	}

	/**
	 * The bitmaps of a table.
	 *
	 * @param capacity the width of the table
	 * @param nextFd the hint
	 * @param openFds one bit per descriptor
	 * @param closeOnExec one bit per descriptor
	 * @param fullFdsBits one bit per word of openFds
	 * @param reserved the descriptors without a file
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Bitmap(@Schema(description = "Width of the table in slots, like max_fds", example = "256") int capacity,
			@Schema(description = "Lower bound of the lowest free descriptor", example = "4") int nextFd,
			@Schema(description = "One bit per descriptor, 64 to a word, lowest first") List<String> openFds,
			@Schema(description = "One bit per descriptor; meaningless where it is free") List<String> closeOnExec,
			@Schema(description = "One bit per word of openFds, set where it is all ones") List<String> fullFdsBits,
			@Schema(description = "Descriptors that are taken but have no file yet") int[] reserved) {

		static Bitmap of(FdBitmaps maps) {
			return new Bitmap(maps.capacity(), maps.nextFd(), words(maps.openFds()), words(maps.closeOnExec()),
					words(maps.fullFdsBits()), maps.reserved());
		}

		private static List<String> words(long[] words) {
			return LongStream.of(words).mapToObj("0x%016x"::formatted).toList();
		}

	}

	/**
	 * The statistics of a session.
	 *
	 * @param table its table
	 * @param calls its calls by name and outcome
	 */
	record SessionStatistics(TableStatistics table, @Schema(description = "Calls by name, then by \"ok\" or errno",
			example = "{\"dup2\":{\"EBUSY\":1,\"ok\":5}}") Map<String, Map<String, Long>> calls) {
	}

	/**
	 * The statistics of the service.
	 *
	 * @param sessions sessions that have not exited
	 * @param maxSessions the highest number of sessions
	 * @param openFiles open file descriptions
	 * @param fileMax the highest number of open file descriptions
	 * @param nrOpen the highest descriptor number plus one
	 * @param memoryBytes what is used of the memory budget
	 * @param maxMemoryBytes the memory budget
	 * @param calls all calls by name and outcome
	 */
	record ServiceStatistics(long sessions, long maxSessions, long openFiles, long fileMax, int nrOpen,
			long memoryBytes, long maxMemoryBytes,
			@Schema(example = "{\"dup2\":{\"EBUSY\":1,\"ok\":5}}") Map<String, Map<String, Long>> calls) {
	}

	@GetMapping(path = "/sessions/{id}/bitmap", produces = MediaType.APPLICATION_JSON_VALUE)
	@Errnos(Errno.ESRCH)
	@Operation(operationId = "getBitmap", summary = "See the bitmaps",
			description = "The two-level map that find_next_fd searches: words in hexadecimal as JSON, or a drawing as"
					+ " text/plain.")
	Bitmap bitmap(@PathVariable String id) {
		return Bitmap.of(this.calls.look(id).files().bitmaps());
	}

	@GetMapping(path = "/sessions/{id}/bitmap", produces = MediaType.TEXT_PLAIN_VALUE)
	String drawing(@PathVariable String id) {
		return BitmapDrawing.of(this.calls.look(id).files().bitmaps());
	}

	@GetMapping("/sessions/{id}/statistics")
	@Errnos(Errno.ESRCH)
	@Operation(operationId = "getStatistics", summary = "See what a table holds and has cost",
			description = "Descriptors, width, searches by how they ended, words read, growth, and calls by outcome.")
	SessionStatistics statistics(@PathVariable String id) {
		Session session = this.calls.look(id);
		return new SessionStatistics(session.files().statistics(), session.calls().asMap());
	}

	@GetMapping("/statistics")
	@Operation(operationId = "getServiceStatistics", summary = "See what the service holds and has done")
	ServiceStatistics serviceStatistics() {
		Sysctl sysctl = this.registry.sysctl();
		return new ServiceStatistics(sysctl.threads(), sysctl.threadsMax(), sysctl.files(), sysctl.fileMax(),
				sysctl.nrOpen(), sysctl.memory(), sysctl.memoryMax(), this.registry.calls().asMap());
	}

}
