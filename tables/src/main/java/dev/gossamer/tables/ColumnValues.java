package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.sql.Array;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/// The values of a column, row by row.
///
/// @param store with the table
/// @param table of vertices, with a column [#ROW]
/// @param column whose values are read
/// @param where names the source, the start of a message
record ColumnValues(TableStore store, String table, Column column, String where) {
  /// The column of row numbers, from 0.
  static final String ROW = "gossamer_row";

  /// Receives a number.
  @FunctionalInterface
  interface Numbers {
    /// @param row from 0
    /// @param value NaN if it is missing
    void value(long row, double value);
  }

  /// Receives a text.
  @FunctionalInterface
  interface Texts {
    /// @param row from 0
    /// @param value null if it is missing
    void value(long row, @Nullable String value);
  }

  /// Receives a list of numbers.
  @FunctionalInterface
  interface Lists {
    /// @param row from 0
    /// @param value null if it is missing
    void value(long row, Object @Nullable [] value);
  }

  /// Reads numbers; `true` is 1, a date its seconds since 1970.
  void numbers(Numbers sink) {
    String number = column.isTime() ? "epoch(%s)" : "%s::DOUBLE";
    store.forEach(
        query(number.formatted(column.sql())),
        row -> {
          double value = row.getDouble(2);
          boolean missing = row.wasNull() || Double.isNaN(value);
          if (!missing && !Float.isFinite((float) value)) {
            throw refused(row.getLong(1), "a finite number", Double.toString(value));
          }
          sink.value(row.getLong(1), missing ? Double.NaN : value);
        });
  }

  /// Reads texts.
  void texts(Texts sink) {
    store.forEach(
        query(column.sql() + "::VARCHAR"), row -> sink.value(row.getLong(1), row.getString(2)));
  }

  /// Reads lists of numbers.
  void lists(Lists sink) {
    store.forEach(
        query(column.sql() + "::DOUBLE[]"),
        row -> sink.value(row.getLong(1), list(row.getArray(2))));
  }

  private static Object @Nullable [] list(@Nullable Array array) throws SQLException {
    return array == null ? null : (Object[]) array.getArray();
  }

  private String query(String value) {
    return "SELECT %s, %s FROM %s".formatted(ROW, value, table);
  }

  /// The exception for a value that does not fit.
  InvalidInputException refused(long row, String expected, String found) {
    return new InvalidInputException(
        "%s: column %s: row %d: expected %s, found %s"
            .formatted(where, column.name(), row + 1, expected, found));
  }
}
