package dev.gossamer.tables;

import dev.gossamer.base.InvalidSettingException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Where a table is written to.
public sealed interface TableTarget {
  /// A file, which is replaced atomically.
  ///
  /// @param file its name ends in `.parquet`, `.pq`, `.csv` or `.csv.gz`
  record File(Path file) implements TableTarget {
    /// Checks the name.
    ///
    /// @throws InvalidSettingException if it ends otherwise
    public File {
      if (!isTable(file.toString())) {
        throw new InvalidSettingException(
            "{out}: expected a name that ends in .parquet, .pq, .csv or .csv.gz, found "
                + file.getFileName());
      }
    }

    private static boolean isTable(String name) {
      return name.toLowerCase(Locale.ROOT).matches("(?s).*\\.(parquet|pq|csv|csv\\.gz)");
    }

    @Override
    public String text() {
      return file.toString();
    }

    @Override
    public long bytes(long numbers) {
      return DuckDbRows.bytes(numbers);
    }
  }

  /// A table of another database, which a JDBC driver writes in one transaction.
  ///
  /// @param address such as `jdbc:postgresql://host/shop`, without a password
  /// @param table name, perhaps behind that of a schema and a point. What is not in double quotes
  ///   has the case that the database gives it
  /// @param passwordFile its first line is the password; null for the environment variable
  ///   [TableSource.Database#PASSWORD_VARIABLE]
  /// @param existing what happens if the table is there
  record Database(String address, String table, @Nullable Path passwordFile, Existing existing)
      implements TableTarget {
    /// Checks address and name.
    ///
    /// @throws InvalidSettingException if the address is none or has a password, or the name is
    ///   none
    public Database {
      JdbcAddress.require("out", address);
      TableName.parse(table);
      Objects.requireNonNull(existing, "existing");
    }

    @Override
    public String text() {
      return address + " " + table;
    }

    @Override
    public long bytes(long numbers) {
      return DatabaseWriter.bytes(address, numbers);
    }
  }

  /// What happens if a table of a database is there already.
  enum Existing {
    /// It is refused.
    REFUSE,
    /// Its rows are replaced, if it has the same columns.
    REPLACE
  }

  /// {@return the target as [#parse] reads it, and as messages name it}
  String text();

  /// {@return the memory that writing takes, in bytes}
  ///
  /// @param numbers of a row, those of lists included
  long bytes(long numbers);

  /// {@return the target that a text describes; empty if it is no such file and no database}
  ///
  /// @param text a file, or `jdbc:ADDRESS TABLE`
  /// @param passwordFile its first line is the password of a database; null for none
  /// @param existing what happens if a table of a database is there
  /// @throws InvalidSettingException if it is a database without the name of a table
  static Optional<TableTarget> parse(String text, @Nullable Path passwordFile, Existing existing) {
    if (text.toLowerCase(Locale.ROOT).startsWith("jdbc:")) {
      Matcher parts = Pattern.compile("(?s)(\\S+)\\s+(\\S.*)").matcher(text.strip());
      if (!parts.matches()) {
        throw new InvalidSettingException(
            "{out}: expected an address and the name of a table, 'jdbc:... predictions', found no name");
      }
      return Optional.of(
          new Database(
              Objects.requireNonNull(parts.group(1)),
              Objects.requireNonNull(parts.group(2)),
              passwordFile,
              existing));
    }
    return File.isTable(text) ? Optional.of(new File(Path.of(text))) : Optional.empty();
  }
}
