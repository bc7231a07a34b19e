package dev.gossamer.tables;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Task;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Classes and parts of the vertices.
///
/// @param store with the tables
/// @param schema of the graph
/// @param tables of vertices
record TableLabels(TableStore store, GraphSchema schema, List<LoadedVertices> tables) {
  private List<LoadedVertices> labelled() {
    return tables.stream().filter(loaded -> loaded.table().label() != null).toList();
  }

  /// The graph with what is to be predicted of its vertices.
  ///
  /// @param arena owner of labels and numbers
  GraphData addTo(GraphData bare, Arena arena) {
    if (schema.task() != Task.CLASSIFICATION) {
      return labelled().isEmpty()
          ? bare
          : bare.withTargets(
              new TableTargets(store, schema, labelled()).of(bare.vertices(), arena));
    }
    List<String> classes = classes();
    return bare.withLabels(of(bare.vertices(), classes), classes);
  }

  /// The name of each class: those of the schema, or those that occur.
  private List<String> classes() {
    if (!schema.classes().isEmpty()) {
      return schema.classes();
    }
    ClassNames classes = new ClassNames();
    for (LoadedVertices loaded : labelled()) {
      store.step("reading classes");
      String label = String.valueOf(loaded.table().label());
      loaded.values(label).texts((row, text) -> classes.add(text));
      classes.require(loaded.where(), label);
    }
    return classes.sorted();
  }

  /// The class of each vertex; empty without a column of classes.
  private int[] of(int vertices, List<String> names) {
    if (labelled().isEmpty()) {
      return new int[0];
    }
    Map<String, Integer> numbers = new LinkedHashMap<>();
    names.forEach(name -> numbers.put(name, numbers.size()));
    int[] all = new int[vertices];
    Arrays.fill(all, GraphData.UNLABELLED);
    for (LoadedVertices loaded : labelled()) {
      ColumnValues values = loaded.values(String.valueOf(loaded.table().label()));
      values.texts((row, text) -> {
        if (text == null) {
          return;
        }
        Integer number = numbers.get(text);
        if (number == null) {
          throw values.refused(row, "one of the schema's %d classes".formatted(names.size()), text);
        }
        all[loaded.first() + (int) row] = number;
      });
    }
    return all;
  }

  /// The part of each vertex: that of a column, or drawn; empty if neither is possible.
  byte[] split(GraphData bare) {
    List<LoadedVertices> told =
        tables.stream().filter(loaded -> loaded.table().split() != null).toList();
    if (!told.isEmpty()) {
      byte[] codes = new byte[bare.vertices()];
      for (LoadedVertices loaded : told) {
        ColumnValues values = loaded.values(String.valueOf(loaded.table().split()));
        values.texts((row, text) ->
            codes[loaded.first() + (int) row] = PartNames.of(values, row, text).code());
      }
      return codes;
    }
    if (!bare.hasTruth()) {
      return new byte[0];
    }
    double[] times = new double[0];
    if (schema.split().by() == SplitRule.By.TIME) {
      times = times(bare.vertices());
    }
    return SplitDraw.draw(bare, schema.split(), times);
  }

  private double[] times(int vertices) {
    double[] times = new double[vertices];
    Arrays.fill(times, Double.NaN);
    for (LoadedVertices loaded : tables) {
      String time = loaded.table().time();
      if (time != null) {
        loaded.values(time).numbers((row, x) -> times[loaded.first() + (int) row] = x);
      }
    }
    return times;
  }
}
