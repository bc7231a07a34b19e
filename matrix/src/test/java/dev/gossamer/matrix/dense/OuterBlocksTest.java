package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.matrix.sparse.SurvivorIndex;
import java.lang.foreign.Arena;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OuterBlocksTest {
  /// m, k, n: nothing to sum, one of everything, ragged edges, several chunks, blocks and parts.
  private static final int[][] SHAPES = {
    {0, 3, 5}, {1, 1, 1}, {19, 3, 67}, {130, 17, 16}, {129, 260, 37}, {300, 37, 530}, {1100, 45, 30}
  };

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  @Test
  void addsTheProductToAMatrix() {
    try (Workers workers = new Workers(2)) {
      for (int[] s : SHAPES) {
        DenseMatrix a = Samples.random(arena, s[0], s[1], 1);
        DenseMatrix b = Samples.random(arena, s[0], s[2], 2);
        DenseMatrix c = Samples.random(arena, s[1], s[2], 3);
        float[][] before = c.toArray();
        OuterBlocks.multiply(a, b, workers, block -> block.addTo(c));
        for (int i = 0; i < s[1]; i++) {
          for (int j = 0; j < s[2]; j++) {
            double sum = before[i][j];
            double size = Math.abs(sum);
            for (int p = 0; p < s[0]; p++) {
              double term = (double) a.get(p, i) * b.get(p, j);
              sum += term;
              size += Math.abs(term);
            }
            assertThat((double) c.get(i, j))
                .as("%d x %d x %d at %d, %d", s[0], s[1], s[2], i, j)
                .isCloseTo(sum, within((s[0] + 1) * 0x1p-24 * size));
          }
        }
      }
    }
  }

  @Test
  void agreesWithThePlainProduct() {
    DenseMatrix a = Samples.random(arena, 700, 300, 4);
    DenseMatrix b = Samples.random(arena, 700, 65, 5);
    DenseMatrix sum = DenseMatrix.allocate(arena, 300, 65);
    DenseMatrix plain = DenseMatrix.allocate(arena, 300, 65);
    try (Workers workers = new Workers(2)) {
      OuterBlocks.multiply(a, b, workers, block -> block.addTo(sum));
      Matmul.java().transposedMultiply(a, b, plain, workers);
    }
    for (int i = 0; i < 300; i++) {
      for (int j = 0; j < 65; j++) {
        // Both err by at most 2^-24 of 700 for each of 700 terms below 1.
        assertThat(sum.get(i, j)).isCloseTo(plain.get(i, j), within(700 * 700 * 0x1p-23f));
      }
    }
  }

  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    for (int[] s : new int[][] {{700, 300, 65}, {5000, 40, 33}}) {
      DenseMatrix a = Samples.random(arena, s[0], s[1], 9);
      DenseMatrix b = Samples.random(arena, s[0], s[2], 10);
      DenseMatrix one = DenseMatrix.allocate(arena, s[1], s[2]);
      DenseMatrix three = DenseMatrix.allocate(arena, s[1], s[2]);
      try (Workers single = new Workers(1);
          Workers team = new Workers(3)) {
        OuterBlocks.multiply(a, b, single, block -> block.addTo(one));
        OuterBlocks.multiply(a, b, team, block -> block.addTo(three));
      }
      assertThat(one.data().mismatch(three.data())).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"INT32", "BITMAP"})
  void compressedBlocksAreTheGatheredProductBitByBit(IndexKind kind) {
    try (Workers workers = new Workers(2);
        Workers single = new Workers(1)) {
      for (int[] s : SHAPES) {
        DenseMatrix a = Samples.random(arena, s[0], s[1], 6);
        DenseMatrix b = Samples.random(arena, s[0], s[2], 7);
        DenseMatrix whole = DenseMatrix.allocate(arena, s[1], s[2]);
        OuterBlocks.multiply(a, b, single, block -> block.addTo(whole));
        BitSet kept = new BitSet();
        Random random = new Random(8);
        for (int i = 0; i < s[1] * s[2]; i++) {
          kept.set(i, random.nextInt(10) == 0);
        }
        SurvivorIndex index = SurvivorIndex.of(arena, kind, s[1] * s[2], kept);
        DenseMatrix compressed = DenseMatrix.allocate(arena, 1, index.survivors());
        OuterBlocks.multiply(
            a, b, workers, block -> index.compressAdd(block, s[2], compressed.data()));
        int at = 0;
        for (int i = kept.nextSetBit(0); i >= 0; i = kept.nextSetBit(i + 1)) {
          assertThat(compressed.get(0, at++)).isEqualTo(whole.get(i / s[2], i % s[2]));
        }
        assertThat(at).isEqualTo(index.survivors());
      }
    }
  }

  @Test
  void refusesOperandsOfDifferentLength() {
    DenseMatrix a = Samples.random(arena, 2, 3, 1);
    DenseMatrix b = Samples.random(arena, 4, 5, 2);
    try (Workers workers = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> OuterBlocks.multiply(a, b, workers, block -> {}))
          .withMessageContaining("b needs 2 rows");
    }
  }
}
