package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.RowTasks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;

/// The dot product of two rows for each entry of a pattern, a sampled dense-dense product: `s[ij] =
/// <x[i], y[j]>`.
///
/// The order of each sum depends only on the width, and both factors play the same part, so that
/// `<x[i], y[j]>` and `<y[j], x[i]>` are the same bits, for any number of threads. Cost: `nnz (4 f
/// + 8)` bytes read or written.
public final class PairScores {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private PairScores() {}

  /// Computes the scores.
  ///
  /// @param pairs `n x m`; values, if any, are not read
  /// @param x `n x f`
  /// @param y `m x f`
  /// @param scores `float32[nnz]`, overwritten, in the order of the entries
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit, or column ids are out of range
  public static void of(
      CsrMatrix pairs, DenseMatrix x, DenseMatrix y, MemorySegment scores, Workers w) {
    require("rows", pairs.rows(), x.rows());
    require("columns", pairs.cols(), y.rows());
    require("width", y.cols(), x.cols());
    require("bytes of scores", scores.byteSize(), pairs.nnz() * Float.BYTES);
    String fault = pairs.validate();
    if (fault != null) {
      throw new IllegalArgumentException("scores: the pairs are %s; %s".formatted(pairs, fault));
    }
    RowTasks tasks = RowTasks.of(pairs);
    w.run(
        tasks.count(),
        (task, worker) -> {
          float[] products = new float[Workers.SCRATCH_ELEMENTS + FloatVector.SPECIES_MAX.length()];
          for (long row = tasks.first(task); row < tasks.first(task + 1); row++) {
            row(pairs, row, x, y, scores, products, w, worker);
          }
        },
        x.data(),
        y.data(),
        scores,
        pairs.columns(),
        pairs.rowPointers());
  }

  private static void row(
      CsrMatrix pairs,
      long row,
      DenseMatrix x,
      DenseMatrix y,
      MemorySegment scores,
      float[] products,
      Workers w,
      int worker) {
    int[] ids = w.scratchInts(worker);
    long end = pairs.rowPointer(row + 1);
    for (long e = pairs.rowPointer(row); e < end; e += ids.length) {
      int count = (int) Math.min(ids.length, end - e);
      MemorySegment.copy(pairs.columns(), INT, e * Integer.BYTES, ids, 0, count);
      Sddmm.row(
          Memory.address(x.data(), x.offset(row), (long) x.cols() * Float.BYTES),
          ids,
          count,
          y.data().address(),
          y.offset(1),
          1,
          x.cols(),
          1,
          products,
          w.scratchFloats(worker));
      MemorySegment.copy(products, 0, scores, FLOAT, e * Float.BYTES, count);
    }
  }

  private static void require(String what, long found, long expected) {
    if (found != expected) {
      throw new IllegalArgumentException(
          "scores: expected %d %s, found %d".formatted(expected, what, found));
    }
  }
}
