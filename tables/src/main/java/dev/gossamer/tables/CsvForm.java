package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The form of a CSV file, as the database found it out by a sample: delimiter, quotes, header,
/// columns and their types. Finding out takes as long as reading a million rows.
///
/// If the first line has one value less than the others, these are the names of all columns but the
/// first, which has names or numbers of rows: so `write.table` of R writes it.
///
/// @param file in SQL
/// @param options that say the form
/// @param columns in their order
record CsvForm(String file, String options, List<Column> columns) {
  /// The option of numbers that are written `3548,83`.
  static final String DECIMAL_COMMAS = "decimal_separator = ','";

  /// What the database writes for a character that a file does not have.
  private static final String NO_CHARACTER = "(empty)";

  /// A format of dates that do not begin with the year.
  private static final Pattern OTHER_DATES = Pattern.compile("format = '(?!%Y)");

  /// The numbers of a date that does not begin with a year of four digits.
  private static final String NUMBERS = "^\\s*(\\d{1,2})\\D+(\\d{1,2})\\D+(\\d{4}|\\d{2})(\\D.*)?$";

  /// Examines a file.
  ///
  /// @param file in SQL
  /// @param examination how, in SQL
  /// @return empty if the database refuses the file; what reads it says why
  static Optional<CsvForm> of(TableStore store, String file, String examination) {
    List<String> text = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    List<Column> columns = new ArrayList<>();
    try {
      store.forEach(
          ("SELECT Delimiter, Quote, Escape, NewLineDelimiter, Comment, SkipRows, HasHeader, DateFormat, TimestampFormat,"
                  + " c.name, c.type FROM (SELECT *, unnest(Columns) AS c FROM sniff_csv(%s, %s))")
              .formatted(file, examination),
          row -> {
            if (columns.isEmpty()) {
              text.add("delim = " + character(row.getString(1)));
              text.add("quote = " + character(row.getString(2)));
              text.add("escape = " + character(row.getString(3)));
              text.add("new_line = " + character(row.getString(4)));
              text.add("comment = " + character(row.getString(5)));
              lines.add("skip = " + row.getLong(6));
              lines.add("header = " + row.getBoolean(7));
              addFormat(lines, "dateformat", row.getString(8));
              addFormat(lines, "timestampformat", row.getString(9));
            }
            columns.add(new Column(row.getString(10), row.getString(11)));
          });
      if (columns.isEmpty()) {
        return Optional.empty();
      }
      String values = String.join(", ", text);
      if (examination.contains(DECIMAL_COMMAS)) {
        lines.add(DECIMAL_COMMAS);
      }
      boolean skipsALine = lines.containsAll(List.of("skip = 1", "header = false"));
      return Optional.of(
          new CsvForm(
              file,
              values + ", " + String.join(", ", lines),
              List.copyOf(skipsALine ? named(store, file, values, columns) : columns)));
    } catch (InvalidInputException e) {
      return Optional.empty();
    }
  }

  /// The names of all columns but the first, if the line before the rows has as many values; else
  /// the columns as they are.
  ///
  /// @param values options that say how values are written
  private static List<Column> named(
      TableStore store, String file, String values, List<Column> columns) {
    List<Column> texts =
        columns.stream().map(column -> new Column(column.name(), "VARCHAR")).toList();
    List<Column> named = new ArrayList<>(columns.subList(0, 1));
    store.forEach(
        "SELECT * FROM read_csv(%s, auto_detect = false, header = false, null_padding = true, %s, columns = %s) LIMIT 1"
            .formatted(file, values, Column.declared(texts)),
        row -> {
          for (int c = 1; c < columns.size(); c++) {
            String name = row.getString(c);
            if (name != null) {
              named.add(new Column(name, columns.get(c).type()));
            }
          }
          if (row.getString(columns.size()) != null) {
            named.clear();
          }
        });
    return named.size() == columns.size() ? named : columns;
  }

  /// Whether commas stand between values, and so in no number.
  boolean isDividedByCommas() {
    return options.startsWith("delim = ','");
  }

  private static String character(String found) {
    return TableStore.literal(found.equals(NO_CHARACTER) ? "" : found);
  }

  private static void addFormat(List<String> options, String name, @Nullable String format) {
    if (format != null && !format.isEmpty()) {
      options.add(name + " = " + TableStore.literal(format));
    }
  }

  /// Refuses columns of dates that can be read in two ways, each of which fits all values: by day,
  /// month and year, by month, day and year, or, if the years have two digits, by year, month and
  /// day.
  ///
  /// @param path of the file, for messages
  /// @param dates columns that are read as dates
  void requireClearDates(TableStore store, Path path, Set<String> dates) {
    if (!OTHER_DATES.matcher(options).find()) {
      return;
    }
    for (Column column : columns) {
      if (column.isTime() && dates.contains(column.name())) {
        for (String example : unclear(store, column)) {
          throw new InvalidInputException(
              "%s: column %s: expected dates that can be read in one way, found such as '%s' only; write them as 2024-12-31, or read them by a query with strptime"
                  .formatted(path, column.name(), example));
        }
      }
    }
  }

  /// An example, if there are several ways. Of a damaged file there is none, as what reads it says
  /// what is wrong.
  private List<String> unclear(TableStore store, Column column) {
    try {
      return store.texts(unclear(column));
    } catch (InvalidInputException e) {
      return List.of();
    }
  }

  /// An example, if there are several ways.
  private String unclear(Column column) {
    String numbers = TableStore.literal(NUMBERS);
    String number = "TRY_CAST(regexp_extract(v, %s, %%d) AS INTEGER)".formatted(numbers);
    return ("SELECT example FROM (SELECT arg_max(v, a <> b) AS example, bool_or(a <> b) AS differ,"
            + " bool_and(a <= 31 AND b <= 12) AS dmy, bool_and(a <= 12 AND b <= 31) AS mdy,"
            + " bool_and(b <= 12 AND c <= 31) AS ymd FROM"
            + " (SELECT v, %s AS a, %s AS b, %s AS c FROM (SELECT %s AS v FROM %s)"
            + " WHERE regexp_matches(v, %s)))"
            + " WHERE (dmy AND mdy AND differ) OR (ymd AND (dmy OR mdy))")
        .formatted(
            number.formatted(1),
            number.formatted(2),
            number.formatted(3),
            column.sql(),
            withTexts(List.of(column.name())).relation(),
            numbers);
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
    return "read_csv(%s, auto_detect = false, %s, %s, columns = %s)"
        .formatted(file, options, SourceFiles.MISSING, Column.declared(columns));
  }
}
