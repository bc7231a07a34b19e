package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.TemporaryFolder;
import dev.gossamer.graph.Progress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;
import org.duckdb.DuckDBPreparedStatement;

/// A database in memory for the tables of one graph. What does not fit into its memory lies in a
/// temporary folder, which goes with it, also at the end of the process.
///
/// Not thread-safe; queries use all cores.
final class TableStore implements AutoCloseable {
  /// Reads a row of a result.
  @FunctionalInterface
  interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  /// What the database says of a value of a CSV file that is not of the type of its column.
  private static final Pattern VALUE =
      Pattern.compile(
          "CSV Error on Line: (?<line>\\d+).*Error when converting column \"(?<column>.*?)\"\\. Could not convert string"
              + " \"(?<value>.*?)\" to '(?<type>\\w+)'.*?\\n *file = (?<file>[^\\n]*)",
          Pattern.DOTALL);

  /// What it says of a text file whose bytes are not those of UTF-8.
  private static final Pattern BYTES =
      Pattern.compile(
          "CSV Error on Line: (?<line>\\d+)\\n.*?not utf-8 encoded.*?\\n *file = (?<file>[^\\n]*)",
          Pattern.DOTALL);

  /// Between two notifications of a statement's progress.
  private static final long NOTICE_MILLIS = 200;

  private static final int PERCENT = 100;

  private final DuckDBConnection connection;
  private final TemporaryFolder folder;
  private final Progress progress;
  private String step = "reading tables";
  private long done;

  private TableStore(DuckDBConnection connection, TemporaryFolder folder, Progress progress) {
    this.connection = connection;
    this.folder = folder;
    this.progress = progress;
  }

