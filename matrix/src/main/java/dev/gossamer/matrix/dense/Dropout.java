package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.random.Philox;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// Inverted dropout without stored masks: an element is set to zero with probability `rate`,
/// otherwise multiplied by `1 / (1 - rate)`.
///
/// Whether an element is kept depends only on the seed, the stream, the step, the element's row and
/// column in the whole matrix, and the matrix's width, not on threads, blocks of rows or ranks. An
/// element has 16 bits of a [Philox] draw, so the probability is `rate` rounded to a multiple of
/// `2^-16` below 1.
///
/// Element `e = row cols + col` takes its bits from block `e / 64`, which is eight draws at the
/// counters `8 (e / 64) + 0..7`; with `q = e mod 64`, from draw `(q mod 16) / 2`, word `2 (q / 32)
/// + q mod 2`, lower half if `q / 16` is even. So a vector of draws yields a vector of decisions
///   without moving bits between lanes.
///
/// @param seed of the run
/// @param stream number of the layer's dropout
/// @param rate probability of zero, `0 <= rate < 1`
public record Dropout(long seed, int stream, float rate) {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Long> LONGS = Philox.SPECIES;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// The largest share of elements that can be dropped: draws have 16 bits. Larger rates drop it,
  /// too.
  private static final float LARGEST_RATE = 0xFFFF / 0x1p16f;

  /// Elements that share eight draws, and the longs of these draws.
  private static final int BLOCK = 64;

  private static final int DRAWS = 8;
  private static final int WORDS = 2 * DRAWS;
  private static final LongVector LANE_NUMBERS = LongVector.zero(LONGS).addIndex(1);

  /// Entries of a sparse matrix, and rows of a dense one, that one task takes.
  private static final int ENTRIES = 1 << 14;

  /// Checks the rate.
  ///
  /// @throws IllegalArgumentException if the rate is not in `[0, 1)`
  public Dropout {
    if (!(rate >= 0 && rate < 1)) {
      throw new IllegalArgumentException(
          "dropout rate: expected at least 0 and less than 1, found " + rate);
    }
  }

  /// {@return the factor of kept elements: `1 / (1 - rate)`}
  public float scale() {
    return scale(rate);
  }

  /// {@return the factor of what a rate keeps}
  ///
  /// @param rate in `[0, 1)`
  public static float scale(float rate) {
    return 1f / (1f - Math.min(rate, LARGEST_RATE));
  }

  /// {@return the number below which a draw of 16 bits drops its element}
  ///
  /// @param rate in `[0, 1)`
  public static int threshold(float rate) {
    return Math.round(Math.min(rate, LARGEST_RATE) * 0x1p16f);
  }

  /// {@return whether an element is kept; the definition of dropout}
  ///
  /// @param step epoch or batch
  /// @param row row in the whole matrix
  /// @param col column
  /// @param cols width of the matrix
  public boolean keeps(long step, long row, int col, int cols) {
    return keeps(Philox.keyed(seed, stream, step), row * cols + col);
  }

  /// {@return dropout as the last step of a kernel}
  ///
  /// @param step epoch or batch
  /// @param ids global ids of the kernel's rows
  public RowEpilogue rows(long step, RowIds ids) {
    Philox philox = Philox.keyed(seed, stream, step);
    return (y, begin, end) -> {
      long[] words = new long[WORDS];
      long run = ids.consecutive() ? end - begin : 1;
      for (long row = begin; row < end; row += run) {
        apply(philox, y.data(), y.offset(row), ids.id(row) * y.cols(), run * y.cols(), words);
      }
    };
  }

  /// Drops elements of a matrix in place.
  ///
  /// @param y overwritten
  /// @param step epoch or batch
  /// @param ids global ids of the rows of `y`
  /// @param w threads that share the work
  public void apply(DenseMatrix y, long step, RowIds ids, Workers w) {
    Epilogues.apply(rows(step, ids), y, w);
  }

