package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Labels or numbers of vertices: lists of names or of zeros and ones are labels, numbers and lists
/// of numbers are numbers to predict. What has no value is not known.
///
/// @param store with the tables
/// @param schema of the graph
/// @param tables of vertices with a column of labels, at least one
record TableTargets(TableStore store, GraphSchema schema, List<LoadedVertices> tables) {
  private static final int MOST = 1 << 20;

  /// The labels or numbers of all vertices.
  ///
  /// @param arena owner of the result
  Targets of(int vertices, Arena arena) {
    store.step("reading labels");
    List<LoadedVertices> known = tables.stream().filter(each -> !column(each).isEmpty()).toList();
    List<String> names = names(known);
    DenseMatrix values = DenseMatrix.allocate(arena, vertices, names.size());
    values.fill(Float.NaN);
    for (LoadedVertices loaded : known) {
      ColumnValues column = column(loaded);
      switch (column.column().kind()) {
        case TEXTS -> named(column, loaded.first(), names, values);
        case NUMBERS -> listed(column, loaded.first(), values);
        default -> column.numbers((row, x) -> values.set(loaded.first() + row, 0, (float) x));
      }
    }
    return new Targets(schema.task(), values, names);
  }

  private static ColumnValues column(LoadedVertices loaded) {
    return loaded.values(String.valueOf(loaded.table().label()));
  }

  /// The names of the schema, or those that occur, or numbers.
  ///
  /// @param known tables with a value: without one, the type of a column says nothing
  private List<String> names(List<LoadedVertices> known) {
    ColumnValues first = column(known.isEmpty() ? tables.getFirst() : known.getFirst());
    for (LoadedVertices loaded : known) {
      require(column(loaded), first.column().kind());
    }
    if (!schema.classes().isEmpty()) {
      return schema.classes();
    }
    List<String> names =
        switch (first.column().kind()) {
          case TEXTS -> known.stream().flatMap(TableTargets::distinct).distinct().sorted().toList();
          case NUMBERS -> IntStream.range(0, longest(known)).mapToObj(Integer::toString).toList();
          default -> schema.task() == Task.MULTI_LABEL ? List.of() : List.of(first.column().name());
        };
    if (names.isEmpty() || names.size() > MOST) {
      throw new InvalidInputException(
          "%s: column %s: expected 1 to %d labels or numbers, found %d"
              .formatted(first.where(), first.column().name(), MOST, names.size()));
    }
    return names;
  }

  /// Refuses a column that does not hold what the task is about, or other than the first one.
  private void require(ColumnValues column, Column.Kind first) {
    Column.Kind kind = column.column().kind();
    boolean fits =
        schema.task() == Task.MULTI_LABEL
            ? kind == Column.Kind.TEXTS || kind == Column.Kind.NUMBERS
            : kind == Column.Kind.NUMBERS || column.column().isNumeric();
    boolean same = (kind == first) || (column.column().isNumeric() && isNumber(first));
    if (!fits || !same) {
      throw new InvalidInputException(
          "%s: column %s: expected %s, found %s"
              .formatted(
                  column.where(),
                  column.column().name(),
                  schema.task() == Task.MULTI_LABEL
                      ? "lists of names, or of zeros and ones"
                      : "numbers, or lists of numbers",
                  column.column().type()));
    }
  }

  private static boolean isNumber(Column.Kind kind) {
    return kind == Column.Kind.WHOLE || kind == Column.Kind.REAL || kind == Column.Kind.TRUTH;
  }

  private static Stream<String> distinct(LoadedVertices loaded) {
    String column = column(loaded).column().sql();
    return loaded
        .store()
        .texts(
            "SELECT DISTINCT label FROM (SELECT unnest(%s) AS label FROM %s) WHERE label IS NOT NULL LIMIT %d"
                .formatted(column, loaded.name(), MOST + 1))
        .stream();
  }

  private int longest(List<LoadedVertices> known) {
    long longest = 0;
    for (LoadedVertices loaded : known) {
      longest =
          Math.max(
              longest,
              store.number(
                  "SELECT coalesce(max(len(%s)), 0) FROM %s"
                      .formatted(column(loaded).column().sql(), loaded.name())));
    }
    return (int) Math.min(longest, MOST + 1L);
  }

  private static void named(
      ColumnValues column, int first, List<String> names, DenseMatrix values) {
    Map<String, Integer> numbers = new HashMap<>();
    names.forEach(name -> numbers.put(name, numbers.size()));
    column.textLists((row, labels) -> {
      if (labels == null) {
        return;
      }
      long v = first + row;
      for (int t = 0; t < names.size(); t++) {
        values.set(v, t, 0);
      }
      for (@Nullable Object label : labels) {
        if (label == null) {
          continue;
        }
        Integer number = numbers.get(label.toString());
        if (number == null) {
          throw column.refused(
              row, "some of the schema's %d labels".formatted(names.size()), label.toString());
        }
        values.set(v, number, 1);
      }
    });
  }

  private void listed(ColumnValues column, int first, DenseMatrix values) {
    column.lists((row, numbers) -> {
      if (numbers == null) {
        return;
      }
      if (numbers.length != values.cols()) {
        throw column.refused(
            row, "a list of %d".formatted(values.cols()), "one of " + numbers.length);
      }
      for (int t = 0; t < numbers.length; t++) {
        double x = numbers[t] == null ? Double.NaN : (Double) numbers[t];
        if (!schema.task().admits((float) x)) {
          boolean labels = schema.task() == Task.MULTI_LABEL;
          throw column.refused(row, labels ? "0 or 1" : "a finite number", Double.toString(x));
        }
        values.set(first + row, t, (float) x);
      }
    });
  }
}
