package dev.gossamer.tables;

import dev.gossamer.graph.Task;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/// Tables of six accounts and the payments between them.
final class Shop {
  static final String ACCOUNTS =
      """
      id,kind,balance,country,opened,note,fold
      007,shop,10,DE,2024-01-01,red green,train
      011,shop,20,DE,2024-01-02,blue,train
      a3,broker,,FR,2024-01-03,Red red,train
      a4,broker,40,US,2024-01-04,,validation
      a5,,50,,2024-01-05,green blue,
      a6,shop,60,DE,,big,test
      """;

  static final String PAYMENTS =
      """
      sender,receiver,amount
      007,011,1.5
      011,a3,2
      a3,a4,3
      a4,a5,4
      a5,a6,5
      a6,007,6
      """;

  private Shop() {}

  static void write(Path folder) throws IOException {
    Files.writeString(folder.resolve("accounts.csv"), ACCOUNTS);
    Files.writeString(folder.resolve("payments.csv"), PAYMENTS);
  }

  /// Runs statements of DuckDB, with names of files relative to a folder.
  static void sql(Path folder, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:")) {
      for (String sql : statements) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(sql.replace("FOLDER", folder.toString()));
        }
      }
    }
  }

  static VertexTable accounts(String file, Map<String, Encoding> features) {
    return new VertexTable(
        "accounts", new TableSource.Files(file), "id", "kind", "fold", null, features);
  }

  static EdgeTable payments(String file) {
    return new EdgeTable("payments", new TableSource.Files(file), "sender", "receiver", "amount");
  }

  static GraphSchema schema(VertexTable vertices, EdgeTable edges) {
    return new GraphSchema(
        "shop",
        List.of(vertices),
        List.of(edges),
        false,
        Handling.REFUSE,
        SplitRule.DEFAULT,
        List.of(),
        Task.CLASSIFICATION);
  }

  static GraphSchema schema(Map<String, Encoding> features) {
    return schema(accounts("accounts.csv", features), payments("payments.csv"));
  }
}
