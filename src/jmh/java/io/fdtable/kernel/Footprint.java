package io.fdtable.kernel;

import org.openjdk.jol.info.GraphLayout;

/**
 * {@code mvn -Pjmh test-compile exec:exec@footprint}
 *
 * <p>
 * Prints what tables take in the heap, as JOL counts it.
 */
final class Footprint {

	private Footprint() {
	}

	public static void main(String[] args) {
		BenchmarkTables tables = new BenchmarkTables();
		System.out.println(GraphLayout.parseInstance(tables.filled(AllocatorOptions.DEFAULT, 0)).toFootprint());
		System.out.println(GraphLayout.parseInstance(tables.filled(AllocatorOptions.DEFAULT, 1 << 20)).toFootprint());
	}

}
