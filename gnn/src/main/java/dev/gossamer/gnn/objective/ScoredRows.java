package dev.gossamer.gnn.objective;

import dev.gossamer.graph.Split;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/// The rows of outputs that are scored in each part of the data.
///
/// @param train ascending
/// @param validation ascending
/// @param test ascending
@SuppressWarnings("ArrayRecordComponent")
public record ScoredRows(int[] train, int[] validation, int[] test) {
  /// Tells which rows are scored in a part.
  @FunctionalInterface
  public interface Parts {
    /// {@return whether what is true of a row is known, and the row is in a part}
    ///
    /// @param row number of the row
    /// @param part of the split
    boolean contain(int row, Split part);
  }

  /// {@return the rows of each part}
  ///
  /// @param count number of rows
  /// @param parts tells which rows are scored
  public static ScoredRows of(int count, Parts parts) {
    return new ScoredRows(
        rows(count, row -> parts.contain(row, Split.TRAIN)),
        rows(count, row -> parts.contain(row, Split.VALIDATION)),
        rows(count, row -> parts.contain(row, Split.TEST)));
  }

  private static int[] rows(int count, IntPredicate scored) {
    return IntStream.range(0, count).filter(scored).toArray();
  }
}
