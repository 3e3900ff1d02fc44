package io.fdtable.web;

import java.util.List;

import io.fdtable.session.Answer;
import io.fdtable.session.Request;
import io.fdtable.session.RequestRefusedException;
import io.fdtable.session.SessionId;
import io.fdtable.session.SyscallExecutor;
import io.fdtable.web.problem.Problems;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of one batch in their order and writes their results. For one thread.
 */
final class BatchRun {

	/** What the positions of the elements count. */
	enum Place {

		/** Lines from 1; pointers lead into the line. */
		LINE("line"),

		/** Elements from 0, as pointers count them that lead into the whole array. */
		INDEX("index");

		private final String member;

		Place(String member) {
			this.member = member;
		}

	}

	private final SyscallExecutor executor;

	private final SessionId session;

	private final boolean stopsAtFailure;

	private final Place place;

	private final ResultWriter writer;

	/** Who made the last call, so that not each one needs a new id. */
	private SessionId actor;

	private boolean isStopped;

	BatchRun(SyscallExecutor executor, SessionId session, boolean stopsAtFailure, Place place, ResultWriter writer) {
		this.executor = executor;
		this.session = session;
		this.stopsAtFailure = stopsAtFailure;
		this.place = place;
		this.writer = writer;
		this.actor = session;
	}

	/** Tells whether a failure has stopped the batch, so that the rest is skipped. */
	boolean isStopped() {
		return this.isStopped;
	}

	/** Writes that an element was skipped. */
	void skip() {
		this.writer.writeSkipped();
	}

	/**
	 * Makes a call, or says why it cannot be one, and writes the outcome.
	 * @param item the element
	 * @param position its number
	 * @param key under which the answer is kept for retries, or null
	 * @return whether the answer was given before, for an earlier request
	 */
	boolean run(BatchItem item, long position, @Nullable String key) {
		return switch (item) {
			case BatchItem.Call call -> run(call, position, key);
			case BatchItem.Malformed malformed -> {
				refuse(malformed, position);
				yield false;
			}
		};
	}

	private boolean run(BatchItem.Call item, long position, @Nullable String key) {
		try {
			Answer answer = this.executor.execute(new Request(actor(item.pid()), item.call(), null, key));
			this.writer.write(item.call(), answer);
			stopIf(answer.result().errno() != null);
			return answer.isReplayed();
		}
		catch (RequestRefusedException ex) {
			this.writer.writeProblem(Problems.of(ex), this.place.member, position);
			stopIf(true);
			return false;
		}
	}

	private SessionId actor(int pid) {
		int wanted = (pid != 0) ? pid : this.session.pid();
		if (this.actor.pid() != wanted) {
			this.actor = new SessionId(this.session.tree(), wanted);
		}
		return this.actor;
	}

	private void refuse(BatchItem.Malformed malformed, long position) {
		String pointer = (this.place == Place.INDEX) ? "/" + position + malformed.pointer() : malformed.pointer();
		this.writer.writeProblem(Problems.malformed(List.of(new Problems.FieldError(pointer, malformed.detail()))),
				this.place.member, position);
		stopIf(true);
	}

	private void stopIf(boolean hasFailed) {
		this.isStopped |= hasFailed && this.stopsAtFailure;
	}

}
