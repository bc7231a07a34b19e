package dev.gossamer.tables;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// What a sample of a table shows about a column.
///
/// @param column name and type
/// @param rows of the sample
/// @param present values that are not missing
/// @param distinct different values
/// @param consecutive whether its values are all whole numbers from the smallest to the largest
/// @param words words per value, on average; 0 of what is no text
/// @param shortest elements of the shortest list; 0 of what is no list
/// @param longest elements of the longest list
record ColumnFacts(
    Column column,
    long rows,
    long present,
    long distinct,
    boolean consecutive,
    double words,
    long shortest,
    long longest) {
  /// Rows from which on consecutive numbers are no coincidence.
  private static final int MANY_ROWS = 100;

  /// Usual names of row numbers, and what the first column is called if it has no name.
  private static final Pattern ROW_NAME =
      Pattern.compile(
          "column0+|unnamed: 0|index|row([_ .]?(id|names?|num|number|nr|no))?|__index_level_0__");

  private static final Pattern KEY =
      Pattern.compile("(.*[_ .-])?(id|key|uuid|no|nr|number|code|zip)|.*Id");

  /// Facts of all columns of a table in the store.
  static List<ColumnFacts> of(TableStore store, String table, List<Column> columns) {
    List<ColumnFacts> facts = new ArrayList<>();
    if (columns.isEmpty()) {
      return facts;
    }
    String query =
        columns.stream()
            .map(ColumnFacts::measures)
            .collect(Collectors.joining(", ", "SELECT count(*), ", " FROM " + table));
    store.forEach(
        query,
        row -> {
          int at = 2;
          for (Column column : columns) {
            facts.add(
                new ColumnFacts(
                    column,
                    row.getLong(1),
                    row.getLong(at),
                    row.getLong(at + 1),
                    row.getBoolean(at + 2),
                    row.getDouble(at + 3),
                    row.getLong(at + 4),
                    row.getLong(at + 5)));
            at += 6;
          }
        });
    return facts;
  }

  private static String measures(Column column) {
    String name = column.sql();
    String words =
        column.kind() == Column.Kind.TEXT
            ? "avg(len(string_split_regex(trim(%s::VARCHAR), '\\s+')))".formatted(name)
            : "0";
    boolean list = column.kind() == Column.Kind.NUMBERS;
    String lengths = list ? "min(len(%1$s)), max(len(%1$s))".formatted(name) : "0, 0";
    String consecutive =
        column.kind() == Column.Kind.WHOLE
            ? "max(%1$s)::HUGEINT - min(%1$s) + 1 = count(DISTINCT %1$s)".formatted(name)
            : "false";
    return "count(%1$s), count(DISTINCT %1$s), %2$s, %3$s, %4$s"
        .formatted(name, consecutive, words, lengths);
  }

  String name() {
    return column.name();
  }

  /// Whether values may be ids; whole numbers of other databases may have more than 64 bits.
  boolean isKeyKind() {
    return column.kind() == Column.Kind.WHOLE
        || column.kind() == Column.Kind.TEXT
        || column.type().equals("HUGEINT");
  }

  /// Whether every row has its own value.
  boolean isUnique() {
    return rows > 0 && distinct == rows;
  }

  /// Whether the values are the numbers of the rows.
  boolean countsRows() {
    return consecutive
        && isUnique()
        && (rows >= MANY_ROWS || ROW_NAME.matcher(name().toLowerCase(Locale.ROOT)).matches());
  }

  boolean isConstant() {
    return distinct <= 1;
  }

  /// Whether the name is one of keys: `id`, `customer_id`, `customerId`, `zip`.
  boolean hasKeyName() {
    return KEY.matcher(name()).matches() || KEY.matcher(name().toLowerCase(Locale.ROOT)).matches();
  }

  /// The position of the name in a list of usual names, the lower the better.
  int rank(List<String> usual) {
    int at = usual.indexOf(name().toLowerCase(Locale.ROOT));
    return at < 0 ? usual.size() : at;
  }
}
