package dev.gossamer.cli;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/// Rows of a query as texts.
public final class SqlRows {
  private SqlRows() {}

  /// {@return the rows of a query, the values of each with `|` between them}
  public static List<String> of(Connection connection, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(sql)) {
      while (found.next()) {
        List<String> row = new ArrayList<>();
        for (int c = 1; c <= found.getMetaData().getColumnCount(); c++) {
          row.add(String.valueOf(found.getString(c)));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }
}
