package dev.gossamer.tables;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionBuilder;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;

/// The rows of a table as a function of DuckDB, which asks for some thousand of them at a time:
/// they are never in memory, or on disk, as a whole.
///
/// A list of numbers is passed as a column for each, since the driver writes no lists here, and
/// made a list by the query.
final class DuckDbRows implements DuckDBTableFunction<List<OutputColumn>, int[], int[]> {
  /// Bytes of rows that DuckDB encodes at a time.
  private static final long GROUP_BYTES = 8L << 20;

  /// Rows that are passed at a time; a group has as many at least.
  private static final long CHUNK_ROWS = 2048;

  /// Rows of a group unless they are wide; the usual number of DuckDB.
  private static final long MOST_ROWS = 122_880;

  /// How many times a group is in memory while it is encoded, at most. Measured: 4 to 10 with
  /// columns of numbers, 8 to 10 with lists.
  private static final int COPIES = 10;

  /// Bytes of DuckDB itself, measured.
  private static final long ENGINE_BYTES = 64L << 20;

  private static final long LEAST_LIMIT = 128L << 20;
  private static final String NAME = "gossamer_rows";

  private final OutputTable table;
  private @Nullable RuntimeException failure;

  DuckDbRows(OutputTable table) {
    this.table = table;
  }

  /// Rows that are encoded at a time.
  ///
  /// @param numbers of a row
  static long groupRows(long numbers) {
    long rows = GROUP_BYTES / OutputTable.rowBytes(numbers);
    return Math.clamp(rows / CHUNK_ROWS * CHUNK_ROWS, CHUNK_ROWS, MOST_ROWS);
  }

  private static long groupBytes(long numbers) {
    return groupRows(numbers) * OutputTable.rowBytes(numbers);
  }

  /// Memory of a process that writes rows, in bytes.
  ///
  /// @param numbers of a row
  static long bytes(long numbers) {
    return ENGINE_BYTES + COPIES * groupBytes(numbers);
  }

  /// The limit that DuckDB needs for that.
  ///
  /// @param numbers of a row
  static long limit(long numbers) {
    return Math.max(LEAST_LIMIT, COPIES * groupBytes(numbers));
  }

  /// Runs a statement over the rows, on this thread, so that it meets them in their order, and
  /// writes on this thread, too: a write that fails while threads of DuckDB's own still have parts
  /// of the file to write may wait for them forever.
  ///
  /// @param connection to DuckDB
  /// @param before what stands before the query of the rows
  /// @param behind what stands behind it
  /// @throws SQLException if that fails; if it is a value that fails, its own exception
  void run(Connection connection, String before, String behind) throws SQLException {
    try (DuckDBTableFunctionBuilder builder = DuckDBFunctions.tableFunction()) {
      builder.withName(NAME).withFunction(this).register(connection);
    }
    try (var statement = connection.createStatement()) {
      statement.execute("SET threads = 1");
      statement.execute("SET async_threads = 0");
      statement.execute(before + query() + behind);
    } catch (SQLException e) {
      if (failure != null) {
        throw failure;
      }
      throw e;
    }
  }

  private String query() {
    List<OutputColumn> columns = table.columns();
    return IntStream.range(0, columns.size())
        .mapToObj(c -> value(columns.get(c), c) + " AS " + TableStore.quoted(columns.get(c).name()))
        .collect(Collectors.joining(", ", "SELECT ", " FROM " + NAME + "()"));
  }

  private static String value(OutputColumn column, int number) {
    return switch (column) {
      case OutputColumn.Reals(_, int width, _) ->
          IntStream.range(0, width)
              .mapToObj(i -> "c%d_%d".formatted(number, i))
              .collect(Collectors.joining(", ", "list_value(", ")"));
      case OutputColumn.Whole _, OutputColumn.Text _, OutputColumn.Real _ -> "c" + number;
    };
  }

  @Override
  public List<OutputColumn> bind(DuckDBTableFunctionBindInfo info) {
    List<OutputColumn> columns = table.columns();
    for (int c = 0; c < columns.size(); c++) {
      switch (columns.get(c)) {
        case OutputColumn.Whole _ -> info.addResultColumn("c" + c, DuckDBColumnType.BIGINT);
        case OutputColumn.Text _ -> info.addResultColumn("c" + c, DuckDBColumnType.VARCHAR);
        case OutputColumn.Real _ -> info.addResultColumn("c" + c, DuckDBColumnType.FLOAT);
        case OutputColumn.Reals(_, int width, _) -> {
          for (int i = 0; i < width; i++) {
            info.addResultColumn("c%d_%d".formatted(c, i), DuckDBColumnType.FLOAT);
          }
        }
      }
    }
    info.setCardinality(table.rows(), true);
    return columns;
  }

  /// The number of the next row.
  @Override
  public int[] init(DuckDBTableFunctionInitInfo info) {
    info.setMaxThreads(1);
    return new int[1];
  }

  @Override
  public long apply(DuckDBTableFunctionCallInfo info, DuckDBDataChunkWriter chunk) {
    int[] next = info.getInitData();
    int first = next[0];
    int count = Math.toIntExact(Math.min(chunk.capacity(), table.rows() - first));
    try {
      long vector = 0;
      for (OutputColumn each : table.columns()) {
        vector += write(each, chunk, vector, first, count);
      }
    } catch (RuntimeException e) {
      failure = e;
      throw e;
    }
    next[0] = first + count;
    return count;
  }

  /// Writes the values of some rows.
  ///
  /// @param at number of the first vector of the column
  /// @return number of its vectors
  private static long write(
      OutputColumn column, DuckDBDataChunkWriter chunk, long at, int first, int count) {
    DuckDBWritableVector to = chunk.vector(at);
    switch (column) {
      case OutputColumn.Whole whole -> {
        for (int r = 0; r < count; r++) {
          to.setLong(r, whole.values().applyAsLong(first + r));
        }
      }
      case OutputColumn.Text text -> {
        for (int r = 0; r < count; r++) {
          to.setString(r, text.values().apply(first + r));
        }
      }
      case OutputColumn.Real real -> {
        for (int r = 0; r < count; r++) {
          to.setFloat(r, real.values().at(first + r));
        }
      }
      case OutputColumn.Reals reals -> {
        for (int r = 0; r < count; r++) {
          float[] numbers = reals.values().apply(first + r);
          for (int i = 0; i < reals.width(); i++) {
            chunk.vector(at + i).setFloat(r, numbers[i]);
          }
        }
        return reals.width();
      }
    }
    return 1;
  }
}
