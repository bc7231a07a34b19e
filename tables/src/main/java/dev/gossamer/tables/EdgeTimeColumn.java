package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.format.DatasetDraft;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The column of the times of edges.
///
/// @param rows of the table
/// @param column of the times
/// @param unit of the times; null if there is no time at all
/// @param sql of a time, `DOUBLE`; null where it is missing or cannot be read
record EdgeTimeColumn(SourceRows rows, Column column, EdgeTimes.@Nullable Unit unit, String sql) {
  private static final String EXPECTED = "a date, a time stamp or a number";

  /// Finds out what the values of a column are. Texts are dates if more of them can be read as such
  /// than as numbers.
  ///
  /// @throws InvalidInputException if they are something else
  static EdgeTimeColumn of(TableStore store, SourceRows rows, String name) {
    Column column = rows.column(name);
    String value = column.sql();
    boolean typed = column.isNumeric() || column.isTime();
    if (!typed && !rows.hasValues(store, column)) {
      return new EdgeTimeColumn(rows, column, null, "NULL::DOUBLE");
    }
    return switch (column.kind()) {
      case WHOLE, REAL -> numbers(rows, column, "CAST(%s AS DOUBLE)".formatted(value));
      case DATE, STAMP -> dates(rows, column, seconds(value, value));
      case TEXT -> {
        String number = "TRY_CAST(%s AS DOUBLE)".formatted(value);
        String stamp = "TRY_CAST(%s AS TIMESTAMP)".formatted(value);
        rows.run(
            store,
            relation ->
                "CREATE OR REPLACE TABLE readable AS SELECT count(%s) <= count(%s) AS dates FROM %s"
                    .formatted(number, stamp, relation));
        yield store.number("SELECT dates::BIGINT FROM readable") == 1
            ? dates(rows, column, seconds(stamp, stamp))
            : numbers(rows, column, number);
      }
      default ->
          throw new InvalidInputException(
              "%s: column %s: expected %s in each row, found %s"
                  .formatted(rows.where(), name, EXPECTED, column.type()));
    };
  }

  private static EdgeTimeColumn numbers(SourceRows rows, Column column, String sql) {
    return new EdgeTimeColumn(rows, column, EdgeTimes.Unit.NUMBERS, sql);
  }

  private static EdgeTimeColumn dates(SourceRows rows, Column column, String sql) {
    return new EdgeTimeColumn(rows, column, EdgeTimes.Unit.DATES, sql);
  }

  /// There are infinite dates, which have no seconds.
  private static String seconds(String value, String date) {
    return "CASE WHEN isfinite(%s) THEN epoch(%s) END".formatted(date, value);
  }

  /// Refuses the first time that is there and cannot be read, and, unless they are left out, edges
  /// without one.
  ///
  /// @param store with the rows
  /// @param missing edges without a time that can be read, of one type
  /// @param selected condition on the rows of that type
  /// @param handling of edges without a time
  void requireReadable(TableStore store, long missing, String selected, Handling.Missing handling) {
    rows.run(
        store,
        relation ->
            ("CREATE OR REPLACE TABLE unread AS SELECT %1$s, %2$s::VARCHAR AS v FROM"
                    + " (SELECT row_number() OVER () AS %1$s, * FROM %3$s)%4$s (%5$s IS NULL OR NOT isfinite(%5$s))")
                .formatted(
                    ColumnValues.ROW,
                    column.sql(),
                    relation,
                    selected.isEmpty() ? " WHERE" : selected + " AND",
                    sql));
    store.forEach(
        "SELECT %1$s, v FROM unread WHERE v IS NOT NULL ORDER BY 1 LIMIT 1"
            .formatted(ColumnValues.ROW),
        row -> {
          throw refused(row.getLong(1), row.getString(2));
        });
    if (missing > 0 && handling == Handling.Missing.REFUSE) {
      List<String> examples =
          store.texts("SELECT %s FROM unread ORDER BY 1 LIMIT 3".formatted(ColumnValues.ROW));
      throw new InvalidInputException(
          "%s: column %s: expected a time of every edge, found %s without (rows %s); on-missing: drop leaves them out"
              .formatted(
                  rows.where(),
                  column.name(),
                  DatasetDraft.counted(missing, "row"),
                  String.join(", ", examples)));
    }
    store.run("DROP TABLE unread");
  }

  private InvalidInputException refused(long row, @Nullable String found) {
    return new InvalidInputException(
        "%s: column %s: row %d: expected %s, found '%s'"
            .formatted(rows.where(), column.name(), row, EXPECTED, found));
  }
}
