package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes a table to a database: creates it, or replaces its rows, in one transaction.
///
/// Where creating a table ends a transaction, the table is dropped if anything fails later; so is a
/// new file of a DuckDB database.
///
/// @param target where
record DatabaseWriter(TableTarget.Database target) {
  private static final String DUCKDB = "jdbc:duckdb:";
  private static final String POSTGRESQL = "jdbc:postgresql:";

  /// The classes of a driver.
  private static final long DRIVER_BYTES = 16L << 20;

  /// How many times a batch is in memory, as objects and as what is sent.
  private static final int COPIES = 16;

  /// The limit of a DuckDB database, which keeps some rows of each column before it packs them.
  private static final long DUCKDB_LIMIT = 256L << 20;

  /// Memory that writing takes, in bytes.
  ///
  /// @param numbers of a row
  static long bytes(String address, long numbers) {
    return address.startsWith(DUCKDB)
        ? DuckDbRows.bytes(numbers) + DUCKDB_LIMIT
        : DRIVER_BYTES + COPIES * DatabaseTable.batchRows(numbers) * OutputTable.rowBytes(numbers);
  }

  /// Checks that the database answers, and that the table may be written.
  void requireWritable() {
    Path file = newFile();
    try (Connection connection = connect()) {
      requireNew(DatabaseTable.of(connection, TableName.parse(target.table())));
    } catch (SQLException e) {
      throw refused(e);
    } finally {
      remove(file);
    }
  }

  private Connection connect() throws SQLException {
    // Many rows by one statement are several times as fast.
    Map<String, String> more =
        target.address().startsWith(POSTGRESQL)
            ? Map.of("reWriteBatchedInserts", "true")
            : Map.of();
    return new JdbcAddress(target.address(), null, target.passwordFile()).connect(more);
  }

  /// {@return whether the table is new}
  private boolean requireNew(DatabaseTable table) throws SQLException {
    boolean exists = table.exists();
    if (exists && target.existing() == TableTarget.Existing.REFUSE) {
      throw new InvalidInputException(
          "%s: expected a new table, found one; choose another name, or --force to replace its rows"
              .formatted(target.text()));
    }
    return !exists;
  }

  void write(OutputTable content) {
    Path file = newFile();
    boolean done = false;
    try (Connection connection = connect()) {
      write(content, connection);
      done = true;
    } catch (SQLException e) {
      throw refused(e);
    } finally {
      if (!done) {
        remove(file);
      }
    }
  }

  private void write(OutputTable content, Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    if (ColumnTypes.isDuckDb(database)) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET memory_limit = '%d B'".formatted(DUCKDB_LIMIT));
      }
    }
    connection.setAutoCommit(false);
    DatabaseTable table = DatabaseTable.of(connection, TableName.parse(target.table()));
    int longest = database.getMaxColumnNameLength();
    OutputTable named = longest == 0 ? content : content.named(longest);
    ColumnTypes types = ColumnTypes.of(database);
    boolean isNew = requireNew(table);
    boolean commits = isNew && database.dataDefinitionCausesTransactionCommit();
    boolean done = false;
    try {
      if (isNew) {
        table.create(named, types);
      } else {
        table.empty(named, types);
      }
      table.insert(named, types);
      connection.commit();
      done = true;
    } finally {
      if (!done) {
        undo(connection, table, commits);
      }
    }
  }

  private static void undo(Connection connection, DatabaseTable table, boolean drops) {
    try {
      connection.rollback();
      if (drops) {
        table.drop();
        connection.commit();
      }
    } catch (SQLException e) {
      // The connection is gone, which rolls back, too; or the table was not created.
    }
  }

  private InvalidInputException refused(SQLException cause) {
    // Of a batch, the statement that failed says why.
    SQLException next = cause.getNextException();
    return TableStore.refused(target.text(), next == null ? cause : next);
  }

  /// {@return the file that connecting will make; null if there is one, or the database has none}
  private @Nullable Path newFile() {
    if (!target.address().startsWith(DUCKDB)) {
      return null;
    }
    String name = target.address().substring(DUCKDB.length()).replaceFirst("[;?].*", "");
    Path file = Path.of(name);
    return name.isEmpty() || name.startsWith(":") || Files.exists(file) ? null : file;
  }

  private static void remove(@Nullable Path file) {
    if (file != null) {
      for (Path each : List.of(file, Path.of(file + ".wal"))) {
        try {
          Files.deleteIfExists(each);
        } catch (IOException e) {
          throw InvalidInputException.unwritable(each, e);
        }
      }
    }
  }
}
