package dev.gossamer.cli.data;

import dev.gossamer.graph.GraphData;
import java.util.ArrayList;
import java.util.List;

/// A class and the number of its vertices.
record ClassSize(String name, long vertices) {
  /// The classes in the order of their numbers; none without labels.
  static List<ClassSize> of(GraphData dataset) {
    if (!dataset.hasLabels()) {
      return List.of();
    }
    long[] counts = new long[dataset.classes()];
    for (int label : dataset.labels()) {
      if (label != GraphData.UNLABELLED) {
        counts[label]++;
      }
    }
    List<ClassSize> sizes = new ArrayList<>();
    for (int c = 0; c < counts.length; c++) {
      sizes.add(new ClassSize(dataset.info().classNames().get(c), counts[c]));
    }
    return List.copyOf(sizes);
  }

  /// Vertices of all classes together.
  static long sum(List<ClassSize> sizes) {
    return sizes.stream().mapToLong(ClassSize::vertices).sum();
  }
}
