package io.fdtable.session;

import org.jspecify.annotations.Nullable;

/**
 * Names a session: the tree that its process belongs to, and its pid there.
 *
 * @param tree 26 lower-case base32 characters (a-z, 2-7) that nobody can guess
 * @param pid the number of the process within its tree, from 1
 */
public record SessionId(String tree, int pid) implements Comparable<SessionId> {

	private static final int TREE_LENGTH = 26;

	/** A pid has at most nine digits, as many as fit into an int whatever they are. */
	private static final int MAX_LENGTH = TREE_LENGTH + 1 + 9;

	/**
	 * Reads an id.
	 * @param text what a client sent
	 * @return the id, or null if no session can have such a one
	 */
	public static @Nullable SessionId parse(String text) {
		// By hand, because it is done for every request, and takes a regular expression
		// longer than the call.
		if (text.length() < TREE_LENGTH + 2 || text.length() > MAX_LENGTH || text.charAt(TREE_LENGTH) != '-'
				|| text.charAt(TREE_LENGTH + 1) == '0') {
			return null;
		}
		for (int i = 0; i < TREE_LENGTH; i++) {
			if (!isBetween('a', text.charAt(i), 'z') && !isBetween('2', text.charAt(i), '7')) {
				return null;
			}
		}
		int pid = 0;
		for (int i = TREE_LENGTH + 1; i < text.length(); i++) {
			if (!isBetween('0', text.charAt(i), '9')) {
				return null;
			}
			pid = 10 * pid + (text.charAt(i) - '0');
		}
		return new SessionId(text.substring(0, TREE_LENGTH), pid);
	}

	private static boolean isBetween(char low, char c, char high) {
		return low <= c && c <= high;
	}

	@Override
	public int compareTo(SessionId other) {
		int byTree = this.tree.compareTo(other.tree);
		return (byTree != 0) ? byTree : Integer.compare(this.pid, other.pid);
	}

	@Override
	public String toString() {
		return this.tree + "-" + this.pid;
	}

}
