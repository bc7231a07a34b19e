package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.sql.Array;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
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

  /// Texts of so many values are read as numbers of these: one by one, texts take ten times as
  /// long.
  private static final int FEW = 1000;

  /// Rows that show whether there may be few.
  private static final int SAMPLE = 10_000;

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

  /// Receives a list of numbers or of texts.
  @FunctionalInterface
  interface Lists {
    /// @param row from 0
    /// @param value null if it is missing
    void value(long row, Object @Nullable [] value);
  }

  /// Whether there is no value, so that the type of the column says nothing.
  boolean isEmpty() {
    return store.number("SELECT count(%s) FROM %s".formatted(column.sql(), table)) == 0;
  }

  /// Refuses the first text that is no number, if there is one.
  void requireNumbers() {
    store.forEach(
        "SELECT %1$s, %2$s FROM %3$s WHERE %2$s IS NOT NULL AND TRY_CAST(%2$s AS DOUBLE) IS NULL ORDER BY 1 LIMIT 1"
            .formatted(ROW, column.sql(), table),
        row -> {
          throw refused(row.getLong(1), "a number", row.getString(2));
        });
  }

  /// Reads numbers; `true` is 1, a date its seconds since 1970.
  void numbers(Numbers sink) {
    String number =
        column.isTime() ? "epoch(%s)" : column.isNumeric() ? "%s::DOUBLE" : "%s::VARCHAR::DOUBLE";
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
    String text = column.sql() + "::VARCHAR";
    List<String> few = few(text);
    if (few.isEmpty()) {
      store.forEach(query(text), row -> sink.value(row.getLong(1), row.getString(2)));
      return;
    }
    String numbers =
        few.stream()
            .map(TableStore::literal)
            .collect(
                Collectors.joining(", ", "enum_code(%s::ENUM(".formatted(text), "))::INTEGER"));
    store.forEach(
        query(numbers),
        row -> {
          int number = row.getInt(2);
          String value = row.wasNull() ? null : few.get(number);
          sink.value(row.getLong(1), value);
        });
  }

  /// All values, if there are few; otherwise none.
  private List<String> few(String text) {
    long among =
        store.number(
            "SELECT count(DISTINCT value) FROM (SELECT %s AS value FROM %s LIMIT %d)"
                .formatted(text, table, SAMPLE));
    if (among == 0 || among > FEW) {
      return List.of();
    }
    List<String> values =
        store.texts(
            "SELECT DISTINCT %1$s FROM %2$s WHERE %1$s IS NOT NULL ORDER BY 1 LIMIT %3$d"
                .formatted(text, table, FEW + 1));
    // The database reads a statement up to a character 0.
    boolean quotable = values.stream().noneMatch(value -> value.indexOf(0) >= 0);
    return values.size() <= FEW && quotable ? values : List.of();
  }

  /// Reads lists of numbers.
  void lists(Lists sink) {
    boolean lists = column.kind() == Column.Kind.NUMBERS;
    store.forEach(
        query(column.sql() + (lists ? "::DOUBLE[]" : "::VARCHAR::DOUBLE[]")),
        row -> sink.value(row.getLong(1), list(row.getArray(2))));
  }

  /// Reads lists of texts.
  void textLists(Lists sink) {
    store.forEach(query(column.sql()), row -> sink.value(row.getLong(1), list(row.getArray(2))));
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
