package io.fdtable.session;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Names a session: the tree that its process belongs to, and its pid there.
 *
 * @param tree 26 lower-case base32 characters that nobody can guess
 * @param pid the number of the process within its tree, from 1
 */
public record SessionId(String tree, int pid) implements Comparable<SessionId> {

	/** What {@link #toString} prints and {@link #parse} reads. */
	public static final String PATTERN = "^([a-z2-7]{26})-([1-9][0-9]{0,8})$";

	private static final Pattern FORM = Pattern.compile(PATTERN);

	/**
	 * Reads an id.
	 * @param text what a client sent
	 * @return the id, or null if no session can have such a one
	 */
	public static @Nullable SessionId parse(String text) {
		Matcher matcher = FORM.matcher(text);
		return matcher.matches() ? new SessionId(matcher.group(1), Integer.parseInt(matcher.group(2))) : null;
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
