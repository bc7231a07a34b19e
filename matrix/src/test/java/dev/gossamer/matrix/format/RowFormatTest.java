package dev.gossamer.matrix.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Samples;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RowFormatTest {
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  /// The nearer of the two bfloat16 that enclose a number, in exact arithmetic; at equal distance
  /// the one with an even last bit. Above the largest comes what would be next: `2^128`.
  private static int nearest(float x) {
    int below = Float.floatToRawIntBits(x) >>> 16;
    if (Float.isNaN(x) || Float.isInfinite(x)) {
      return below;
    }
    BigDecimal exact = new BigDecimal(Math.abs((double) x));
    BigDecimal down = exact.subtract(magnitude(below & 0x7FFF));
    BigDecimal up = magnitude((below & 0x7FFF) + 1).subtract(exact);
    int side = down.compareTo(up);
    boolean odd = (below & 1) != 0;
    return side > 0 || (side == 0 && odd) ? below + 1 : below;
  }

  private static BigDecimal magnitude(int bits) {
    int exponent = Math.max(1, bits >>> 7);
    int significand = (bits & 0x7F) + (bits >>> 7 == 0 ? 0 : 0x80);
    return new BigDecimal(significand).multiply(new BigDecimal(Math.scalb(1.0, exponent - 134)));
  }

  private static void assertNarrowed(short packed, float x) {
    if (Float.isNaN(x)) {
      assertThat(Float.intBitsToFloat(packed << 16)).isNaN();
      assertThat(packed < 0).isEqualTo(Float.floatToRawIntBits(x) < 0);
    } else if ((short) nearest(x) != packed) {
      assertThat(packed).as("%s = %a", x, x).isEqualTo((short) nearest(x));
    }
  }

  /// Packed columns are those of a matrix that has no others.
  @ParameterizedTest
  @EnumSource(RowFormat.class)
  void someColumnsArePackedAsIfThereWereNoOthers(RowFormat format) {
    DenseMatrix x = Samples.random(arena, 1100, 70, 1);
    int[] ids = {3, 1099, 3, 0};
    try (Workers w = new Workers(2)) {
      for (int[] cut : new int[][] {{0, 70}, {0, 1}, {3, 40}, {51, 70}, {7, 7}}) {
        ColumnBlock block = new ColumnBlock(x, cut[0], cut[1]);
        DenseMatrix alone = DenseMatrix.allocate(arena, x.rows(), block.cols());
        for (long row = 0; row < x.rows(); row++) {
          for (int j = 0; j < block.cols(); j++) {
            alone.set(row, j, x.get(row, cut[0] + j));
          }
        }
        MemorySegment room = arena.allocate(format.bytes(x.rows(), 70));
        MemorySegment other = arena.allocate(format.bytes(x.rows(), 70));
        assertThat(format.packed(block, room, w).mismatch(format.packed(alone, other, w)))
            .isEqualTo(-1);
        MemorySegment some = arena.allocate(format.bytes(ids.length, block.cols()));
        MemorySegment expected = arena.allocate(format.bytes(ids.length, block.cols()));
        format.pack(block, ids, some, w);
        format.pack(alone, ids, expected, w);
        assertThat(some.mismatch(expected)).isEqualTo(-1);
      }
    }
  }

  @Test
  void everyBfloat16ComesBack() {
    int count = 1 << 16;
    MemorySegment packed = arena.allocate(2L * count);
    for (int i = 0; i < count; i++) {
      packed.set(SHORT, 2L * i, (short) i);
    }
    DenseMatrix wide = DenseMatrix.allocate(arena, count / 64, 64);
    MemorySegment again = arena.allocate(2L * count);
    try (Workers w = new Workers(2)) {
      RowFormat.BF16.unpack(packed, wide, IntStream.range(0, count / 64).toArray(), w);
      assertThat(RowFormat.BF16.packed(wide, again, w).byteSize()).isEqualTo(2L * count);
    }
    for (int i = 0; i < count; i++) {
      float value = wide.get(i / 64, i % 64);
      boolean nan = (i & 0x7FFF) > 0x7F80;
      assertThat(Float.floatToRawIntBits(value)).isEqualTo(i << 16);
      assertThat(again.get(SHORT, 2L * i)).isEqualTo((short) (nan ? i | 0x40 : i));
      assertThat(Bfloat16.narrow(value)).isEqualTo(again.get(SHORT, 2L * i));
      assertThat(Float.floatToRawIntBits(Bfloat16.widen((short) i))).isEqualTo(i << 16);
    }
  }

  /// Values next to each bfloat16 and in the middle between two: whole vectors, then a rest.
  @Test
  void roundsToTheNearestAndTiesToEven() {
    int[] lower = {0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF};
    int cols = lower.length * 16 + 5;
    DenseMatrix x = DenseMatrix.allocate(arena, 1 << 12, cols);
    Random random = new Random(3);
    for (int i = 0; i < x.rows(); i++) {
      for (int j = 0; j < cols; j++) {
        int upper = i << 4 | (j / lower.length & 15);
        int bits = j < lower.length * 16 ? upper << 16 | lower[j % lower.length] : random.nextInt();
        x.data().setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, (long) i * cols + j, bits);
      }
    }
    MemorySegment packed = arena.allocate(RowFormat.BF16.bytes(x.rows(), cols));
    try (Workers w = new Workers(2)) {
      RowFormat.BF16.pack(x, IntStream.range(0, 1 << 12).toArray(), packed, w);
    }
    for (int i = 0; i < x.rows(); i++) {
      for (int j = 0; j < cols; j++) {
        short narrow = packed.get(SHORT, ((long) i * cols + j) * Short.BYTES);
        assertNarrowed(narrow, x.get(i, j));
        assertThat(Bfloat16.narrow(x.get(i, j))).isEqualTo(narrow);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      floats = {
        0f,
        -0f,
        1f,
        -1f,
        Float.MIN_VALUE,
        -Float.MIN_VALUE,
        0x1.8p-133f,
        0x1p-134f,
        0x1.8p-134f,
        Float.MIN_NORMAL,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
        0x1.fep127f,
        0x1.fefffep127f,
        0x1.ffp127f,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY,
        Float.NaN
      })
  void keepsWhatIsSpecial(float x) {
    DenseMatrix row = DenseMatrix.allocate(arena, 1, 2 * Samples.LANES + 1);
    for (int j = 0; j < row.cols(); j++) {
      row.set(0, j, x);
    }
    MemorySegment packed = arena.allocate(RowFormat.BF16.bytes(1, row.cols()));
    try (Workers w = new Workers(1)) {
      RowFormat.BF16.packed(row, packed, w);
    }
    for (int j = 0; j < row.cols(); j++) {
      assertNarrowed(packed.get(SHORT, 2L * j), x);
    }
  }

  private static float trip(RowFormat format, float x) {
    return format == RowFormat.FLOAT32 ? x : Float.intBitsToFloat(nearest(x) << 16);
  }

  /// Chosen rows of all widths travel, and arrive in turn, by lists, and added up, each against
  /// loops over elements.
  @ParameterizedTest
  @EnumSource
  void rowsTravel(RowFormat format) {
    Random random = new Random(5);
    int[] ids = random.ints(3000, 0, 41).toArray();
    int[] to = random.ints(0, 4000).distinct().limit(3000).toArray();
    int[] chosen = random.ints(3000, 0, 3000).toArray();
    Samples.widths()
        .forEach(cols -> {
          DenseMatrix x = Samples.random(arena, 41, cols, 3);
          MemorySegment packed = arena.allocate(format.bytes(ids.length, cols));
          assertThat(packed.byteSize()).isEqualTo(3000L * cols * format.elementBytes());
          DenseMatrix inTurn = DenseMatrix.allocate(arena, 4000, cols);
          DenseMatrix picked = DenseMatrix.allocate(arena, 4000, cols);
          DenseMatrix sum = Samples.random(arena, 41, cols, 5);
          float[][] expected = sum.toArray();
          float[][] turns = inTurn.toArray();
          float[][] picks = picked.toArray();
          for (int i = 0; i < ids.length; i++) {
            for (int j = 0; j < cols; j++) {
              expected[ids[i]][j] += trip(format, x.get(ids[i], j));
              turns[to[i]][j] = trip(format, x.get(ids[i], j));
              picks[to[i]][j] = trip(format, x.get(ids[chosen[i]], j));
            }
          }
          try (Workers w = new Workers(3)) {
            format.pack(x, ids, packed, w);
            format.unpack(packed, inTurn, to, w);
            format.unpack(packed, chosen, picked, to, w);
            format.scatterAdd(packed, ids, sum, w);
          }
          assertThat(inTurn.toArray()).isDeepEqualTo(turns);
          assertThat(picked.toArray()).isDeepEqualTo(picks);
          assertThat(sum.toArray()).isDeepEqualTo(expected);
        });
  }

  /// Rows are unpacked over themselves, with tasks that write while others read.
  @Tag("slow")
  @ParameterizedTest
  @EnumSource
  void rowsArriveInTheMemoryTheyAreFor(RowFormat format) {
    for (int threads : new int[] {1, 3}) {
      for (int rows : new int[] {0, 1, 2, 5, 2047, 2048, 20011}) {
        for (int cols : new int[] {1, 3, Samples.LANES, 2 * Samples.LANES + 1}) {
          DenseMatrix x = Samples.random(arena, rows, cols, rows);
          DenseMatrix y = DenseMatrix.allocate(arena, rows, cols);
          MemorySegment room = arena.allocate(format.room(rows, cols));
          try (Workers w = new Workers(threads)) {
            format.arrival(y).copyFrom(format.packed(x, room, w));
            format.unpackArrived(y, w);
          }
          for (int i = 0; i < rows; i++) {
            for (int j = 0; j < cols; j++) {
              if (y.get(i, j) != trip(format, x.get(i, j))) {
                assertThat(y.get(i, j))
                    .as("(%d, %d) of %s", i, j, y)
                    .isEqualTo(trip(format, x.get(i, j)));
              }
            }
          }
        }
      }
    }
  }

  @Test
  void sizesAreThoseOfTheFormat() {
    assertThat(RowFormat.FLOAT32.bytes(3, 5)).isEqualTo(60);
    assertThat(RowFormat.BF16.bytes(3, 5)).isEqualTo(30);
    assertThat(RowFormat.FLOAT32.floats(5)).isEqualTo(5);
    assertThat(RowFormat.BF16.floats(5)).isEqualTo(3);
    assertThat(RowFormat.FLOAT32.room(3, 5)).isZero();
    assertThat(RowFormat.BF16.room(3, 5)).isEqualTo(30);
  }

  @ParameterizedTest
  @EnumSource
  void refusesWhatDoesNotFit(RowFormat format) {
    DenseMatrix x = Samples.random(arena, 4, 3, 1);
    MemorySegment two = arena.allocate(format.bytes(2, 3));
    try (Workers w = new Workers(1)) {
      format.pack(x, new int[0], arena.allocate(0), w);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> format.pack(x, new int[] {1, 2, 3}, two, w))
          .withMessageContaining("pack: 3 rows of 3 elements in " + format);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> format.unpack(two, x, new int[] {1}, w))
          .withMessageContaining("unpack: 1 rows of 3 elements");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> format.unpack(two, new int[] {1}, x, new int[] {1, 2}, w))
          .withMessage("unpack: 1 rows for 2 places");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> format.scatterAdd(two, new int[] {1}, x, w))
          .withMessageContaining("scatter-add: 1 rows of 3 elements");
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> format.pack(x, new int[] {1, 4}, two, w))
          .withMessageContaining("id 1 is 4");
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> format.unpack(two, x, new int[] {0, -1}, w))
          .withMessageContaining("id 1 is -1");
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> format.unpack(two, new int[] {0, 2}, x, new int[] {0, 1}, w))
          .withMessageContaining("id 1 is 2");
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> format.scatterAdd(two, new int[] {0, 4}, x, w))
          .withMessageContaining("id 1 is 4");
    }
  }
}
