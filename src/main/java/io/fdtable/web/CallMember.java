package io.fdtable.web;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The members that calls of a batch have.
 */
enum CallMember {

	CALL("call"), PID("pid"), PATH("path"), KIND("kind"), FLAGS("flags"), LABEL("label"), FD("fd"), FIRST("first"),
	LAST("last"), OLD_FD("oldFd"), NEW_FD("newFd"), CMD("cmd"), ARG("arg"), SHARE_FILES("shareFiles"), MIN_FD("minFd"),
	CLOSE_ON_EXEC("closeOnExec"), FROM_PID("fromPid"), TO_PID("toPid"), FDS("fds"), MAX_FDS("maxFds"), COUNT("count"),
	DATA("data"), OFFSET("offset"), WHENCE("whence"), SOFT("soft"), HARD("hard"), BACKLOG("backlog"), FILE("file"),
	HOW("how");

	private static final Map<String, CallMember> BY_NAME = Arrays.stream(values())
		.collect(Collectors.toUnmodifiableMap(CallMember::toString, Function.identity()));

	private static final CallMember[] ALL = values();

	private final String text;

	CallMember(String text) {
		this.text = text;
	}

	static @Nullable CallMember of(String name) {
		return BY_NAME.get(name);
	}

	/** Returns the member that the lowest bit of a set stands for. */
	static CallMember lowest(int set) {
		return ALL[Integer.numberOfTrailingZeros(set)];
	}

	/** Returns the set of some members, one bit each. */
	static int set(CallMember... members) {
		return Arrays.stream(members).mapToInt(CallMember::bit).reduce(0, (set, bit) -> set | bit);
	}

	// No bit outlives the process, so that reordering the members is harmless.
	@SuppressWarnings("EnumOrdinal")
	int bit() {
		return 1 << ordinal();
	}

	String pointer() {
		return "/" + this.text;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
