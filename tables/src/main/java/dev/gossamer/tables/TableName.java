package dev.gossamer.tables;

import dev.gossamer.base.InvalidSettingException;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The name of a table in a database, as a user writes it: `predictions`, `scores.predictions`,
/// `"Predictions"`.
///
/// @param schema null for that of the connection
/// @param table in its schema
record TableName(@Nullable Part schema, Part table) {
  private static final Pattern NAME =
      Pattern.compile("(?:(\"(?:[^\"]|\"\")+\"|[^\".\\s]+)\\.)?(\"(?:[^\"]|\"\")+\"|[^\".\\s]+)");

  /// A name in a name.
  ///
  /// @param text without quotes
  /// @param exact whether it was in quotes
  record Part(String text, boolean exact) {
    private static Part of(String written) {
      boolean quoted = written.startsWith("\"");
      return quoted
          ? new Part(written.substring(1, written.length() - 1).replace("\"\"", "\""), true)
          : new Part(written, false);
    }

    /// The name as the database has it.
    String in(DatabaseMetaData database) throws SQLException {
      if (!exact && database.storesLowerCaseIdentifiers()) {
        return text.toLowerCase(Locale.ROOT);
      }
      return !exact && database.storesUpperCaseIdentifiers() ? text.toUpperCase(Locale.ROOT) : text;
    }
  }

  /// Reads a name.
  ///
  /// @throws InvalidSettingException if it is none
  static TableName parse(String text) {
    Matcher name = NAME.matcher(text.strip());
    if (!name.matches()) {
      throw new InvalidSettingException(
          "{out}: expected the name of a table, TABLE or SCHEMA.TABLE, found " + text);
    }
    String schema = name.group(1);
    return new TableName(
        schema == null ? null : Part.of(schema), Part.of(Objects.requireNonNull(name.group(2))));
  }
}
