package io.fdtable.web;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.fdtable.session.Event;
import io.fdtable.session.SessionId;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.MediaType;

/**
 * How a stream of events looks on the wire.
 *
 * @see <a href=
 * "https://html.spec.whatwg.org/multipage/server-sent-events.html">Server-sent events</a>
 */
enum EventFormat {

	/** Server-sent events, which browsers resume by themselves. */
	SSE(MediaType.TEXT_EVENT_STREAM_VALUE) {

		// An id without data is remembered and raises no event.
		@Override
		void begin(long version, OutputStream out) throws IOException {
			text("id: " + version + "\n\n", out);
		}

		@Override
		void beat(long version, OutputStream out) throws IOException {
			text(":\n\n", out);
		}

		@Override
		void before(Event event, OutputStream out) throws IOException {
			text("id: " + event.version() + "\ndata: ", out);
		}

		@Override
		void after(OutputStream out) throws IOException {
			text("\n\n", out);
		}

	},

	/** One JSON object a line. */
	NDJSON(MediaType.APPLICATION_NDJSON_VALUE) {

		@Override
		void begin(long version, OutputStream out) throws IOException {
			text("{\"version\":\"" + version + "\"}\n", out);
		}

		@Override
		void beat(long version, OutputStream out) throws IOException {
			begin(version, out);
		}

		@Override
		void before(Event event, OutputStream out) {
		}

		@Override
		void after(OutputStream out) throws IOException {
			text("\n", out);
		}

	};

	private final String mediaType;

	EventFormat(String mediaType) {
		this.mediaType = mediaType;
	}

	/** Returns what a client likes best of what there is. */
	static EventFormat preferredIn(List<MediaType> accepted) {
		for (MediaType type : accepted) {
			for (EventFormat format : values()) {
				if (type.includes(format.mediaType())) {
					return format;
				}
			}
		}
		return SSE;
	}

	MediaType mediaType() {
		return MediaType.valueOf(this.mediaType);
	}

	/** Tells a client where it is, so that it can resume before anything has happened. */
	abstract void begin(long version, OutputStream out) throws IOException;

	/** Shows that both ends are still there. */
	abstract void beat(long version, OutputStream out) throws IOException;

	void write(SessionId session, Event event, JsonMapper mapper, OutputStream out) throws IOException {
		before(event, out);
		try (JsonGenerator json = mapper.createGenerator(out)) {
			EventJson.write(session, event, json);
		}
		after(out);
	}

	abstract void before(Event event, OutputStream out) throws IOException;

	abstract void after(OutputStream out) throws IOException;

	static void text(String text, OutputStream out) throws IOException {
		out.write(text.getBytes(StandardCharsets.UTF_8));
	}

}
