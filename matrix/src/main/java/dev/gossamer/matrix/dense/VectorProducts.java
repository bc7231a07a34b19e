package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.Lanes;
import dev.gossamer.matrix.tile.Tiles;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// Products of one vector and a dense matrix. Each element of the matrix is read once, in place:
/// for a single row, packing as in [Matmul] would take longer than the product.
///
/// Cost: `2 k n` operations, and the bytes of the matrix. Sums have an order that depends only on
/// the shapes. Local.
public final class VectorProducts {
  private static final VectorSpecies<Float> SPECIES = Tiles.SPECIES;
  private static final int LANES = Tiles.LANES;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Columns of a task: their sums stay in the first-level cache.
  private static final int COLUMNS = 1024;

  /// Elements of a task of dot products.
  private static final int ELEMENTS = 1 << 16;

  private VectorProducts() {}

  /// Computes `y = x B`. Each sum runs over `k` in ascending order, so that results are
  /// bit-identical to those of [Matmul#java] if that packs `B` in one piece.
  ///
  /// @param x `1 x k`
  /// @param b `k x n`
  /// @param y `1 x n`, overwritten
  /// @param w threads that share the work
  /// @param epilogue applied to the finished row
  /// @throws IllegalArgumentException if the shapes do not fit
  public static void multiply(
      DenseMatrix x, DenseMatrix b, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    MatmulShape s = MatmulShape.plain(x, b, y);
    requireOneRow(s);
    long from = Memory.address(x.data(), 0, x.offset(1));
    long matrix = Memory.address(b.data(), 0, b.offset(s.k()));
    long to = Memory.address(y.data(), 0, y.offset(1));
    w.run(
        Math.ceilDiv(s.n(), COLUMNS),
        (task, worker) -> {
          int left = task * COLUMNS;
          int cols = Math.min(COLUMNS, s.n() - left);
          y.data().asSlice(bytes(left), bytes(cols)).fill((byte) 0);
          long at = matrix + bytes(left);
          int i = 0;
          for (; i + 4 <= s.k(); i += 4) {
            addFour(from + bytes(i), at + i * b.offset(1), b.offset(1), to + bytes(left), cols);
          }
          for (; i < s.k(); i++) {
            addOne(element(from + bytes(i)), at + i * b.offset(1), to + bytes(left), cols);
          }
        },
        x.data(),
        b.data(),
        y.data());
    epilogue.apply(y, 0, 1);
  }

  /// Computes `y = x B^T`: a dot product for each row of `B`.
  ///
  /// @param x `1 x k`
  /// @param b `n x k`
  /// @param y `1 x n`, overwritten
  /// @param w threads that share the work
  /// @param epilogue applied to the finished row
  /// @throws IllegalArgumentException if the shapes do not fit
  public static void multiplyTransposed(
      DenseMatrix x, DenseMatrix b, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    MatmulShape s = MatmulShape.transposed(x, b, y);
    requireOneRow(s);
    long from = Memory.address(x.data(), 0, x.offset(1));
    long matrix = Memory.address(b.data(), 0, b.offset(b.rows()));
    int rows = Math.max(1, ELEMENTS / s.k());
    w.run(
        Math.ceilDiv(s.n(), rows),
        (task, worker) -> {
          for (int j = task * rows; j < Math.min(s.n(), (task + 1) * rows); j++) {
            y.set(0, j, dot(from, matrix + b.offset(j), s.k()));
          }
        },
        x.data(),
        b.data(),
        y.data());
    epilogue.apply(y, 0, 1);
  }

  private static void requireOneRow(MatmulShape s) {
    if (s.m() != 1) {
      throw new IllegalArgumentException(
          "vector product: expected a vector of one row, found %d rows".formatted(s.m()));
    }
  }

  /// `y += x[0] b[0] + x[1] b[1] + x[2] b[2] + x[3] b[3]`, in this order.
  private static void addFour(long x, long b, long row, long y, int cols) {
    FloatVector x0 = FloatVector.broadcast(SPECIES, element(x));
    FloatVector x1 = FloatVector.broadcast(SPECIES, element(x + Float.BYTES));
    FloatVector x2 = FloatVector.broadcast(SPECIES, element(x + 2 * Float.BYTES));
    FloatVector x3 = FloatVector.broadcast(SPECIES, element(x + 3 * Float.BYTES));
    int j = 0;
    for (; j + LANES <= cols; j += LANES) {
      long at = b + bytes(j);
      FloatVector sum = x0.fma(load(at), load(y + bytes(j)));
      sum = x1.fma(load(at + row), sum);
      sum = x2.fma(load(at + 2 * row), sum);
      sum = x3.fma(load(at + 3 * row), sum);
      sum.intoMemorySegment(Memory.ALL, Memory.at(y + bytes(j)), ORDER);
    }
    for (; j < cols; j++) {
      long at = b + bytes(j);
      float sum = Math.fma(x0.lane(0), element(at), element(y + bytes(j)));
      sum = Math.fma(x1.lane(0), element(at + row), sum);
      sum = Math.fma(x2.lane(0), element(at + 2 * row), sum);
      sum = Math.fma(x3.lane(0), element(at + 3 * row), sum);
      Memory.ALL.set(FLOAT, Memory.at(y + bytes(j)), sum);
    }
  }

  private static void addOne(float x, long b, long y, int cols) {
    FloatVector broadcast = FloatVector.broadcast(SPECIES, x);
    int j = 0;
    for (; j + LANES <= cols; j += LANES) {
      broadcast
          .fma(load(b + bytes(j)), load(y + bytes(j)))
          .intoMemorySegment(Memory.ALL, Memory.at(y + bytes(j)), ORDER);
    }
    for (; j < cols; j++) {
      float sum = Math.fma(x, element(b + bytes(j)), element(y + bytes(j)));
      Memory.ALL.set(FLOAT, Memory.at(y + bytes(j)), sum);
    }
  }

  /// Four sums, so that none waits for the one before it.
  private static float dot(long a, long b, int count) {
    FloatVector s0 = FloatVector.zero(SPECIES);
    FloatVector s1 = s0;
    FloatVector s2 = s0;
    FloatVector s3 = s0;
    int j = 0;
    for (; j + 4 * LANES <= count; j += 4 * LANES) {
      s0 = load(a + bytes(j)).fma(load(b + bytes(j)), s0);
      s1 = load(a + bytes(j + LANES)).fma(load(b + bytes(j + LANES)), s1);
      s2 = load(a + bytes(j + 2 * LANES)).fma(load(b + bytes(j + 2 * LANES)), s2);
      s3 = load(a + bytes(j + 3 * LANES)).fma(load(b + bytes(j + 3 * LANES)), s3);
    }
    for (; j < count; j += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, count);
      s0 = load(a + bytes(j), inside).fma(load(b + bytes(j), inside), s0);
    }
    return Lanes.sum(s0.add(s1).add(s2.add(s3)));
  }

  private static float element(long address) {
    return Memory.ALL.get(FLOAT, Memory.at(address));
  }

  private static FloatVector load(long address) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(address), ORDER);
  }

  private static FloatVector load(long address, VectorMask<Float> inside) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(address), ORDER, inside);
  }

  private static long bytes(int floats) {
    return (long) floats * Float.BYTES;
  }
}
