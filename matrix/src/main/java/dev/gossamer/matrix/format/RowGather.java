package dev.gossamer.matrix.format;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// Moves rows between matrices by a list of row numbers: gather, and its transpose, scatter-add.
public final class RowGather {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  /// Rows that a task of [#gather] moves.
  private static final int TASK_ROWS = 1 << 10;

  private RowGather() {}

  /// Computes `y[i] = x[ids[i]]`.
  ///
  /// @param x source rows
  /// @param ids `int32[rows of y]`, each a row of `x`; duplicates are allowed
  /// @param y overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the widths or the number of ids do not fit
  /// @throws IndexOutOfBoundsException if an id is not a row of `x`
  public static void gather(DenseMatrix x, MemorySegment ids, DenseMatrix y, Workers w) {
    gather(ColumnBlock.all(x), ids, y, w);
  }

  /// Computes `y[i] = x[ids[i]]` for a block of columns of the source.
  ///
  /// @param x source rows
  /// @param ids `int32[rows of y]`, each a row of `x`; duplicates are allowed
  /// @param y overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the widths or the number of ids do not fit
  /// @throws IndexOutOfBoundsException if an id is not a row of `x`
  public static void gather(ColumnBlock x, MemorySegment ids, DenseMatrix y, Workers w) {
    require("gather", x, ids, y.rows(), y);
    w.run(
        Math.toIntExact(Math.ceilDiv(y.rows(), TASK_ROWS)),
        (task, worker) -> {
          long begin = (long) task * TASK_ROWS;
          long end = Math.min(y.rows(), begin + TASK_ROWS);
          for (long i = begin; i < end; i++) {
            int id = id("gather", ids, i, x.matrix());
            row(x.matrix().data(), x.offset(id), y.data(), y.offset(i), x.cols(), false);
          }
        });
  }

  /// Computes `y[i] = x[ids[i]]`, with the ids in a Java array.
  ///
  /// @param x source rows
  /// @param ids rows of `x`; duplicates are allowed
  /// @param y overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the widths or the number of ids do not fit
  /// @throws IndexOutOfBoundsException if an id is not a row of `x`
  public static void gather(DenseMatrix x, int[] ids, DenseMatrix y, Workers w) {
    gather(x, MemorySegment.ofArray(ids), y, w);
  }

  /// Computes `y[i] = x[i]`, for some columns of both.
  ///
  /// @param x source rows
  /// @param y overwritten; other columns of its matrix stay
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes differ
  public static void copy(ColumnBlock x, ColumnBlock y, Workers w) {
    if (x.rows() != y.rows() || x.cols() != y.cols()) {
      throw new IllegalArgumentException(
          "copy: x is %s and y is %s; the shapes must agree".formatted(x, y));
    }
    w.run(
        Math.toIntExact(Math.ceilDiv(y.rows(), TASK_ROWS)),
        (task, worker) -> {
          long end = Math.min(y.rows(), (task + 1L) * TASK_ROWS);
          for (long i = (long) task * TASK_ROWS; i < end; i++) {
            MemorySegment to = y.matrix().data();
            row(x.matrix().data(), x.offset(i), to, y.offset(i), x.cols(), false);
          }
        });
  }

  /// Computes `y[to[i]] = x[from[i]]`: rows are read in one order and written in another.
  ///
  /// @param x source rows
  /// @param from rows of `x`; duplicates are allowed
  /// @param y the rows `to` are overwritten
  /// @param to the same number of distinct rows of `y`
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the widths or the numbers of ids differ
  /// @throws IndexOutOfBoundsException if an id is not a row; `y` is then partly overwritten
  public static void move(DenseMatrix x, int[] from, DenseMatrix y, int[] to, Workers w) {
    MemorySegment sources = MemorySegment.ofArray(from);
    MemorySegment targets = MemorySegment.ofArray(to);
    require("move", ColumnBlock.all(x), sources, to.length, y);
    w.run(
        Math.ceilDiv(to.length, TASK_ROWS),
        (task, worker) -> {
          int end = Math.min(to.length, (task + 1) * TASK_ROWS);
          for (int i = task * TASK_ROWS; i < end; i++) {
            int source = id("move", sources, i, x);
            int target = id("move", targets, i, y);
            row(x.data(), x.offset(source), y.data(), y.offset(target), x.cols(), false);
          }
        });
  }

