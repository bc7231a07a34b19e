package dev.gossamer.tables;

import java.util.List;

/// Computes the features of a column.
interface ColumnEncoder {
  /// Receives the features of a vertex.
  @FunctionalInterface
  interface Features {
    /// Sets a feature, which is 0 before.
    ///
    /// @param row of the table, from 0
    /// @param feature of the encoder, from 0
    /// @param value finite
    void set(long row, int feature, float value);
  }

  /// The name of each feature.
  List<String> names();

  /// Sets the features of all rows.
  void encode(ColumnValues values, Features to);
}
