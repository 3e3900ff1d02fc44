package io.fdtable.conformance;

/**
 * What a system answered to one {@link Call}.
 *
 * @param text the return value or the name of the errno; a returned descriptor with
 * FD_CLOEXEC is followed by a plus sign
 * @param fdSize the width of the caller's table after the call, 0 if the task has ended
 */
record Answer(String text, long fdSize) {

	@Override
	public String toString() {
		return this.text + "\t" + this.fdSize;
	}

	static Answer parse(String line) {
		int tab = line.lastIndexOf('\t');
		return new Answer(line.substring(0, tab), Long.parseLong(line.substring(tab + 1)));
	}

}
