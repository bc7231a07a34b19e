package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/// A table of a database that is being written.
///
/// @param connection borrowed
/// @param quote what stands around names in SQL
/// @param schema as the database has it; null if it has none
/// @param name as the database has it
record DatabaseTable(Connection connection, String quote, @Nullable String schema, String name) {
  /// Bytes of the rows that are sent at a time.
  private static final long BATCH_BYTES = 1L << 20;

  private static final long MOST_BATCH_ROWS = 5000;

  /// A column that exists.
  ///
  /// @param type of [java.sql.Types]
  /// @param typeName of the database
  private record Existing(int type, String typeName) {}

  static DatabaseTable of(Connection connection, TableName name) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    TableName.Part schema = name.schema();
    return new DatabaseTable(
        connection,
        database.getIdentifierQuoteString().strip(),
        schema == null ? connection.getSchema() : schema.in(database),
        name.table().in(database));
  }

  /// Rows that are sent at a time.
  ///
  /// @param numbers of a row
  static long batchRows(long numbers) {
    return Math.clamp(BATCH_BYTES / OutputTable.rowBytes(numbers), 1, MOST_BATCH_ROWS);
  }

  private Map<String, Existing> columns() throws SQLException {
    Map<String, Existing> columns = new LinkedHashMap<>();
    DatabaseMetaData database = connection.getMetaData();
    try (ResultSet all = database.getColumns(connection.getCatalog(), schema, name, null)) {
      while (all.next()) {
        // The names are patterns, which others may match, too.
        String of = all.getString("TABLE_SCHEM");
        if (name.equals(all.getString("TABLE_NAME"))
            && (schema == null || of == null || schema.equals(of))) {
          columns.put(
              all.getString("COLUMN_NAME"),
              new Existing(all.getInt("DATA_TYPE"), all.getString("TYPE_NAME")));
        }
      }
    }
    return columns;
  }

  boolean exists() throws SQLException {
    return !columns().isEmpty();
  }

  /// Creates the table.
  void create(OutputTable content, ColumnTypes types) throws SQLException {
    String columns =
        content.columns().stream()
            .map(each -> quoted(each.name()) + " " + types.of(each))
            .collect(Collectors.joining(", ", " (", ")"));
    run("CREATE TABLE " + sql() + columns);
  }

  void drop() throws SQLException {
    run("DROP TABLE " + sql());
  }

  /// Removes all rows, if the table takes those of another.
  void empty(OutputTable content, ColumnTypes types) throws SQLException {
    Map<String, Existing> found = columns();
    boolean fits =
        found.size() == content.columns().size()
            && content.columns().stream()
                .allMatch(each -> {
                  Existing there = found.get(each.name());
                  return there != null && types.fits(each, there.type(), there.typeName());
                });
    if (!fits) {
      throw new InvalidInputException(
          "table %s: expected the columns %s, found %s; choose another name or drop the table"
              .formatted(
                  name,
                  content.columns().stream()
                      .map(each -> each.name() + " " + types.of(each))
                      .collect(Collectors.joining(", ")),
                  found.entrySet().stream()
                      .map(each -> each.getKey() + " " + each.getValue().typeName())
                      .collect(Collectors.joining(", "))));
    }
    run("DELETE FROM " + sql());
  }

  /// Inserts all rows.
  void insert(OutputTable content, ColumnTypes types) throws SQLException {
    List<OutputColumn> columns = content.columns();
    String into =
        columns.stream()
            .map(each -> quoted(each.name()))
            .collect(Collectors.joining(", ", "INSERT INTO " + sql() + " (", ") "));
    if (connection.isWrapperFor(DuckDBConnection.class)) {
      // Its driver sends rows one by one.
      new DuckDbRows(content).run(connection, into, "");
      return;
    }
    String values =
        columns.stream().map(_ -> "?").collect(Collectors.joining(", ", "VALUES (", ")"));
    long batch = batchRows(content.numbers());
    try (PreparedStatement statement = connection.prepareStatement(into + values)) {
      for (int row = 0; row < content.rows(); row++) {
        for (int c = 0; c < columns.size(); c++) {
          set(statement, c + 1, columns.get(c), row, types);
        }
        statement.addBatch();
        if ((row + 1) % batch == 0 || row + 1 == content.rows()) {
          statement.executeBatch();
        }
      }
    }
  }

  private void set(
      PreparedStatement statement, int index, OutputColumn column, int row, ColumnTypes types)
      throws SQLException {
    switch (column) {
      case OutputColumn.Whole whole -> statement.setLong(index, whole.values().applyAsLong(row));
      case OutputColumn.Text text -> statement.setString(index, text.values().apply(row));
      case OutputColumn.Real real -> statement.setFloat(index, real.values().at(row));
      case OutputColumn.Reals reals -> {
        Float[] numbers = boxed(reals.values().apply(row));
        if (types.hasLists()) {
          statement.setArray(index, connection.createArrayOf("float4", numbers));
        } else {
          statement.setString(index, List.of(numbers).toString());
        }
      }
    }
  }

  private static Float[] boxed(float[] numbers) {
    Float[] boxed = new Float[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      boxed[i] = numbers[i];
    }
    return boxed;
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String sql() {
    return schema == null ? quoted(name) : quoted(schema) + "." + quoted(name);
  }

  private String quoted(String part) {
    return quote.isEmpty() ? part : quote + part.replace(quote, quote + quote) + quote;
  }
}