  /// Applies dropout to the stored entries of a sparse matrix: `out[e] = kept ? value[e] scale :
  /// 0`.
  ///
  /// @param x its scales are ignored
  /// @param step epoch or batch
  /// @param ids global ids of the rows of `x`
  /// @param out `float32[nnz]`, overwritten; may be the values of `x`
  /// @param w threads that share the work
  public void sparse(CsrMatrix x, long step, RowIds ids, MemorySegment out, Workers w) {
    sparse(x, step, ids, x.cols(), false, out, w);
  }

  /// Applies the same dropout to the transposed matrix: entry `(i, j)` of the transpose is kept if
  /// and only if [#sparse] keeps entry `(j, i)`.
  ///
  /// @param transposed features x vertices; its scales are ignored
  /// @param step epoch or batch
  /// @param ids global ids of the columns of `transposed`
  /// @param out `float32[nnz]`, overwritten; may be the values of `transposed`
  /// @param w threads that share the work
  public void sparseTransposed(
      CsrMatrix transposed, long step, RowIds ids, MemorySegment out, Workers w) {
    sparse(transposed, step, ids, transposed.rows(), true, out, w);
  }

  private void sparse(
      CsrMatrix x,
      long step,
      RowIds ids,
      long width,
      boolean transposed,
      MemorySegment out,
      Workers w) {
    if (out.byteSize() != x.nnz() * Float.BYTES) {
      throw new IllegalArgumentException(
          "sparse dropout: x is %s but the result has room for %d"
              .formatted(x, out.byteSize() / Float.BYTES));
    }
    Philox philox = Philox.keyed(seed, stream, step);
    w.run(
        Math.toIntExact(Math.ceilDiv(x.nnz(), ENTRIES)),
        (task, worker) -> {
          long begin = (long) task * ENTRIES;
          long end = Math.min(x.nnz(), begin + ENTRIES);
          MemorySegment elements = w.scratch(worker);
          if (transposed) {
            transposedElements(x, begin, end, ids, width, elements);
          } else {
            elements(x, begin, end, ids, width, elements);
          }
          decide(philox, x, begin, end, elements, out);
        });
  }

  /// Number of the element that each stored entry is.
  private static void elements(
      CsrMatrix x, long begin, long end, RowIds ids, long width, MemorySegment to) {
    long row = x.rowOf(begin);
    for (long e = begin; e < end; row++) {
      long stop = Math.min(end, x.rowPointer(row + 1));
      long first = ids.id(row) * width;
      for (; e < stop; e++) {
        to.setAtIndex(ValueLayout.JAVA_LONG, e - begin, first + x.column(e));
      }
    }
  }

  private static void transposedElements(
      CsrMatrix x, long begin, long end, RowIds ids, long width, MemorySegment to) {
    long row = x.rowOf(begin);
    for (long e = begin; e < end; row++) {
      long stop = Math.min(end, x.rowPointer(row + 1));
      for (; e < stop; e++) {
        to.setAtIndex(ValueLayout.JAVA_LONG, e - begin, ids.id(x.column(e)) * width + row);
      }
    }
  }

  /// Draws for a vector of entries at a time, then picks each entry's 16 bits.
  private void decide(
      Philox philox, CsrMatrix x, long begin, long end, MemorySegment elements, MemorySegment out) {
    int lanes = LONGS.length();
    long[] words = new long[2 * lanes];
    int threshold = threshold();
    float scale = scale();
    for (long e = begin; e < end; e += lanes) {
      LongVector element =
          LongVector.fromMemorySegment(LONGS, elements, (e - begin) * Long.BYTES, ORDER);
      LongVector counter =
          element
              .lanewise(VectorOperators.LSHR, 6)
              .lanewise(VectorOperators.LSHL, 3)
              .or(element.and(15).lanewise(VectorOperators.LSHR, 1));
      philox.draw(counter, words, 0, lanes);
      int count = (int) Math.min(lanes, end - e);
      for (int l = 0; l < count; l++) {
        long q = elements.getAtIndex(ValueLayout.JAVA_LONG, e - begin + l);
        long word = words[(q & 32) == 0 ? l : l + lanes];
        int draw = (int) (word >>> ((q & 1) * 32 + (q >>> 4 & 1) * 16)) & 0xFFFF;
        float kept = draw >= threshold ? scale * x.value(e + l) : 0f;
        out.set(FLOAT, (e + l) * Float.BYTES, kept);
      }
    }
  }

