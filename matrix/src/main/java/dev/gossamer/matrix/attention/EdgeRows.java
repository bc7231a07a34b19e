package dev.gossamer.matrix.attention;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The features of the edges of an [EdgePattern], as rows of a matrix that has those of other
/// edges, too. Immutable; all memory is borrowed.
///
/// @param x a row of `d` numbers for each edge of the data set
/// @param numbers of each edge's row, `int64[edges]`; [#NONE] for an edge whose features are 0
public record EdgeRows(DenseMatrix x, MemorySegment numbers) {
  /// The number of the row of an edge without features, such as one from a vertex to itself that
  /// was added.
  public static final long NONE = -1;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /// {@return the number of edges}
  public long edges() {
    return numbers.byteSize() / Long.BYTES;
  }

  /// {@return `d`, features of an edge}
  public int width() {
    return x.cols();
  }

  /// {@return the number of an edge's row; [#NONE] if its features are 0}
  ///
  /// @param edge of the pattern
  public long row(long edge) {
    return numbers.get(LONG, edge * Long.BYTES);
  }

  /// {@return the bytes of the numbers}
  ///
  /// @param edges of a pattern
  public static long bytes(long edges) {
    return edges * Long.BYTES;
  }
}
