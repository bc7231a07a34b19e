package dev.gossamer.matrix.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Samples;
import dev.gossamer.matrix.format.NumberFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SurvivorIndexTest {
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  private static BitSet random(int elements, double share, long seed) {
    Random random = new Random(seed);
    BitSet kept = new BitSet();
    for (int i = 0; i < elements; i++) {
      kept.set(i, random.nextDouble() < share);
    }
    return kept;
  }

  @ParameterizedTest
  @CsvSource({
    "INT32, 1, 1", "INT32, 1, 0", "INT32, 67, .5", "INT32, 9001, .1", "INT32, 9001, 1",
    "BITMAP, 1, 1", "BITMAP, 1, 0", "BITMAP, 64, 1", "BITMAP, 67, .5", "BITMAP, 9001, .1",
    "BITMAP, 9001, 1", "BITMAP, 1024, .3", "AUTO, 9001, .02", "AUTO, 9001, .5"
  })
  void expandsWhatItCompressed(IndexKind kind, int n, double share) {
    BitSet kept = random(n, share, 1);
    SurvivorIndex index = SurvivorIndex.of(arena, kind, n, kept);
    assertThat(index.elements()).isEqualTo(n);
    assertThat(index.survivors()).isEqualTo(kept.cardinality());
    assertThat(index.bytes()).isEqualTo(kind.bytes(n, kept.cardinality()));
    DenseMatrix x = Samples.random(arena, 1, n, 2);
    MemorySegment compressed = arena.allocate(4L * index.survivors(), 64);
    DenseMatrix back = Samples.random(arena, 1, n, 3);
    index.compress(0, n, x.data(), compressed);
    index.expand(0, n, compressed, back.data());
    for (int i = 0; i < n; i++) {
      assertThat(index.keeps(i)).isEqualTo(kept.get(i));
      assertThat(index.rank(i)).isEqualTo(kept.get(0, i).cardinality());
      assertThat(back.get(0, i)).as("element %d", i).isEqualTo(kept.get(i) ? x.get(0, i) : 0f);
    }
    assertThat(index.rank(n)).isEqualTo(index.survivors());
  }

  @ParameterizedTest
  @CsvSource({"INT32, .1", "BITMAP, .1", "BITMAP, .9"})
  void worksInPiecesAndAddsUp(IndexKind kind, double share) {
    int n = 2003;
    BitSet kept = random(n, share, 4);
    SurvivorIndex index = SurvivorIndex.of(arena, kind, n, kept);
    DenseMatrix x = Samples.random(arena, 1, n, 5);
    DenseMatrix compressed = DenseMatrix.allocate(arena, 1, index.survivors());
    for (int begin = 0; begin < n; begin += 301) {
      int end = Math.min(n, begin + 301);
      MemorySegment piece = x.data().asSlice(4L * begin, 4L * (end - begin));
      index.compress(begin, end, piece, compressed.data());
      index.compressAdd(begin, end, piece, compressed.data());
    }
    for (int i = 0; i < n; i++) {
      if (kept.get(i)) {
        assertThat(compressed.get(0, index.rank(i))).isEqualTo(2 * x.get(0, i));
      }
    }
    DenseMatrix piece = DenseMatrix.allocate(arena, 1, 100);
    index.expand(500, 600, compressed.data(), piece.data());
    for (int i = 0; i < 100; i++) {
      float expected = kept.get(500 + i) ? 2 * x.get(0, 500 + i) : 0f;
      assertThat(piece.get(0, i)).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "INT32, FLOAT32, FP16", "INT32, BF16, BF16", "INT32, FLOAT32, FLOAT32",
    "BITMAP, FLOAT32, BF16", "BITMAP, FP16, FP16", "BITMAP, FLOAT32, FLOAT32"
  })
  void expandsFromOneFormatToAnother(IndexKind kind, NumberFormat stored, NumberFormat format) {
    int n = 10007;
    BitSet kept = random(n, .1, 6);
    SurvivorIndex index = SurvivorIndex.of(arena, kind, n, kept);
    DenseMatrix values = Samples.random(arena, 1, index.survivors(), 7);
    MemorySegment compressed = arena.allocate((long) index.survivors() * stored.bytes(), 64);
    stored.narrow(values.data(), compressed);
    MemorySegment dense = arena.allocate((long) n * format.bytes(), 64);
    dense.fill((byte) 1);
    MemorySegment scratch = arena.allocate(SurvivorIndex.EXPAND_BYTES, 64);
    index.expand(0, 5001, compressed, stored, dense, format, scratch);
    index.expand(5001, n, compressed, stored, dense, format, scratch);
    for (int i = 0; i < n; i++) {
      float expected = kept.get(i) ? format.rounded(values.get(0, index.rank(i))) : 0f;
      assertThat(format.get(dense, i)).isEqualTo(expected);
    }
  }

  @Test
  void autoTakesTheSmaller() {
    // The ranks of every 512th position, and a vector behind the positions.
    long ranks = 4 * (10_000 / 512 + 2) + 64;
    assertThat(IndexKind.AUTO.bytes(10_000, 100)).isEqualTo(400 + ranks);
    assertThat(IndexKind.AUTO.bytes(10_000, 1000)).isEqualTo(IndexKind.BITMAP.bytes(10_000, 1000));
    BitSet kept = random(10_000, .01, 9);
    assertThat(SurvivorIndex.of(arena, IndexKind.AUTO, 10_000, kept).bytes())
        .isEqualTo(4L * kept.cardinality() + ranks);
  }

  @Test
  void refusesWhatDoesNotFit() {
    BitSet kept = random(100, .5, 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SurvivorIndex.of(arena, IndexKind.INT32, 50, kept))
        .withMessageContaining("positions below 50");
    SurvivorIndex index = SurvivorIndex.of(arena, IndexKind.BITMAP, 100, kept);
    MemorySegment compressed = arena.allocate(4L * index.survivors(), 64);
    MemorySegment values = arena.allocate(400, 64);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> index.compress(0, 99, values, compressed))
        .withMessageContaining("expected 99 values numbers in FLOAT32, found 400 bytes");
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> index.expand(0, 101, compressed, values));
  }
}
