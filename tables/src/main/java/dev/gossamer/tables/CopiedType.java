package dev.gossamer.tables;

import java.math.BigDecimal;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import org.duckdb.DuckDBAppender;
import org.jspecify.annotations.Nullable;

/// How the values of a column of another database are copied.
enum CopiedType {
  WHOLE("BIGINT"),
  REAL("DOUBLE"),
  /// Decimal numbers of any length, without zeros behind their fractions: an id is `5`, not `5.0`.
  EXACT("VARCHAR"),
  TRUTH("BOOLEAN"),
  DATE("DATE"),
  STAMP("TIMESTAMP"),
  /// Time stamps with a zone, as those of UTC.
  ZONED_STAMP("TIMESTAMP"),
  NUMBERS("DOUBLE[]"),
  TEXT("VARCHAR");

  /// Digits of decimal numbers of which each is an integer of 64 bits.
  private static final int LONG_DIGITS = 18;

  /// The last year of a date or time stamp, or the first one before our era; those of databases may
  /// be infinite.
  private static final int LAST_YEAR = 290_000;

  /// The type in the SQL of DuckDB.
  private final String sql;

  CopiedType(String sql) {
    this.sql = sql;
  }

  /// @param column from 1
  static CopiedType of(ResultSetMetaData columns, int column) throws SQLException {
    String name = columns.getColumnTypeName(column);
    return switch (columns.getColumnType(column)) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> WHOLE;
      case Types.REAL, Types.FLOAT, Types.DOUBLE -> REAL;
      case Types.NUMERIC, Types.DECIMAL ->
          decimal(columns.getPrecision(column), columns.getScale(column));
      case Types.BIT, Types.BOOLEAN -> TRUTH;
      case Types.DATE -> DATE;
      // PostgreSQL says in the name only that there is a zone.
      case Types.TIMESTAMP -> name.equalsIgnoreCase("timestamptz") ? ZONED_STAMP : STAMP;
      case Types.TIMESTAMP_WITH_TIMEZONE -> ZONED_STAMP;
      case Types.ARRAY ->
          name.matches("(?i)_?(int|float|double|numeric|real|decimal|bigint).*") ? NUMBERS : TEXT;
      default -> TEXT;
    };
  }

  /// Without a precision, databases give none, or an impossible one.
  private static CopiedType decimal(int precision, int scale) {
    if (scale == 0 && precision > 0 && precision <= LONG_DIGITS) {
      return WHOLE;
    }
    return EXACT;
  }

  String sql() {
    return sql;
  }

  /// Copies a value.
  ///
  /// @param column from 1
  void append(DuckDBAppender to, ResultSet rows, int column) throws SQLException {
    Object value = rows.getObject(column);
    if (value == null) {
      to.appendNull();
      return;
    }
    switch (this) {
      case WHOLE -> to.append(rows.getLong(column));
      case REAL -> to.append(rows.getDouble(column));
      case EXACT ->
          to.append(
              value instanceof BigDecimal number
                  ? number.stripTrailingZeros().toPlainString()
                  : rows.getString(column));
      case TRUTH -> to.append(rows.getBoolean(column));
      case DATE -> {
        LocalDate day = rows.getDate(column).toLocalDate();
        if (isFinite(day.getYear())) {
          to.append(day);
        } else {
          to.appendNull();
        }
      }
      // Other objects than these go through the time zone of this machine.
      case STAMP -> append(to, rows.getObject(column, LocalDateTime.class));
      case ZONED_STAMP -> {
        OffsetDateTime stamp = rows.getObject(column, OffsetDateTime.class);
        // Of the greatest time nothing can be subtracted, as of the least.
        int offset = isFinite(stamp.getYear()) ? stamp.getOffset().getTotalSeconds() : 0;
        append(to, stamp.toLocalDateTime().minusSeconds(offset));
      }
      case NUMBERS -> to.append(numbers(rows.getArray(column)));
      case TEXT -> to.append(rows.getString(column));
    }
  }

  /// An infinite time is a missing one.
  private static void append(DuckDBAppender to, LocalDateTime time) throws SQLException {
    if (isFinite(time.getYear())) {
      to.append(time);
    } else {
      to.appendNull();
    }
  }

  private static boolean isFinite(int year) {
    return Math.abs(year) <= LAST_YEAR;
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
