package io.fdtable.web;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;

import io.fdtable.kernel.Sysctl;
import io.fdtable.web.problem.NoMemoryException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Guards what a stream of lines takes of the memory budget, byte by byte: its buffer, and
 * that doubled as often as a line needs it; and that all of it is given back.
 */
class LineReaderTest {

	private static final int KIB = 1024;

	private final Sysctl sysctl = new Sysctl(Sysctl.DEFAULT_NR_OPEN, 100, 100, 300 * KIB);

	private LineReader reader(InputStream in) throws IOException {
		return new LineReader(in, 1024 * KIB, this.sysctl, () -> {
		});
	}

	private static InputStream text(String text) {
		return new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
	}

	private static String line(LineReader reader) {
		return new String(reader.buffer(), reader.start(), reader.end() - reader.start(), StandardCharsets.ISO_8859_1);
	}

	@Test
	void shortLinesTake64Kib() throws IOException {
		LineReader reader = reader(text("one\ntwo".repeat(100_000)));
		assertThat(this.sysctl.memory()).isEqualTo(64 * KIB);
		int lines = 0;
		while (reader.next()) {
			assertThat(line(reader)).isEqualTo((lines == 0) ? "one\n" : (lines < 100_000) ? "twoone\n" : "two");
			lines++;
		}
		assertThat(lines).isEqualTo(100_001);
		assertThat(this.sysctl.memory()).isEqualTo(64 * KIB);
		reader.close();
		assertThat(this.sysctl.memory()).isZero();
		reader.close();
		assertThat(this.sysctl.memory()).isZero();
	}

	@Test
	void aLongLineTakesTheDoubleAndSoOn() throws IOException {
		LineReader reader = reader(text("x".repeat(64 * KIB) + "\nshort\n" + "y".repeat(200 * KIB) + "\n"));
		assertThat(reader.next()).isTrue();
		assertThat(line(reader)).hasSize(64 * KIB + 1);
		assertThat(this.sysctl.memory()).isEqualTo(128 * KIB);
		assertThat(reader.next()).isTrue();
		assertThat(line(reader)).isEqualTo("short\n");
		assertThat(reader.next()).isTrue();
		assertThat(reader.isTooLong()).isFalse();
		assertThat(this.sysctl.memory()).isEqualTo(256 * KIB);
		reader.close();
		assertThat(this.sysctl.memory()).isZero();
	}

	@Test
	void whereThereIsNoMoreMemoryALineIsTooLongAndTheNextIsRead() throws IOException {
		LineReader reader = reader(text("x".repeat(300 * KIB) + "\nnext\n"));
		assertThat(reader.next()).isTrue();
		assertThat(reader.isTooLong()).isTrue();
		assertThat(reader.next()).isTrue();
		assertThat(reader.isTooLong()).isFalse();
		assertThat(line(reader)).isEqualTo("next\n");
		assertThat(this.sysctl.memory()).isEqualTo(256 * KIB);
		reader.close();
		assertThat(this.sysctl.memory()).isZero();
	}

	@Test
	void whereThereIsNoMemoryAtAllThereIsNoReader() throws IOException {
		this.sysctl.tryCharge(237 * KIB);
		assertThatExceptionOfType(NoMemoryException.class).isThrownBy(() -> reader(text("x\n")));
		assertThat(this.sysctl.memory()).isEqualTo(237 * KIB);
	}

	@Test
	void whatAnUnfinishedLineHasTakenIsGivenBack() throws IOException {
		InputStream broken = new SequenceInputStream(text("x".repeat(100 * KIB)), new InputStream() {

			@Override
			public int read() throws IOException {
				throw new IOException("the client has gone");
			}

			@Override
			public int read(byte[] bytes, int offset, int length) throws IOException {
				return read();
			}

		});
		LineReader reader = reader(broken);
		assertThatIOException().isThrownBy(reader::next);
		assertThat(this.sysctl.memory()).isEqualTo(128 * KIB);
		reader.close();
		assertThat(this.sysctl.memory()).isZero();
	}

}
