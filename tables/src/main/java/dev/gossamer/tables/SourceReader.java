package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.nio.file.Path;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.jspecify.annotations.Nullable;

/// Makes the rows of a source available in a [TableStore].
///
/// @param store that receives them
/// @param base folder to which names of files are relative
record SourceReader(TableStore store, Path base) {
  private static final int FETCHED_ROWS = 10_000;

  /// {@return the rows of a source} Those of another database are copied to the store first.
  ///
  /// @param name of the table in the store, if one is needed
  /// @param keys columns of ids, which stay texts in CSV files: `007` is not `7`
  SourceRows rows(TableSource source, String name, List<String> keys) {
    String where = source.text();
    return switch (source) {
      case TableSource.Files(String pattern) -> {
        SourceFiles files = SourceFiles.of(base, pattern);
        yield files.kind() == SourceFiles.Kind.CSV
            ? csv(files, keys, where)
            : rows(files.relation(List.of()), where);
      }
      case TableSource.Query(String sql) -> {
        String query = sql.strip().replaceFirst(";$", "");
        store.requireSelect(query, "sql");
        yield rows("(" + query + "\n)", where);
      }
      case TableSource.Open _ ->
          throw new InvalidInputException(
              "%s: expected its source, sql, or jdbc and sql, found none; dataset import --like reads other tables by this schema"
                  .formatted(name.replaceFirst("source_", "table ")));
      case TableSource.Database database -> {
        copy(database, name);
        yield rows(TableStore.quoted(name), where);
      }
    };
  }

  private SourceRows rows(String relation, String where) {
    return new SourceRows(where, relation, relation, store.columns(relation, where));
  }

  /// Examines CSV files as rarely as possible: each time, the database reads many of their rows.
  private SourceRows csv(SourceFiles files, List<String> keys, String where) {
    Optional<CsvForm> form = files.form(store);
    List<String> columns =
        form
            .map(CsvForm::columns)
            .orElseGet(() -> store.columns(files.relation(List.of()), where))
            .stream()
            .map(Column::name)
            .toList();
    if (!files.named() && hasNamesOfRows(files, columns)) {
      return csv(files.withNames(), keys, where);
    }
    List<String> texts = keys.stream().filter(columns::contains).toList();
    String examined = files.relation(texts);
    return form.map(each -> each.withTexts(texts))
        .map(each -> new SourceRows(where, each.relation(), examined, each.columns()))
        .orElseGet(() -> rows(examined, where));
  }

  /// Whether the first column of a CSV file has names of rows and no name itself, as R writes it.
  /// The database takes the first line for a row if all columns are texts.
  private boolean hasNamesOfRows(SourceFiles files, List<String> columns) {
    if (columns.size() < 2 || !columns.stream().allMatch(name -> name.matches("column[0-9]+"))) {
      return false;
    }
    List<@Nullable String> first = new ArrayList<>();
    store.forEach(
        "SELECT * FROM %s LIMIT 1".formatted(files.relation(List.of())),
        row -> {
          for (int c = 1; c <= columns.size(); c++) {
            first.add(row.getString(c));
          }
        });
    return !first.isEmpty()
        && first.getFirst() == null
        && first.stream().skip(1).noneMatch(Objects::isNull);
  }

  private void copy(TableSource.Database database, String name) {
    String where = database.address();
    String file = database.passwordFile();
    JdbcAddress address =
        new JdbcAddress(where, database.user(), file == null ? null : base.resolve(file));
    try (Connection from = address.connect(Map.of())) {
      askToReadOnly(from);
      // Some drivers fetch all rows at once otherwise.
      from.setAutoCommit(false);
      try (Statement statement = from.createStatement()) {
        statement.setFetchSize(FETCHED_ROWS);
        try (ResultSet rows = statement.executeQuery(database.sql())) {
          copy(rows, name);
        }
      }
    } catch (SQLException e) {
      throw TableStore.refused(where, e);
    }
  }

  /// A hint, which some drivers refuse.
  private static void askToReadOnly(Connection from) {
    try {
      from.setReadOnly(true);
    } catch (SQLException e) {
      // Then the query alone decides what it does, as it would anyway.
    }
  }

  private void copy(ResultSet rows, String name) throws SQLException {
    ResultSetMetaData columns = rows.getMetaData();
    List<String> types = new ArrayList<>();
    List<String> declared = new ArrayList<>();
    for (int c = 1; c <= columns.getColumnCount(); c++) {
      String type = type(columns.getColumnType(c), columns.getColumnTypeName(c));
      types.add(type);
      declared.add(TableStore.quoted(columns.getColumnLabel(c)) + " " + type);
    }
    store.run(
        declared.stream()
            .collect(
                Collectors.joining(", ", "CREATE TABLE " + TableStore.quoted(name) + " (", ")")));
    try (DuckDBAppender to = store.connection().createAppender("main", name)) {
      while (rows.next()) {
        to.beginRow();
        for (int c = 1; c <= types.size(); c++) {
          append(to, rows, c, types.get(c - 1));
        }
        to.endRow();
      }
    }
  }

  private static String type(int type, String name) {
    return switch (type) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> "BIGINT";
      case Types.REAL, Types.FLOAT, Types.DOUBLE, Types.NUMERIC, Types.DECIMAL -> "DOUBLE";
      case Types.BIT, Types.BOOLEAN -> "BOOLEAN";
      case Types.DATE -> "DATE";
      case Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE -> "TIMESTAMP";
      case Types.ARRAY ->
          name.matches("(?i)_?(int|float|double|numeric|real|decimal|bigint).*")
              ? "DOUBLE[]"
              : "VARCHAR";
      default -> "VARCHAR";
    };
  }

  private static void append(DuckDBAppender to, ResultSet rows, int column, String type)
      throws SQLException {
    Object value = rows.getObject(column);
    if (value == null) {
      to.appendNull();
      return;
    }
    switch (type) {
      case "BIGINT" -> to.append(rows.getLong(column));
      case "DOUBLE" -> to.append(rows.getDouble(column));
      case "BOOLEAN" -> to.append(rows.getBoolean(column));
      case "DATE" -> to.append(rows.getDate(column).toLocalDate());
      case "TIMESTAMP" -> to.append(rows.getTimestamp(column).toLocalDateTime());
      case "DOUBLE[]" -> to.append(numbers(rows.getArray(column)));
      default -> to.append(rows.getString(column));
    }
  }

  private static double[] numbers(Array array) throws SQLException {
    Object[] values = (Object[]) array.getArray();
    double[] numbers = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      @Nullable Object value = values[i];
      numbers[i] = value instanceof Number number ? number.doubleValue() : Double.NaN;
    }
    return numbers;
  }
}
