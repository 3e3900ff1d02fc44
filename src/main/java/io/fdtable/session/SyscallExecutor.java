package io.fdtable.session;

/**
 * The one door to every table: decides on the order of the calls of a process tree and
 * has them made.
 *
 * <p>
 * Nothing above knows where that happens: at once in memory, or through a log first.
 */
public interface SyscallExecutor {

	/**
	 * Makes a call, all or nothing, after the calls of the same tree that came before.
	 * @param request the call and what its client demands beside it
	 * @return what it has come to; a session that does not exist answers ESRCH
	 * @throws RequestRefusedException if a demand is not met, and nothing has been done
	 */
	Answer execute(Request request);

}
