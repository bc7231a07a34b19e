package dev.gossamer.tables;

import dev.gossamer.base.InvalidSettingException;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Where the rows of a table come from.
public sealed interface TableSource {
  /// Files of one kind: CSV, TSV, JSON lines or Parquet, the texts possibly packed by gzip or zstd.
  ///
  /// @param pattern a file, a folder or a pattern with `*`, `?` and `**`; relative to the schema
  record Files(String pattern) implements TableSource {
    /// Checks the pattern.
    ///
    /// @throws InvalidSettingException if it is empty
    public Files {
      if (pattern.isBlank()) {
        throw new InvalidSettingException("{source}: expected a file, a folder or a pattern");
      }
    }

    @Override
    public String text() {
      return pattern;
    }
  }

  /// A query over files, in the SQL of DuckDB: `select * from 'accounts.parquet' where active`.
  ///
  /// @param sql one `select`; names of files are relative to the schema
  record Query(String sql) implements TableSource {
    @Override
    public String text() {
      return "sql: " + sql;
    }
  }

  /// A query that another database answers, by its JDBC driver.
  ///
  /// The password is the content of a file, or the environment variable [#PASSWORD_VARIABLE]; it is
  /// never part of a schema.
  ///
  /// @param address such as `jdbc:postgresql://host/shop`, without a password
  /// @param sql in the SQL of that database
  /// @param user name; null for that of the driver
  /// @param passwordFile its first line is the password; relative to the schema; null for none
  record Database(String address, String sql, @Nullable String user, @Nullable String passwordFile)
      implements TableSource {
    /// The environment variable with the password of all databases.
    public static final String PASSWORD_VARIABLE = "GOSSAMER_JDBC_PASSWORD";

    /// Checks the address.
    ///
    /// @throws InvalidSettingException if it is none, or has a password
    public Database {
      JdbcAddress.require("source", address);
    }

    @Override
    public String text() {
      return address + " " + sql;
    }
  }

  /// No source: the table is part of a schema that travels with a data set or a model, and is read
  /// from other sources ([Tables#like]).
  record Open() implements TableSource {
    @Override
    public String text() {
      return "no source";
    }
  }

  /// {@return the source as [#parse] reads it, and as messages name it}
  String text();

  /// {@return the source that a text describes}
  ///
  /// @param text `sql: QUERY`, or `jdbc:ADDRESS QUERY`, or a file, a folder or a pattern
  /// @throws InvalidSettingException if it is none
  static TableSource parse(String text) {
    Objects.requireNonNull(text, "text");
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.startsWith("sql:")) {
      return new Query(text.substring("sql:".length()).strip());
    }
    if (lower.startsWith("jdbc:")) {
      Matcher parts = Pattern.compile("(?s)(\\S+)\\s+(.+)").matcher(text.strip());
      if (!parts.matches()) {
        throw new InvalidSettingException(
            "{source}: expected an address and a query, 'jdbc:... select ...', found no query");
      }
      return new Database(
          Objects.requireNonNull(parts.group(1)),
          Objects.requireNonNull(parts.group(2)),
          null,
          null);
    }
    return new Files(text);
  }
}