  /// Computes `y[ids[i]] += x[i]`, for `i` ascending: a target row sums its sources in order, for
  /// any number of threads. Each thread owns a range of target rows.
  ///
  /// @param x source rows
  /// @param ids `int32[rows of x]`, each a row of `y`; duplicates add up
  /// @param y added to
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the widths or the number of ids do not fit
  /// @throws IndexOutOfBoundsException if an id is not a row of `y`; `y` is then partly updated
  public static void scatterAdd(DenseMatrix x, MemorySegment ids, DenseMatrix y, Workers w) {
    require("scatter-add", ColumnBlock.all(x), ids, x.rows(), y);
    int ranges = w.threads() == 1 ? 1 : 2 * w.threads();
    w.run(
        ranges,
        (task, worker) -> {
          long begin = y.rows() * task / ranges;
          long end = y.rows() * (task + 1) / ranges;
          for (long i = 0; i < x.rows(); i++) {
            int id = id("scatter-add", ids, i, y);
            if (id >= begin && id < end) {
              row(x.data(), x.offset(i), y.data(), y.offset(id), x.cols(), true);
            }
          }
        });
  }

  /// Computes `y[ids[i]] += x[i]`, with the ids in a Java array.
  ///
  /// @param x source rows
  /// @param ids rows of `y`; duplicates add up
  /// @param y added to
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the widths or the number of ids do not fit
  /// @throws IndexOutOfBoundsException if an id is not a row of `y`; `y` is then partly updated
  public static void scatterAdd(DenseMatrix x, int[] ids, DenseMatrix y, Workers w) {
    scatterAdd(x, MemorySegment.ofArray(ids), y, w);
  }

  private static int id(String what, MemorySegment ids, long i, DenseMatrix rows) {
    int id = ids.get(INT, i * Integer.BYTES);
    if (id < 0 || id >= rows.rows()) {
      throw new IndexOutOfBoundsException(
          "%s: id %d is %d but the matrix is %s".formatted(what, i, id, rows));
    }
    return id;
  }

  private static void row(
      MemorySegment x, long from, MemorySegment y, long to, int cols, boolean add) {
    int whole = cols / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      long shift = (long) j * Float.BYTES;
      FloatVector v = FloatVector.fromMemorySegment(SPECIES, x, from + shift, ORDER);
      if (add) {
        FloatVector old = FloatVector.fromMemorySegment(SPECIES, y, to + shift, ORDER);
        old.add(v).intoMemorySegment(y, to + shift, ORDER);
      } else {
        v.intoMemorySegment(y, to + shift, ORDER);
      }
    }
    if (whole < cols) {
      long shift = (long) whole * Float.BYTES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, cols);
      FloatVector v = FloatVector.fromMemorySegment(SPECIES, x, from + shift, ORDER, rest);
      if (add) {
        FloatVector old = FloatVector.fromMemorySegment(SPECIES, y, to + shift, ORDER, rest);
        old.add(v).intoMemorySegment(y, to + shift, ORDER, rest);
      } else {
        v.intoMemorySegment(y, to + shift, ORDER, rest);
      }
    }
  }

  private static void require(
      String what, ColumnBlock x, MemorySegment ids, long count, DenseMatrix y) {
    if (x.cols() != y.cols() || ids.byteSize() != count * Integer.BYTES) {
      throw new IllegalArgumentException(
          "%s: x is %s, y is %s and there are %d ids; the widths must agree and %d ids are needed"
              .formatted(what, x, y, ids.byteSize() / Integer.BYTES, count));
    }
  }
}
