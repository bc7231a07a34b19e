package dev.gossamer.gnn.feature;

import java.util.Arrays;
import java.util.stream.IntStream;

/// Rows to copy: the `k`-th is row `from(k)` of some matrix and becomes row `to(k)` of a batch.
/// Immutable.
final class RowMoves {
  private final int[] from;
  private final int[] to;

  /// @param from borrowed
  /// @param to of each; borrowed
  RowMoves(int[] from, int[] to) {
    this.from = from;
    this.to = to;
  }

  /// Copies rows in the order of the batch.
  static RowMoves inOrder(int[] vertices) {
    return new RowMoves(vertices, IntStream.range(0, vertices.length).toArray());
  }

  /// Copies consecutive rows, each to its place.
  static RowMoves inTurn(int[] to) {
    return new RowMoves(IntStream.range(0, to.length).toArray(), to);
  }

  /// Copies rows in the order of their numbers, which is that of the file, so that a batch reads
  /// each page once.
  static RowMoves ascending(int[] vertices) {
    long[] keys = new long[vertices.length];
    for (int k = 0; k < keys.length; k++) {
      keys[k] = (long) vertices[k] << 32 | k;
    }
    Arrays.sort(keys);
    int[] from = new int[keys.length];
    int[] to = new int[keys.length];
    for (int k = 0; k < keys.length; k++) {
      from[k] = (int) (keys[k] >>> 32);
      to[k] = (int) keys[k];
    }
    return new RowMoves(from, to);
  }

  int count() {
    return from.length;
  }

  /// Borrowed.
  int[] from() {
    return from;
  }

  /// Borrowed.
  int[] to() {
    return to;
  }

  /// Collects rows one by one.
  static final class Builder {
    private final int[] from;
    private final int[] to;
    private int count;

    /// @param capacity most rows
    Builder(int capacity) {
      from = new int[capacity];
      to = new int[capacity];
    }

    void add(int row, int place) {
      from[count] = row;
      to[count++] = place;
    }

    RowMoves build() {
      return new RowMoves(Arrays.copyOf(from, count), Arrays.copyOf(to, count));
    }
  }
}
