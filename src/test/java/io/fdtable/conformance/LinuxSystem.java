package io.fdtable.conformance;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.opentest4j.TestAbortedException;

/**
 * Runs scripts on the kernel of the machine, each in a fresh process.
 *
 * <p>
 * The calls are made by a small C program, {@code src/test/c/fdoracle.c}, and not from
 * Java by the foreign-function API: fork without exec does not work in a JVM, whose
 * threads share one table; its class loading, collector and compiler would take and free
 * descriptors while a script runs; and exec would take the JVM away. In C the table of a
 * task holds nothing but what the script puts there, so widths are comparable too.
 */
final class LinuxSystem implements DescriptorSystem, AutoCloseable {

	private static final Path SOURCE = Path.of("src/test/c/fdoracle.c");

	private final Process process;

	private final BufferedWriter writer;

	private final BufferedReader reader;

	private final String kernel;

	private final int hardLimit;

	private final int nrOpen;

	/**
	 * Starts the program.
	 * @param program what {@link #compile} has returned
	 * @param name a name that no other running program has
	 */
	LinuxSystem(Path program, String name) throws IOException {
		Path directory = program.resolveSibling(name);
		Files.createDirectories(directory);
		this.process = new ProcessBuilder(program.toString(), directory.toString())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		this.writer = this.process.outputWriter(StandardCharsets.US_ASCII);
		this.reader = this.process.inputReader(StandardCharsets.US_ASCII);
		String[] hello = line().split("\t", -1);
		this.kernel = hello[0];
		this.hardLimit = (int) Math.min(Integer.MAX_VALUE, Long.parseLong(hello[1]));
		this.nrOpen = Integer.parseInt(hello[2]);
	}

	/**
	 * Compiles the program, statically: a dynamic loader would open files after each
	 * exec.
	 * @return the program
	 * @throws UnsupportedOperationException if this machine cannot run it
	 */
	static Path compile() throws IOException, InterruptedException {
		if (!System.getProperty("os.name").equals("Linux")) {
			throw new UnsupportedOperationException("this machine runs no Linux");
		}
		requireVersion(System.getProperty("os.version"));
		Path program = Files.createDirectories(Path.of("target/oracle")).resolve("fdoracle").toAbsolutePath();
		try {
			Process compiler = new ProcessBuilder("cc", "-O2", "-static", "-Wall", "-Wextra", "-o", program.toString(),
					SOURCE.toString())
				.redirectErrorStream(true)
				.start();
			String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (compiler.waitFor() != 0) {
				throw new UnsupportedOperationException("cc does not compile " + SOURCE + ": " + output);
			}
		}
		catch (IOException ex) {
			throw new UnsupportedOperationException("this machine has no cc", ex);
		}
		return program;
	}

	/** The model is that of v6.19, and copies were wider before v6.13. */
	private static void requireVersion(String version) {
		String[] parts = version.split("\\D+", -1);
		int major = Integer.parseInt(parts[0]);
		int minor = Integer.parseInt(parts[1]);
		if (major < 6 || (major == 6 && minor < 13)) {
			throw new UnsupportedOperationException("this machine runs Linux " + version + ", older than 6.13");
		}
	}

	/** Starts the program, or aborts the test if this machine cannot run it. */
	static LinuxSystem startOrSkip(String name) throws IOException, InterruptedException {
		try {
			return new LinuxSystem(compile(), name);
		}
		catch (UnsupportedOperationException ex) {
			throw new TestAbortedException(ex.getMessage(), ex);
		}
	}

	String kernel() {
		return this.kernel;
	}

	/** Returns the highest hard limit that a script may start with. */
	int hardLimit() {
		return this.hardLimit;
	}

	int nrOpen() {
		return this.nrOpen;
	}

	@Override
	public List<Answer> run(Script script) {
		try {
			write(script);
			List<Answer> answers = new ArrayList<>(script.calls().size());
			for (String line = line(); !line.equals("end"); line = line()) {
				answers.add(Answer.parse(line));
			}
			return answers;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void write(Script script) throws IOException {
		this.writer.write("seq " + script.soft() + " " + script.hard() + "\n");
		for (Call call : script.calls()) {
			this.writer.write(call.task() + " " + call.op().text() + " "
					+ call.arguments().stream().map(String::valueOf).collect(Collectors.joining(" ")) + "\n");
		}
		this.writer.write("end\n");
		this.writer.flush();
	}

	private String line() throws IOException {
		String line = this.reader.readLine();
		if (line == null) {
			throw new IOException("fdoracle has ended");
		}
		return line;
	}

	@Override
	public void close() throws IOException {
		// Ends the program, and every process that it has started, after its last script.
		this.writer.close();
		this.process.onExit().join();
	}

}
