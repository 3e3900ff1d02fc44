package io.fdtable.kernel;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guards the two halves in which a chunk keeps generations: a table that has handed out
 * more than 2^32 numbers goes on telling them apart.
 */
class SlotChunkTest {

	private static final long BEYOND = 5L << Integer.SIZE | 0xFFFF_FFFEL;

	private final SlotChunk chunk = new SlotChunk(64);

	@Test
	void generation_below2To32_isKeptInItsLowHalf() {
		this.chunk.prepare(0xFFFF_FFFFL);
		this.chunk.setGeneration(3, 0xFFFF_FFFFL);
		assertThat(this.chunk.generation(3)).isEqualTo(4_294_967_295L);
		assertThat(this.chunk.generation(4)).isZero();
	}

	@Test
	void generation_from2To32On_isKeptInBothHalves() {
		this.chunk.setGeneration(3, 7);
		this.chunk.prepare(BEYOND);
		this.chunk.setGeneration(4, BEYOND);
		assertThat(this.chunk.generation(3)).isEqualTo(7);
		assertThat(this.chunk.generation(4)).isEqualTo(BEYOND);
		this.chunk.prepare(BEYOND + 1);
		this.chunk.setGeneration(3, BEYOND + 1);
		assertThat(this.chunk.generation(3)).isEqualTo(BEYOND + 1);
		assertThat(this.chunk.generation(4)).isEqualTo(BEYOND);
	}

	@Test
	void withoutFiles_anotherWidth_keepsBothHalves() {
		this.chunk.prepare(BEYOND);
		this.chunk.setGeneration(63, BEYOND);
		SlotChunk wider = this.chunk.withoutFiles(128);
		assertThat(wider.fd).hasSize(128).containsOnlyNulls();
		assertThat(wider.generation(63)).isEqualTo(BEYOND);
		assertThat(wider.generation(127)).isZero();
		wider.setGeneration(63, 1);
		assertThat(wider.generation(63)).isEqualTo(1);
		assertThat(this.chunk.generation(63)).isEqualTo(BEYOND);
	}

	@Test
	void copy_aFileInASlot_keepsBothHalvesAndTakesAReference() {
		OpenFile file = KernelFixture.file(Sysctl.unbounded());
		this.chunk.prepare(BEYOND);
		this.chunk.setGeneration(5, BEYOND);
		this.chunk.fd[5] = file;
		SlotChunk copy = this.chunk.copy();
		assertThat(copy.fd[5]).isSameAs(file);
		assertThat(copy.generation(5)).isEqualTo(BEYOND);
		assertThat(file.count()).isEqualTo(2);
	}

}