  /// Draws below it are dropped.
  private int threshold() {
    return threshold(rate);
  }

  private boolean keeps(Philox philox, long element) {
    long q = element & (BLOCK - 1);
    long counter = element / BLOCK * DRAWS + (q & 15) / 2;
    int c0 = (int) counter;
    int c1 = (int) (counter >>> 32);
    long pair = q < 32 ? philox.low(c0, c1, 0, 0) : philox.high(c0, c1, 0, 0);
    return (int) (pair >>> ((q & 1) * 32 + (q >>> 4 & 1) * 16) & 0xFFFF) >= threshold();
  }

  /// Drops `count` consecutive elements, the first of which is number `first` of the whole matrix.
  private void apply(
      Philox philox, MemorySegment y, long at, long first, long count, long[] words) {
    if (threshold() == 0) {
      return;
    }
    long end = first + count;
    for (long block = first / BLOCK; block * BLOCK < end; block++) {
      for (int lane = 0; lane < DRAWS; lane += LONGS.length()) {
        LongVector counters = LANE_NUMBERS.add(block * DRAWS + lane);
        philox.draw(counters, words, lane, DRAWS);
      }
      long position = at + (block * BLOCK - first) * Float.BYTES;
      if (block * BLOCK >= first && block * BLOCK + BLOCK <= end) {
        wholeBlock(words, y, position);
      } else {
        int from = (int) Math.max(0, first - block * BLOCK);
        int to = (int) Math.min(BLOCK, end - block * BLOCK);
        partOfBlock(words, y, position, from, to);
      }
    }
  }

  private void wholeBlock(long[] words, MemorySegment y, long at) {
    int high = threshold() << 16;
    for (int half = 0; half < 2; half++) {
      for (int lane = 0; lane < DRAWS; lane += LONGS.length()) {
        IntVector bits =
            LongVector.fromArray(LONGS, words, half * DRAWS + lane).reinterpretAsInts();
        long to = at + (32L * half + 2L * lane) * Float.BYTES;
        keep(bits.lanewise(VectorOperators.LSHL, 16), high, y, to);
        keep(bits, high, y, to + 16 * Float.BYTES);
      }
    }
  }

  /// Scales the elements whose draw, in the upper half of an int, is not below the threshold.
  private void keep(IntVector draws, int threshold, MemorySegment y, long at) {
    FloatVector v = FloatVector.fromMemorySegment(SPECIES, y, at, ORDER).mul(scale());
    FloatVector.zero(SPECIES)
        .blend(v, draws.compare(VectorOperators.UGE, threshold).cast(SPECIES))
        .intoMemorySegment(y, at, ORDER);
  }

  /// Elements `from..end-1` of a block: a vector at a time, in the lanes that are meant.
  private void partOfBlock(long[] words, MemorySegment y, long at, int from, int end) {
    int high = threshold() << 16;
    long inside = -1L << from & -1L >>> (BLOCK - end);
    for (int half = 0; half < 2; half++) {
      for (int lane = 0; lane < DRAWS; lane += LONGS.length()) {
        IntVector bits =
            LongVector.fromArray(LONGS, words, half * DRAWS + lane).reinterpretAsInts();
        int q = 32 * half + 2 * lane;
        long to = at + (long) q * Float.BYTES;
        keep(bits.lanewise(VectorOperators.LSHL, 16), high, inside >>> q, y, to);
        keep(bits, high, inside >>> (q + 16), y, to + 16 * Float.BYTES);
      }
    }
  }

  /// As the other one, in the lanes whose bit of `inside` is set.
  private void keep(IntVector draws, int threshold, long inside, MemorySegment y, long at) {
    VectorMask<Float> lanes = VectorMask.fromLong(SPECIES, inside);
    if (!lanes.anyTrue()) {
      return;
    }
    FloatVector v = FloatVector.fromMemorySegment(SPECIES, y, at, ORDER, lanes).mul(scale());
    FloatVector.zero(SPECIES)
        .blend(v, draws.compare(VectorOperators.UGE, threshold).cast(SPECIES))
        .intoMemorySegment(y, at, ORDER, lanes);
  }
}