  /// Opens an empty store.
  ///
  /// @param base folder to which names of files in queries are relative
  /// @param options memory, and who is notified of steps and statements
  static TableStore open(Path base, Tables.TableOptions options) {
    Properties settings = new Properties();
    settings.setProperty(DuckDBDriver.JDBC_STREAM_RESULTS, "true");
    try {
      TemporaryFolder folder = TemporaryFolder.create("tables");
      Connection opened = new DuckDBDriver().connect("jdbc:duckdb:", settings);
      TableStore store =
          new TableStore(opened.unwrap(DuckDBConnection.class), folder, options.progress());
      store.run("SET memory_limit = '%d B'".formatted(options.bytes()));
      store.run("SET temp_directory = " + literal(folder.path().resolve("spilled").toString()));
      store.run("SET file_search_path = " + literal(base.toAbsolutePath().toString()));
      store.run("SET enable_progress_bar = true");
      store.run("SET enable_progress_bar_print = false");
      store.run("SET autoinstall_known_extensions = false");
      store.run("SET autoload_known_extensions = false");
      return store;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A name in SQL.
  static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /// A text in SQL.
  static String literal(String text) {
    return '\'' + text.replace("'", "''") + '\'';
  }

  DuckDBConnection connection() {
    return connection;
  }

  /// Runs a statement of ours.
  void run(String sql) {
    run(sql, "tables");
  }

  /// Runs a statement that reads a source.
  ///
  /// @param where name of the source, the start of a message
  void run(String sql, String where) {
    try (Statement statement = connection.createStatement()) {
      execute(statement, sql);
    } catch (SQLException e) {
      throw refused(where, e);
    }
  }

  /// Does not let the database choose the order of joins, and which side of each goes into a hash
  /// table, the right one otherwise: it knows nothing of the size of a text file.
  void joinAsWritten(boolean asWritten) {
    run(
        asWritten
            ? "SET disabled_optimizers = 'join_order,build_side_probe_side'"
            : "RESET disabled_optimizers");
  }

  /// A file that is deleted with the store.
  Path temporary(String name) {
    return folder.path().resolve(name);
  }

  /// Begins a step, of which the next statements are.
  void step(String label) {
    step = label;
    done = 0;
    progress.at(label, done, PERCENT);
  }

  /// Notifies of the part of the step that is done; of several statements, the one that got
  /// furthest.
  void at(double share) {
    done = Math.clamp(Math.round(share * PERCENT), done, PERCENT);
    progress.at(step, done, PERCENT);
  }

  /// Executes a statement on another thread; this one tells how far it is.
  private void execute(Statement statement, String sql) throws SQLException {
    FutureTask<Boolean> execution = new FutureTask<>(() -> statement.execute(sql));
    Thread.ofPlatform().name("tables-statement").daemon().start(execution);
    try {
      while (!ended(execution)) {
        double percentage =
            statement.unwrap(DuckDBPreparedStatement.class).getQueryProgress().getPercentage();
        if (percentage > 0) {
          at(percentage / PERCENT);
        }
      }
    } catch (InterruptedException e) {
      statement.cancel();
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted while " + step);
    }
  }

  /// Whether a statement ended within the time between two notifications.
  private static boolean ended(FutureTask<Boolean> execution)
      throws SQLException, InterruptedException {
    try {
      execution.get(NOTICE_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /// Passes each row to a reader, in the order of the result.
  void forEach(String sql, RowReader reader) {
    forEach(sql, "tables", reader);
  }

  private void forEach(String sql, String where, RowReader reader) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        reader.read(rows);
      }
    } catch (SQLException e) {
      throw refused(where, e);
    }
  }

  /// A number that a query gives.
  long number(String sql) {
    long[] number = new long[1];
    forEach(sql, row -> number[0] = row.getLong(1));
    return number[0];
  }

  /// Texts that a query gives.
  List<String> texts(String sql) {
    List<String> texts = new ArrayList<>();
    forEach(sql, row -> texts.add(String.valueOf(row.getString(1))));
    return texts;
  }

  /// The columns of what can stand behind `FROM`.
  ///
  /// @param where name of the source, the start of a message
  List<Column> columns(String relation, String where) {
    List<Column> columns = new ArrayList<>();
    forEach(
        "DESCRIBE SELECT * FROM " + relation,
        where,
        row -> columns.add(new Column(row.getString(1), row.getString(2))));
    return columns;
  }

  /// {@return the type to which the database converts the values of two types in one column}
  String commonType(String a, String b) {
    List<String> types = new ArrayList<>();
    forEach(
        "SELECT typeof(v) FROM (SELECT NULL::%s AS v UNION ALL SELECT NULL::%s)".formatted(a, b),
        row -> types.add(row.getString(1)));
    return types.getFirst();
  }

  /// Refuses what is not one `SELECT`: a schema reads, and writes nothing.
  void requireSelect(String sql, String where) {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT json_extract_string(j, '$.error') = 'true', json_extract_string(j, '$.error_message'),"
                + " json_array_length(j, '$.statements'), json_extract_string(j, '$.position')"
                + " FROM (SELECT json_serialize_sql(?::VARCHAR) AS j)")) {
      statement.setString(1, sql);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        if (row.getBoolean(1)) {
          String position = row.getString(4);
          throw new InvalidInputException(
              "%s: expected one SELECT, found: %s%s"
                  .formatted(
                      where,
                      line(row.getString(2)),
                      position == null ? "" : " (character " + position + ")"));
        }
        if (row.getInt(3) != 1) {
          throw new InvalidInputException(
              "%s: expected one SELECT, found %d statements".formatted(where, row.getInt(3)));
        }
      }
    } catch (SQLException e) {
      throw refused(where, e);
    }
  }

  static InvalidInputException refused(String where, SQLException cause) {
    String message = String.valueOf(cause.getMessage());
    return new InvalidInputException(
        "%s: %s"
            .formatted(
                where,
                value(where, message)
                    .or(() -> bytes(where, message))
                    .orElseGet(() -> line(message))),
        cause);
  }

  private static Optional<String> bytes(String where, String message) {
    Matcher found = BYTES.matcher(message);
    return found.find()
        ? Optional.of(
            "%sline %s: expected text in UTF-8, found other bytes; convert it: iconv -f WINDOWS-1252 -t UTF-8, or from what it is in"
                .formatted(among(where, found), found.group("line")))
        : Optional.empty();
  }

  /// The name of the file that a message is about, if the source has several.
  private static String among(String where, Matcher message) {
    String file = message.group("file").strip().replaceFirst(".*/", "");
    return where.endsWith(file) ? "" : file + ": ";
  }

  /// What the database says of a value of a CSV file that is not of the type of its column, in our
  /// words; the name of the file if the source has several.
  private static Optional<String> value(String where, String message) {
    Matcher found = VALUE.matcher(message);
    if (!found.find()) {
      return Optional.empty();
    }
    String expected =
        switch (found.group("type")) {
          case "DATE" -> "a date";
          case "TIMESTAMP" -> "a time stamp";
          case "BIGINT" -> "a whole number";
          case "DOUBLE" -> "a number";
          default -> found.group("type");
        };
    return Optional.of(
        "%sline %s: column %s: expected %s, found '%s'"
            .formatted(
                among(where, found),
                found.group("line"),
                found.group("column"),
                expected,
                found.group("value")));
  }

  /// A message of the database in one line: the arrow below a line of SQL becomes a column.
  private static String line(String message) {
    List<String> parts = new ArrayList<>();
    for (String each : message.lines().toList()) {
      if (each.isBlank()) {
        continue;
      }
      if (each.strip().matches("\\^+")) {
        int last = parts.size() - 1;
        String above = parts.get(last);
        int begin = above.indexOf(": ") + 2;
        parts.set(last, "%s (column %d)".formatted(above, each.indexOf('^') - begin + 1));
      } else {
        parts.add(each.strip());
      }
    }
    return String.join("; ", parts);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    } finally {
      folder.close();
    }
  }
}
