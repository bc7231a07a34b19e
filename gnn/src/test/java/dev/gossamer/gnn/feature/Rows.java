package dev.gossamer.gnn.feature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;

/// Features of the tests, and a comparison that knows nothing of how they came.
final class Rows {
  private Rows() {}

  static Features.Dense dense(int n, int width) {
    DenseMatrix x = DenseMatrix.allocate(Arena.ofAuto(), n, width);
    for (int v = 0; v < n; v++) {
      for (int j = 0; j < width; j++) {
        x.set(v, j, v + j / 64f);
      }
    }
    return new Features.Dense(x);
  }

  /// Rows of 0 to 6 entries, some of them empty.
  static Features.Sparse sparse(int n, int width, boolean values) {
    Random random = new Random(n);
    long[] pointers = new long[n + 1];
    int[] columns = new int[6 * n];
    int size = 0;
    for (int v = 0; v < n; v++) {
      int[] row = random.ints(random.nextInt(7), 0, width).distinct().sorted().toArray();
      System.arraycopy(row, 0, columns, size, row.length);
      size += row.length;
      pointers[v + 1] = size;
    }
    float[] floats = new float[size];
    for (int e = 0; e < size; e++) {
      floats[e] = random.nextFloat();
    }
    int[] stored = Arrays.copyOf(columns, size);
    return new Features.Sparse(
        CsrMatrix.of(Arena.ofAuto(), width, pointers, stored, values ? floats : null));
  }

  /// The rows `begin` to `end`.
  static Features block(Features x, int begin, int end) {
    return switch (x) {
      case Features.Dense dense -> new Features.Dense(dense.x().rows(begin, end));
      case Features.Sparse sparse -> new Features.Sparse(block(sparse.x(), begin, end));
      case Features.None none -> none;
    };
  }

  private static CsrMatrix block(CsrMatrix x, int begin, int end) {
    long from = x.rowPointer(begin);
    long nnz = x.rowPointer(end) - from;
    long[] pointers = new long[end - begin + 1];
    Arrays.setAll(pointers, i -> x.rowPointer(begin + i) - from);
    MemorySegment values = x.values();
    return CsrMatrix.wrap(
        end - begin,
        x.cols(),
        Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, pointers),
        x.columns().asSlice(4 * from, 4 * nnz),
        values == null ? null : values.asSlice(4 * from, 4 * nnz));
  }

  /// What a rank with the rows `begin` to `end` sees of all: in bfloat16, dense rows of others have
  /// lost their lower halves, to the nearest and, in the middle, to even.
  static Features travelled(Features x, RowFormat wire, int begin, int end) {
    if (wire == RowFormat.FLOAT32 || !(x instanceof Features.Dense dense)) {
      return x;
    }
    DenseMatrix seen = DenseMatrix.allocate(Arena.ofAuto(), dense.x().rows(), dense.width());
    for (int v = 0; v < seen.rows(); v++) {
      for (int j = 0; j < seen.cols(); j++) {
        int bits = Float.floatToIntBits(dense.x().get(v, j));
        boolean own = v >= begin && v < end;
        int rounded = (bits + 0x7FFF + (bits >>> 16 & 1)) & -65536;
        seen.set(v, j, Float.intBitsToFloat(own ? bits : rounded));
      }
    }
    return new Features.Dense(seen);
  }

  /// Row `i` of a batch is row `vertices[i]` of all, bit for bit.
  static void requireRows(Features all, int[] vertices, Features batch) {
    switch (all) {
      case Features.Dense dense -> {
        DenseMatrix rows = ((Features.Dense) batch).x();
        assertThat(rows.rows()).isEqualTo(vertices.length);
        for (int i = 0; i < vertices.length; i++) {
          MemorySegment expected = dense.x().rows(vertices[i], vertices[i] + 1L).data();
          assertThat(rows.rows(i, i + 1L).data().mismatch(expected)).as("row %d", i).isEqualTo(-1);
        }
      }
      case Features.Sparse sparse -> {
        CsrMatrix rows = ((Features.Sparse) batch).x();
        assertThat(rows.rows()).isEqualTo(vertices.length);
        assertThat(rows.validate()).isNull();
        assertThat(rows.values() == null).isEqualTo(sparse.x().values() == null);
        for (int i = 0; i < vertices.length; i++) {
          assertThat(rows.rowColumns(i)).containsExactly(sparse.x().rowColumns(vertices[i]));
          for (long e = 0; e < rows.rowLength(i); e++) {
            assertThat(rows.value(rows.rowPointer(i) + e))
                .isEqualTo(sparse.x().value(sparse.x().rowPointer(vertices[i]) + e));
          }
        }
      }
      case Features.None none -> assertThat(batch).isEqualTo(none);
    }
  }

  /// Distinct vertices in no order.
  static int[] batch(int n, int size, long seed) {
    return new Random(seed).ints(0, n).distinct().limit(size).toArray();
  }
}
