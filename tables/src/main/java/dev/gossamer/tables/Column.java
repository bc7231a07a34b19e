package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A column of a table.
///
/// @param name of the column
/// @param type in the SQL of DuckDB
record Column(String name, String type) {
  private static final Pattern WHOLE = Pattern.compile("U?(TINYINT|SMALLINT|INTEGER|BIGINT)");
  private static final Pattern REAL =
      Pattern.compile("U?HUGEINT|FLOAT|DOUBLE|DECIMAL\\(.*\\)|BIGNUM");
  private static final Pattern STAMP = Pattern.compile("TIMESTAMP(_S|_MS|_NS)?( WITH TIME ZONE)?");
  private static final Pattern NUMBERS =
      Pattern.compile("(U?(TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|DECIMAL\\(.*\\))\\[\\d*]");

  /// What the values of a column are.
  enum Kind {
    WHOLE,
    REAL,
    TRUTH,
    TEXT,
    DATE,
    STAMP,
    NUMBERS,
    TEXTS,
    OTHER
  }

  /// The column of a name.
  ///
  /// @param where names the table, the start of a message
  static Column named(String name, List<Column> columns, String where) {
    return columns.stream()
        .filter(column -> column.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new InvalidInputException(
                "%s: expected a column %s, found %s"
                    .formatted(
                        where,
                        name,
                        columns.stream().map(Column::name).collect(Collectors.joining(", ")))));
  }

  Kind kind() {
    if (WHOLE.matcher(type).matches()) {
      return Kind.WHOLE;
    }
    if (REAL.matcher(type).matches()) {
      return Kind.REAL;
    }
    if (NUMBERS.matcher(type).matches()) {
      return Kind.NUMBERS;
    }
    if (STAMP.matcher(type).matches()) {
      return Kind.STAMP;
    }
    return switch (type) {
      case "BOOLEAN" -> Kind.TRUTH;
      case "DATE" -> Kind.DATE;
      case "VARCHAR", "UUID" -> Kind.TEXT;
      case "VARCHAR[]" -> Kind.TEXTS;
      default -> type.startsWith("ENUM(") ? Kind.TEXT : Kind.OTHER;
    };
  }

  /// Whether all values are integers of 64 bits.
  boolean isLong() {
    return kind() == Kind.WHOLE && !type.equals("UBIGINT");
  }

  boolean isNumeric() {
    return switch (kind()) {
      case WHOLE, REAL, TRUTH -> true;
      default -> false;
    };
  }

  boolean isTime() {
    return kind() == Kind.DATE || kind() == Kind.STAMP;
  }

  /// {@return names and types for a function of the database that reads files}
  static String declared(List<Column> columns) {
    return columns.stream()
        .map(column -> TableStore.literal(column.name) + ": " + TableStore.literal(column.type))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  /// The name in SQL.
  String sql() {
    return TableStore.quoted(name);
  }
}
