package io.fdtable.trace;

import io.fdtable.kernel.TableStatistics;

/**
 * Adds up what the searches of all tables of a replay have cost.
 */
final class SearchMeter implements ReplayListener {

	private long searches;

	private long wordsRead;

	@Override
	public void ending(TracedProcess process, long line) {
		if (process.table.sharers == 1) {
			add(process.table);
		}
	}

	private void add(TracedTable table) {
		TableStatistics statistics = table.files.statistics();
		this.searches += statistics.searches();
		this.wordsRead += statistics.wordsRead();
	}

	long searches() {
		return this.searches;
	}

	long wordsRead() {
		return this.wordsRead;
	}

}
