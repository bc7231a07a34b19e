package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The form of a CSV file, as the database found it out by a sample: delimiter, quotes, header,
/// columns and their types. Finding out takes as long as reading a million rows.
///
/// @param file in SQL
/// @param options that say the form
/// @param columns in their order
record CsvForm(String file, String options, List<Column> columns) {
  /// What the database writes for a character that a file does not have.
  private static final String NO_CHARACTER = "(empty)";

  /// Examines a file.
  ///
  /// @param file in SQL
  /// @param examination how, in SQL
  /// @return empty if the database refuses the file; what reads it says why
  static Optional<CsvForm> of(TableStore store, String file, String examination) {
    List<String> options = new ArrayList<>();
    List<Column> columns = new ArrayList<>();
    try {
      store.forEach(
          ("SELECT Delimiter, Quote, Escape, NewLineDelimiter, Comment, SkipRows, HasHeader, DateFormat, TimestampFormat,"
                  + " c.name, c.type FROM (SELECT *, unnest(Columns) AS c FROM sniff_csv(%s, %s))")
              .formatted(file, examination),
          row -> {
            if (columns.isEmpty()) {
              options.add("delim = " + character(row.getString(1)));
              options.add("quote = " + character(row.getString(2)));
              options.add("escape = " + character(row.getString(3)));
              options.add("new_line = " + character(row.getString(4)));
              options.add("comment = " + character(row.getString(5)));
              options.add("skip = " + row.getLong(6));
              options.add("header = " + row.getBoolean(7));
              addFormat(options, "dateformat", row.getString(8));
              addFormat(options, "timestampformat", row.getString(9));
            }
            columns.add(new Column(row.getString(10), row.getString(11)));
          });
    } catch (InvalidInputException e) {
      return Optional.empty();
    }
    return columns.isEmpty()
        ? Optional.empty()
        : Optional.of(new CsvForm(file, String.join(", ", options), List.copyOf(columns)));
  }

  private static String character(String found) {
    return TableStore.literal(found.equals(NO_CHARACTER) ? "" : found);
  }

  private static void addFormat(List<String> options, String name, @Nullable String format) {
    if (format != null && !format.isEmpty()) {
      options.add(name + " = " + TableStore.literal(format));
    }
  }

  /// The same file, some of whose columns are texts.
  CsvForm withTexts(List<String> texts) {
    return new CsvForm(
        file,
        options,
        columns.stream()
            .map(column ->
                texts.contains(column.name()) ? new Column(column.name(), "VARCHAR") : column)
            .toList());
  }

  /// What stands behind `FROM`.
  String relation() {
    return columns.stream()
        .map(column -> TableStore.literal(column.name()) + ": " + TableStore.literal(column.type()))
        .collect(
            Collectors.joining(
                ", ",
                "read_csv(%s, auto_detect = false, %s, %s, columns = {"
                    .formatted(file, options, SourceFiles.MISSING),
                "})"));
  }
}
