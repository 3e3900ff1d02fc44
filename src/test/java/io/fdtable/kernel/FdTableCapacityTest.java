package io.fdtable.kernel;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the width of tables: powers of two, what nr_open leaves of them, and the INT_MAX
 * rule. Width 0 stands for EMFILE.
 */
class FdTableCapacityTest {

	@ParameterizedTest(name = "B11: {0} slots, nr_open {1}: {2}")
	@CsvSource(textBlock = """
			# wanted   | nr_open     | width
			1          | 1048576     | 64
			63         | 1048576     | 64
			64         | 1048576     | 64
			64         | 64          | 64
			65         | 64          | 0
			65         | 127         | 0
			65         | 128         | 128
			65         | 1048576     | 128
			128        | 1048576     | 128
			129        | 1048576     | 256
			256        | 1048576     | 256
			257        | 1048576     | 512
			512        | 1048576     | 512
			513        | 1048576     | 1024
			1024       | 1048576     | 1024
			1025       | 1048576     | 2048
			1000000    | 1048576     | 1048576
			1048576    | 1048576     | 1048576
			1048577    | 1048576     | 0
			10000000   | 1048576     | 0
			10000000   | 12000000    | 12000000
			10000000   | 16777215    | 16777152
			10000000   | 16777216    | 16777216
			10000000   | 1073741816  | 16777216
			512        | 1000        | 512
			513        | 1000        | 960
			960        | 1000        | 960
			961        | 1000        | 0
			999        | 1000        | 0
			1000       | 1000        | 0
			1001       | 1000        | 0
			""", delimiter = '|')
	void capacityFor_wantedSlots_isPowerOfTwoWithinNrOpen(int wanted, int nrOpen, int width) {
		assertThat(FdTable.capacityFor(wanted, nrOpen)).isEqualTo(width);
	}

	@ParameterizedTest(name = "B10: {0} slots, nr_open {1}: {2}")
	@CsvSource(textBlock = """
			# wanted   | nr_open     | width
			134217727  | 1073741816  | 134217728
			134217728  | 1073741816  | 134217728
			134217729  | 1073741816  | 0
			268435456  | 1073741816  | 0
			1073741816 | 1073741816  | 0
			1073741825 | 2147483584  | 0
			2147483584 | 2147483584  | 0
			2147483647 | 2147483584  | 0
			134217729  | 268435455   | 268435392
			134217729  | 268435456   | 0
			""", delimiter = '|')
	void capacityFor_pointersBeyondIntMax_isRefused(int wanted, int nrOpen, int width) {
		assertThat(FdTable.capacityFor(wanted, nrOpen)).isEqualTo(width);
	}

	/**
	 * Linux rounds the smallest map up to a cache line of 64 bytes, which is not
	 * modelled.
	 */
	@ParameterizedTest(name = "{0} slots: {1} bytes of bitmaps")
	@CsvSource({ "64,24", "256,72", "512,136", "960,248", "1024,264", "2048,520", "1048576,264192" })
	void slotAndBitmapBytes_width_holdsTwoBitsASlotAndTheSummary(int width, int bytes) {
		FdTable table = new FdTable(Allocator.WORD_FIRST.newBitmap(width, new SearchCounters()));
		assertThat(table.slotAndBitmapBytes() - 4L * width).isEqualTo(bytes);
	}

}
