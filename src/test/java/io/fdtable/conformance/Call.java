package io.fdtable.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One call of one task.
 *
 * @param task the number of the task
 * @param op what it does
 * @param arguments as many as the operation has parameters
 */
record Call(int task, Op op, List<Long> arguments) {

	Call(int task, Op op, List<Long> arguments) {
		if (arguments.size() != op.arity()) {
			throw new IllegalArgumentException(op.text() + " takes " + op.arity() + " arguments, not " + arguments);
		}
		this.task = task;
		this.op = op;
		this.arguments = List.copyOf(arguments);
	}

	static Call of(int task, Op op, long... arguments) {
		return new Call(task, op, Arrays.stream(arguments).boxed().toList());
	}

	/** Reads the form that {@link #toString} writes. */
	static Call parse(String text) {
		List<String> words = new ArrayList<>(List.of(text.trim().split("\\s+", -1)));
		int task = 0;
		if (words.get(0).matches("t\\d+")) {
			task = Integer.parseInt(words.remove(0).substring(1));
		}
		Op op = Op.valueOf(words.remove(0).toUpperCase(Locale.ROOT));
		List<Long> arguments = new ArrayList<>(words.stream().map(Symbols::number).toList());
		// The argument of a command that ignores it.
		while (op == Op.FCNTL && arguments.size() < 3) {
			arguments.add(0L);
		}
		return new Call(task, op, arguments);
	}

	long argument(int index) {
		return this.arguments.get(index);
	}

	int intArgument(int index) {
		return this.arguments.get(index).intValue();
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder("t" + this.task + " " + this.op.text());
		for (int i = 0; i < this.arguments.size(); i++) {
			text.append(' ').append(argumentText(i));
		}
		return text.toString();
	}

	private String argumentText(int index) {
		long value = this.arguments.get(index);
		return switch (this.op) {
			case OPEN -> (index == 0) ? Symbols.KINDS.get((int) value) : Symbols.name(value, "O_");
			case DUP3 -> (index == 2) ? Symbols.name(value, "O_") : Long.toString(value);
			case CLOSE_RANGE -> (index == 2) ? Symbols.name(value, "CLOSE_RANGE_") : Long.toString(value);
			case FCNTL -> (index == 1) ? Symbols.command(value) : Long.toString(value);
			case FORK -> (index == 0) ? ((value != 0) ? "shared" : "private") : Long.toString(value);
			default -> Long.toString(value);
		};
	}

}
