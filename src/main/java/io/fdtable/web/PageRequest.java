package io.fdtable.web;

import io.fdtable.web.problem.MalformedRequestException;
import org.jspecify.annotations.Nullable;

/**
 * Checks the parameters of a list, which goes on where its page token says.
 */
final class PageRequest {

	static final String DEFAULT_SIZE = "256";

	private static final int MAX_SIZE = 1024;

	private PageRequest() {
	}

	static int size(int pageSize) {
		if (pageSize < 1 || pageSize > MAX_SIZE) {
			throw new MalformedRequestException("pageSize", "must be 1 to " + MAX_SIZE + ", not " + pageSize);
		}
		return pageSize;
	}

	/** Reads the token of a list of descriptors: the lowest number still to list. */
	static int firstFd(@Nullable String pageToken) {
		try {
			int fd = (pageToken != null) ? Integer.parseInt(pageToken) : 0;
			if (fd >= 0) {
				return fd;
			}
		}
		catch (NumberFormatException ex) {
			// Refused below like a negative number.
		}
		throw badToken();
	}

	static MalformedRequestException badToken() {
		return new MalformedRequestException("pageToken", "must be a nextPageToken of an earlier page");
	}

}
