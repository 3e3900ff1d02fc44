package io.fdtable.web;

import java.util.Collections;
import java.util.List;

import io.fdtable.session.BatchKey;
import io.fdtable.session.Precondition;
import io.fdtable.session.SlotVersion;
import io.fdtable.web.problem.MalformedRequestException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.ETag;
import org.springframework.http.HttpHeaders;

/**
 * What a request that changes something demands in its headers: {@code If-Match} and
 * {@code Idempotency-Key}. Controllers take it as an argument and hand it to
 * {@link Calls}.
 */
final class CallContext {

	static final String IDEMPOTENCY_KEY = "Idempotency-Key";

	static final String IDEMPOTENT_REPLAYED = "Idempotent-Replayed";

	private static final int MAX_KEY_LENGTH = 255;

	/** A client has seen few versions of a descriptor, and a kept request holds them. */
	private static final int MAX_TAGS = 64;

	/** Stands for an entity tag that no descriptor has. */
	private static final SlotVersion NO_VERSION = new SlotVersion(-1, -1);

	private final @Nullable List<SlotVersion> ifMatch;

	private final @Nullable String idempotencyKey;

	private final HttpServletResponse response;

	private CallContext(@Nullable List<SlotVersion> ifMatch, @Nullable String idempotencyKey,
			HttpServletResponse response) {
		this.ifMatch = ifMatch;
		this.idempotencyKey = idempotencyKey;
		this.response = response;
	}

	static CallContext of(HttpServletRequest request, HttpServletResponse response) {
		return new CallContext(ifMatch(lines(request, HttpHeaders.IF_MATCH)), key(lines(request, IDEMPOTENCY_KEY)),
				response);
	}

	/** Returns what {@code If-Match} demands of a descriptor, or null. */
	@Nullable Precondition precondition(FdNumber fd) {
		return (this.ifMatch != null) ? new Precondition.Unchanged(fd.toInt(), this.ifMatch) : null;
	}

	@Nullable String idempotencyKey() {
		return this.idempotencyKey;
	}

	/** Returns the key of one of the calls that the request consists of, or null. */
	@Nullable String idempotencyKey(int index) {
		return (this.idempotencyKey != null) ? BatchKey.of(this.idempotencyKey, index) : null;
	}

	/** Tells the client that its answer was given before. */
	void markReplayed() {
		this.response.setHeader(IDEMPOTENT_REPLAYED, "true");
	}

	private static List<String> lines(HttpServletRequest request, String header) {
		return Collections.list(request.getHeaders(header));
	}

	/** A list may stand in several lines (RFC 9110, section 5.3). */
	private static @Nullable List<SlotVersion> ifMatch(List<String> lines) {
		if (lines.isEmpty()) {
			return null;
		}
		List<ETag> tags = ETag.parse(String.join(", ", lines));
		if (tags.isEmpty() || tags.size() > MAX_TAGS) {
			throw new MalformedRequestException(HttpHeaders.IF_MATCH, "must be * or a list of at most " + MAX_TAGS
					+ " entity tags in double quotes, as the ETag header gives them");
		}
		return tags.stream().anyMatch(ETag::isWildcard) ? List.of() : tags.stream().map(CallContext::version).toList();
	}

	/** A weak tag never matches (RFC 9110, section 13.1.1). */
	private static SlotVersion version(ETag tag) {
		SlotVersion version = tag.weak() ? null : SlotVersion.parse(tag.tag());
		return (version != null) ? version : NO_VERSION;
	}

	private static @Nullable String key(List<String> lines) {
		if (lines.isEmpty()) {
			return null;
		}
		if (lines.size() > 1) {
			throw new MalformedRequestException(IDEMPOTENCY_KEY, "must be given once");
		}
		String key = lines.getFirst().strip();
		if (key.length() >= 2 && key.startsWith("\"") && key.endsWith("\"")) {
			key = key.substring(1, key.length() - 1);
		}
		if (key.isEmpty() || key.length() > MAX_KEY_LENGTH) {
			throw new MalformedRequestException(IDEMPOTENCY_KEY,
					"must have 1 to " + MAX_KEY_LENGTH + " characters, quoted or bare");
		}
		return key;
	}

}
