package dev.gossamer.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PeerBlocksTest {
  @Test
  void packsRowsWithSixtyFourBitOffsets() {
    PeerBlocks blocks = PeerBlocks.packedRows(new long[] {3, 0, 2_000_000_000L, 1}, 512);
    assertThat(blocks.offset(2)).isEqualTo(1536);
    assertThat(blocks.offset(3)).isEqualTo(1536 + 1_024_000_000_000L);
    assertThat(blocks.bytes(1)).isZero();
    assertThat(blocks.totalBytes()).isEqualTo(2_000_000_004L * 512);
    assertThat(blocks.end()).isEqualTo(blocks.totalBytes());
  }

  @Test
  void keepsItsNumbersToItself() {
    long[] counts = {1, 2};
    PeerBlocks blocks = PeerBlocks.packed(counts);
    counts[0] = 100;
    assertThat(blocks.bytes(0)).isEqualTo(1);
  }

  @Test
  void endsWithTheFarthestBlockThatIsNotEmpty() {
    PeerBlocks blocks = PeerBlocks.of(new long[] {50, 7, 1000}, new long[] {5, 3, 0});
    assertThat(blocks.end()).isEqualTo(55);
    assertThat(blocks.totalBytes()).isEqualTo(8);
    assertThat(PeerBlocks.shared(3, 4).end()).isEqualTo(4);
    assertThat(PeerBlocks.uniform(3, 4).end()).isEqualTo(12);
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatThrownBy(() -> PeerBlocks.of(new long[1], new long[2]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 offsets but 2 counts");
    assertThatThrownBy(() -> PeerBlocks.packed(1, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rank 1 has -1 bytes");
    assertThatThrownBy(() -> PeerBlocks.packed(Long.MAX_VALUE, 1, 1))
        .isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> PeerBlocks.packedRows(new long[] {1L << 60}, 512))
        .isInstanceOf(ArithmeticException.class);
  }
}
