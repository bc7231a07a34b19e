package dev.gossamer.tables;

import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// The types that a database gives the columns of a table.
///
/// @param whole of 64-bit integers
/// @param text of texts of any length, or of 4,000 characters if there is no such type
/// @param real of numbers
/// @param reals of lists; that of texts for databases without lists
record ColumnTypes(String whole, String text, String real, String reals) {
  private static final Pattern LIST =
      Pattern.compile("(?i)_float[48]|(real|float[48]?|double( precision)?)\\[\\d*]");

  /// Asks a database.
  static ColumnTypes of(DatabaseMetaData database) throws SQLException {
    Set<String> names = new HashSet<>();
    boolean needsLength = false;
    try (ResultSet types = database.getTypeInfo()) {
      while (types.next()) {
        String name = types.getString("TYPE_NAME").toUpperCase(Locale.ROOT);
        names.add(name);
        needsLength |= name.equals("VARCHAR") && types.getString("CREATE_PARAMS") != null;
      }
    }
    boolean isDuckDb = isDuckDb(database);
    String text = needsLength ? "VARCHAR(4000)" : "VARCHAR";
    text = names.contains("TEXT") ? "TEXT" : text;
    return new ColumnTypes(
        names.contains("NUMBER") ? "NUMBER(19)" : "BIGINT",
        text,
        "REAL",
        isDuckDb || names.contains("_FLOAT4") ? "REAL[]" : text);
  }

  static boolean isDuckDb(DatabaseMetaData database) throws SQLException {
    return database.getDatabaseProductName().equals("DuckDB");
  }

  String of(OutputColumn column) {
    return switch (column) {
      case OutputColumn.Whole _ -> whole;
      case OutputColumn.Text _ -> text;
      case OutputColumn.Real _ -> real;
      case OutputColumn.Reals _ -> reals;
    };
  }

  boolean hasLists() {
    return reals.equals("REAL[]");
  }

  /// Whether a column that exists takes the values of another.
  ///
  /// @param type of [Types]
  /// @param name of the type
  boolean fits(OutputColumn column, int type, String name) {
    return switch (column) {
      case OutputColumn.Whole _ ->
          type == Types.BIGINT || type == Types.NUMERIC || type == Types.DECIMAL;
      case OutputColumn.Text _ -> isText(type);
      case OutputColumn.Real _ -> type == Types.REAL || type == Types.FLOAT || type == Types.DOUBLE;
      case OutputColumn.Reals _ -> hasLists() ? LIST.matcher(name).matches() : isText(type);
    };
  }

  private static boolean isText(int type) {
    return switch (type) {
      case Types.CHAR,
          Types.VARCHAR,
          Types.LONGVARCHAR,
          Types.NVARCHAR,
          Types.LONGNVARCHAR,
          Types.CLOB ->
          true;
      default -> false;
    };
  }
}
