package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// The sum of each column of a tall matrix: the gradient of a bias.
///
/// Rows are divided into parts that depend only on the shape; a part is summed in runs of [#RUN]
/// rows, and the parts in ascending order, so that results do not depend on threads, and the
/// rounding error grows with the number of runs and parts, not of rows.
public final class ColumnSums {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// Rows that are summed in registers.
  private static final int RUN = 128;

  private static final int MAX_PARTS = 64;
  private static final int MIN_PART_ROWS = 1024;

  private ColumnSums() {}

  /// Computes `sums[j] = sum over i of x[i][j]`.
  ///
  /// Cost: one pass over `x`.
  ///
  /// @param x `n x f`
  /// @param sums `float32[f]`, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if `sums` has another size, or `f` is more than
  ///   `Workers.SHARED_BYTES / 4`
  public static void of(DenseMatrix x, MemorySegment sums, Workers w) {
    int f = x.cols();
    if (sums.byteSize() != (long) f * Float.BYTES) {
      throw new IllegalArgumentException(
          "column sums: x is %s but the result has %d floats"
              .formatted(x, sums.byteSize() / Float.BYTES));
    }
    if (f > Workers.SHARED_BYTES / Float.BYTES) {
      throw new IllegalArgumentException(
          "column sums: x is %s; at most %d columns fit"
              .formatted(x, Workers.SHARED_BYTES / Float.BYTES));
    }
    if (f == 0) {
      return;
    }
    int parts = parts(x);
    MemorySegment partial = w.sharedScratch();
    w.run(
        parts,
        (task, worker) -> {
          long begin = x.rows() * task / parts;
          long end = x.rows() * (task + 1) / parts;
          part(x, begin, end, partial.asSlice((long) task * f * Float.BYTES, sums.byteSize()));
        });
    sums.fill((byte) 0);
    DenseMatrix rows = DenseMatrix.wrap(partial.asSlice(0, parts * sums.byteSize()), parts, f);
    part(rows, 0, parts, sums);
  }

  private static int parts(DenseMatrix x) {
    long fit = Workers.SHARED_BYTES / ((long) x.cols() * Float.BYTES);
    return (int) Math.clamp(Math.min(fit, x.rows() / MIN_PART_ROWS), 1L, MAX_PARTS);
  }

  private static void part(DenseMatrix x, long begin, long end, MemorySegment sums) {
    sums.fill((byte) 0);
    for (long i = begin; i < end; i += RUN) {
      long stop = Math.min(end, i + RUN);
      int j = 0;
      for (; j + 4 * LANES <= x.cols(); j += 4 * LANES) {
        addFour(x, i, stop, j, sums);
      }
      for (; j < x.cols(); j += LANES) {
        addOne(x, i, stop, j, sums);
      }
    }
  }

  private static void addFour(DenseMatrix x, long begin, long end, int j, MemorySegment sums) {
    FloatVector a = FloatVector.zero(SPECIES);
    FloatVector b = a;
    FloatVector c = a;
    FloatVector d = a;
    long width = SPECIES.vectorByteSize();
    long to = (long) j * Float.BYTES;
    int rows = (int) (end - begin);
    long at = x.offset(begin) + to;
    for (int i = 0; i < rows; i++) {
      a = a.add(load(x.data(), at));
      b = b.add(load(x.data(), at + width));
      c = c.add(load(x.data(), at + 2 * width));
      d = d.add(load(x.data(), at + 3 * width));
      at += x.offset(1);
    }
    load(sums, to).add(a).intoMemorySegment(sums, to, ORDER);
    load(sums, to + width).add(b).intoMemorySegment(sums, to + width, ORDER);
    load(sums, to + 2 * width).add(c).intoMemorySegment(sums, to + 2 * width, ORDER);
    load(sums, to + 3 * width).add(d).intoMemorySegment(sums, to + 3 * width, ORDER);
  }

  private static void addOne(DenseMatrix x, long begin, long end, int j, MemorySegment sums) {
    VectorMask<Float> inside = SPECIES.indexInRange(j, x.cols());
    FloatVector sum = FloatVector.zero(SPECIES);
    long to = (long) j * Float.BYTES;
    for (long i = begin; i < end; i++) {
      sum =
          sum.add(
              FloatVector.fromMemorySegment(SPECIES, x.data(), x.offset(i) + to, ORDER, inside));
    }
    FloatVector.fromMemorySegment(SPECIES, sums, to, ORDER, inside)
        .add(sum)
        .intoMemorySegment(sums, to, ORDER, inside);
  }

  private static FloatVector load(MemorySegment from, long at) {
    return FloatVector.fromMemorySegment(SPECIES, from, at, ORDER);
  }
}
