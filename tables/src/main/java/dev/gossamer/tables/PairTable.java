package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// A table of pairs of vertices: its first two columns are the ids of their ends, and a third, if
/// it has one, the type of the edge in question. Further columns are left out.
///
/// @param columns names of the columns that are read, 2 or 3
/// @param firsts numbers of the first ends, in the order of the rows
/// @param seconds numbers of the second ends
/// @param typeNames the types that occur, in the order in which they first do
/// @param types position of each row's type among them; empty without types
@SuppressWarnings("ArrayRecordComponent")
public record PairTable(
    List<String> columns, int[] firsts, int[] seconds, List<String> typeNames, int[] types) {
  private static final int FIRST_ROWS = 1024;

  /// Reads a table.
  ///
  /// @param vertices gives the number of a vertex by its id, or -1
  /// @param graph name of the graph, for messages
  /// @param typed whether the type is read
  static PairTable read(
      TableStore store,
      SourceReader reader,
      TableSource source,
      ToIntFunction<String> vertices,
      String graph,
      boolean typed) {
    SourceRows rows = reader.rows(source, "pairs", ColumnRoles.BY_POSITION);
    List<Column> all = rows.columns();
    int needed = typed ? 3 : 2;
    if (all.size() < needed) {
      throw new InvalidInputException(
          "%s: expected %s, found %d"
              .formatted(
                  source.text(),
                  typed
                      ? "two columns of ids and one of the types of edges, which the model tells apart"
                      : "two columns of ids",
                  all.size()));
    }
    List<String> names = all.stream().limit(needed).map(Column::name).toList();
    Rows read = new Rows(source.text(), names, vertices, graph);
    store.forEach(
        "SELECT %s FROM %s".formatted(texts(names), rows.relation()),
        row -> read.add(row.getString(1), row.getString(2), typed ? row.getString(3) : ""));
    return read.table(typed);
  }

  private static String texts(List<String> names) {
    return String.join(
        ", ",
        names.stream()
            .map(name -> "CAST(%s AS VARCHAR)".formatted(TableStore.quoted(name)))
            .toList());
  }

  /// The rows so far.
  private static final class Rows {
    private final String where;
    private final List<String> columns;
    private final ToIntFunction<String> vertices;
    private final String graph;
    private final Map<String, Integer> typeNumbers = new HashMap<>();
    private final List<String> typeNames = new ArrayList<>();
    private int[] firsts = new int[FIRST_ROWS];
    private int[] seconds = new int[FIRST_ROWS];
    private int[] types = new int[FIRST_ROWS];
    private int count;

    Rows(String where, List<String> columns, ToIntFunction<String> vertices, String graph) {
      this.where = where;
      this.columns = columns;
      this.vertices = vertices;
      this.graph = graph;
    }

    void add(@Nullable String first, @Nullable String second, @Nullable String type) {
      if (count == firsts.length) {
        int more = Math.addExact(count, count >> 1);
        firsts = Arrays.copyOf(firsts, more);
        seconds = Arrays.copyOf(seconds, more);
        types = Arrays.copyOf(types, more);
      }
      firsts[count] = vertex(0, first);
      seconds[count] = vertex(1, second);
      types[count] = type(type);
      count++;
    }

    private int vertex(int column, @Nullable String id) {
      int number = id == null ? -1 : vertices.applyAsInt(id);
      if (number < 0) {
        throw refused(column, "the id of a vertex of " + graph, id);
      }
      return number;
    }

    private int type(@Nullable String name) {
      if (name == null) {
        throw refused(2, "the type of an edge", null);
      }
      return typeNumbers.computeIfAbsent(
          name,
          each -> {
            typeNames.add(each);
            return typeNames.size() - 1;
          });
    }

    private InvalidInputException refused(int column, String expected, @Nullable String found) {
      return new InvalidInputException(
          "%s: row %d: column %s: expected %s, found %s"
              .formatted(
                  where,
                  count + 1,
                  columns.get(column),
                  expected,
                  found == null ? "nothing" : "'" + found + "'"));
    }

    PairTable table(boolean typed) {
      return new PairTable(
          columns,
          Arrays.copyOf(firsts, count),
          Arrays.copyOf(seconds, count),
          typed ? List.copyOf(typeNames) : List.of(),
          typed ? Arrays.copyOf(types, count) : new int[0]);
    }
  }
}
