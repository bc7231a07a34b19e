package dev.gossamer.cli.report;

import dev.gossamer.Dataset;
import dev.gossamer.graph.GraphData;
import java.util.List;

/// The classes that a data set knows.
///
/// @param labels number of the class of each vertex, or [GraphData#UNLABELLED]; empty if vertices
///   have no classes
/// @param names of each class
@SuppressWarnings("ArrayRecordComponent")
record KnownClasses(int[] labels, List<String> names) {
  /// Where vertices have no classes.
  static final KnownClasses NONE = new KnownClasses(new int[0], List.of());

  /// Returns a copy that outlives the data set.
  static KnownClasses of(Dataset dataset) {
    return new KnownClasses(dataset.data().labels().clone(), dataset.classes());
  }

  /// Returns the vertices of each class, and last those without.
  int[] sizes() {
    int[] sizes = new int[names.size() + 1];
    for (int label : labels) {
      sizes[label == GraphData.UNLABELLED ? names.size() : label]++;
    }
    return sizes;
  }

  boolean has(int vertex) {
    return labels.length > 0 && labels[vertex] != GraphData.UNLABELLED;
  }
}
