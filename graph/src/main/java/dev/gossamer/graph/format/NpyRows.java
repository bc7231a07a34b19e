package dev.gossamer.graph.format;

import dev.gossamer.base.Resources;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Dense features in a numpy array of shape `(n, f)`. Rows are decoded as they are asked for; only
/// an array in Fortran order, whose rows lie apart, is held in memory for the pass.
final class NpyRows implements FileRows {
  private final NpyStream x;
  private final String what;
  private final int width;
  private final Arena arena;
  private final @Nullable DenseMatrix whole;

  private NpyRows(NpyStream x, String what, int width, Arena arena) {
    this.x = x;
    this.what = what;
    this.width = width;
    this.arena = arena;
    whole = x.rowsFirst() ? null : transposed();
  }

  /// Checks the type and the shape of an array.
  ///
  /// @param x closed with the rows, or at once if it is refused
  /// @param n number of vertices
  static NpyRows of(NpyStream x, int n) {
    return of(x, n, "vertex");
  }

  /// The same, of vertices or edges.
  ///
  /// @param n their number
  /// @param what one of them, for messages
  static NpyRows of(NpyStream x, long n, String what) {
    return Resources.owned(resources -> {
      resources.add(x);
      List<Long> shape = x.shape();
      if (shape.isEmpty() || shape.getFirst() != n) {
        throw x.wrong("header", n + " rows", shape.toString());
      }
      if (!x.isNumeric()
          || shape.size() != 2
          || shape.get(1) < 1
          || shape.get(1) > Integer.MAX_VALUE) {
        throw x.wrong("header", "numbers of shape (%d, f)".formatted(n), x.type() + " " + shape);
      }
      return new NpyRows(x, what, shape.get(1).intValue(), resources.add(Arena.ofShared()));
    });
  }

  private DenseMatrix transposed() {
    long n = x.size() / width;
    DenseMatrix rows = DenseMatrix.allocate(arena, n, width);
    for (int f = 0; f < width; f++) {
      for (long v = 0; v < n; v++) {
        rows.set(v, f, (float) x.nextReal());
      }
    }
    return rows;
  }

  @Override
  public int width() {
    return width;
  }

  @Override
  public void fill(long begin, DenseMatrix block) {
    for (long v = 0; v < block.rows(); v++) {
      for (int f = 0; f < width; f++) {
        float value = whole == null ? (float) x.nextReal() : whole.get(begin + v, f);
        if (!Float.isFinite(value)) {
          throw ArrayChecks.notFinite(x.where(), what, begin + v, f, value);
        }
        block.set(v, f, value);
      }
    }
    if (begin + block.rows() == x.size() / width) {
      x.requireEnd();
    }
  }

  @Override
  public void close() {
    arena.close();
    x.close();
  }
}
