package dev.gossamer.tables;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBReadableVector;
import org.duckdb.DuckDBScalarFunction;
import org.duckdb.DuckDBScalarFunctionBuilder;
import org.duckdb.DuckDBWritableVector;

/// A function of DuckDB that takes the arcs of a query, some thousand at a time and on all its
/// threads, so that no table of them is made.
///
/// Its arguments are source, target, weight and time, its result is what it made of them.
final class ArcFunction implements DuckDBScalarFunction {
  /// The arc was taken.
  private static final int TAKEN = 0;

  /// The arc was taken; its ends are one.
  private static final int LOOP = 1;

  /// An end is missing or not known, or the weight or the time is not finite.
  private static final int UNFIT = 2;

  /// The id in place of a missing one: a rare one, which has to be looked at again.
  private static final long MISSING = Long.MIN_VALUE;

  /// Rows that DuckDB passes at a time, at most.
  private static final int MOST = 2048;

  /// What was made of the rows of a query.
  ///
  /// @param rows of the query
  /// @param loops among them, arcs whose ends are one
  /// @param unfit among them, without an end, with an end that is not known, or without a finite
  ///   weight or time
  record Taken(long rows, long loops, long unfit) {}

  /// Gives the vertices of ends of edges. Thread-safe.
  @FunctionalInterface
  interface Numbers {
    /// The ends are the numbers of vertices.
    Numbers SAME =
        (ids, count, numbers) -> {
          for (int i = 0; i < count; i++) {
            numbers[i] = (int) ids[i];
          }
        };

    /// @param ids the first `count` are ends
    /// @param numbers receives the vertex of each; negative for none
    void of(long[] ids, int count, int[] numbers);
  }

  /// What a thread needs.
  private static final class Scratch {
    private final long[] ids = new long[MOST];
    private final int[] sources = new int[MOST];
    private final int[] targets = new int[MOST];
    private final ByteBuffer arcs;

    Scratch(ByteBuffer arcs) {
      this.arcs = arcs;
    }
  }

  private final ArcFile to;
  private final Numbers numbers;
  private final Queue<Scratch> idle = new ConcurrentLinkedQueue<>();

  /// @param to receives the arcs
  /// @param numbers gives the vertices of their ends
  ArcFunction(ArcFile to, Numbers numbers) {
    this.to = to;
    this.numbers = numbers;
  }

  /// Makes the function known.
  ///
  /// @param name no other function of the store has it
  void register(TableStore store, String name) {
    try (DuckDBScalarFunctionBuilder builder = DuckDBFunctions.scalarFunction()) {
      builder
          .withName(name)
          .withParameters(
              DuckDBColumnType.BIGINT,
              DuckDBColumnType.BIGINT,
              DuckDBColumnType.FLOAT,
              DuckDBColumnType.DOUBLE)
          .withReturnType(DuckDBColumnType.INTEGER)
          .withVolatile()
          .withVectorizedFunction(this)
          .register(store.connection());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Passes all rows of a query to a function.
  ///
  /// @param name of the function
  /// @param query of columns `s`, `t`, `w` and `m`
  /// @param where names the source, the start of a message
  static Taken take(TableStore store, String name, String query, String where) {
    store.run(
        "CREATE OR REPLACE TABLE taken AS SELECT %s(s, t, w, m) AS verdict, count(*) AS n FROM (%s) GROUP BY verdict"
            .formatted(name, query),
        where);
    long[] counts = new long[UNFIT + 1];
    store.forEach("SELECT verdict, n FROM taken", row -> counts[row.getInt(1)] = row.getLong(2));
    return new Taken(counts[TAKEN] + counts[LOOP] + counts[UNFIT], counts[LOOP], counts[UNFIT]);
  }

  @Override
  public void apply(DuckDBDataChunkReader rows, DuckDBWritableVector verdicts) throws IOException {
    Scratch scratch = idle.poll();
    if (scratch == null) {
      scratch = new Scratch(to.buffer(MOST));
    }
    take(rows, verdicts, scratch);
    to.append(scratch.arcs);
    idle.add(scratch);
  }

  private void take(DuckDBDataChunkReader rows, DuckDBWritableVector verdicts, Scratch scratch) {
    int count = (int) rows.rowCount();
    look(rows.vector(0), count, scratch.ids, scratch.sources);
    look(rows.vector(1), count, scratch.ids, scratch.targets);
    ArcFile.Columns columns = to.columns();
    DuckDBReadableVector weights = rows.vector(2);
    DuckDBReadableVector times = rows.vector(3);
    for (int i = 0; i < count; i++) {
      int source = scratch.sources[i];
      int target = scratch.targets[i];
      // Reading a value takes as long as all else.
      float weight = columns.weight() ? weights.getFloat(i, Float.NaN) : 1;
      double time = columns.time() ? times.getDouble(i, Double.NaN) : 0;
      if (source < 0 || target < 0 || !Float.isFinite(weight) || !Double.isFinite(time)) {
        verdicts.setInt(i, UNFIT);
        continue;
      }
      scratch.arcs.putInt(source).putInt(target);
      if (columns.weight()) {
        scratch.arcs.putFloat(weight);
      }
      if (columns.time()) {
        scratch.arcs.putDouble(time);
      }
      verdicts.setInt(i, source == target ? LOOP : TAKEN);
    }
  }

  private void look(DuckDBReadableVector ends, int count, long[] ids, int[] vertices) {
    for (int i = 0; i < count; i++) {
      ids[i] = ends.getLong(i, MISSING);
    }
    numbers.of(ids, count, vertices);
    for (int i = 0; i < count; i++) {
      if (ids[i] == MISSING && ends.isNull(i)) {
        vertices[i] = -1;
      }
    }
  }
}
