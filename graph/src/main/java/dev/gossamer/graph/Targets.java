package dev.gossamer.graph;

import dev.gossamer.matrix.DenseMatrix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// What is to be predicted of each vertex where that is not one class: any number of some labels,
/// or some numbers.
///
/// @param task [Task#MULTI_LABEL] or [Task#REGRESSION]
/// @param values of each vertex (`n x t`); of labels 1 or 0; NaN where nothing is known. Borrowed
/// @param names of the labels or of the numbers (`t`)
public record Targets(Task task, DenseMatrix values, List<String> names) {
  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if the task has classes, or there is not a name for each
  ///   column
  public Targets {
    names = List.copyOf(names);
    if (task == Task.CLASSIFICATION || names.isEmpty() || names.size() != values.cols()) {
      throw new IllegalArgumentException(
          "targets: expected a name for each of %d columns of labels or numbers, found %d for %s"
              .formatted(values.cols(), names.size(), task));
    }
  }

  /// {@return whether anything is known of a vertex}
  ///
  /// @param vertex in `0..n-1`
  public boolean isKnown(int vertex) {
    for (int t = 0; t < values.cols(); t++) {
      if (!Float.isNaN(values.get(vertex, t))) {
        return true;
      }
    }
    return false;
  }

  /// {@return the known values of the vertices in a part of the split}
  ///
  /// @param data of these targets
  /// @param part of the split
  public long known(GraphData data, Split part) {
    long known = 0;
    for (int v : data.labelled(part)) {
      for (int t = 0; t < values.cols(); t++) {
        known += Float.isNaN(values.get(v, t)) ? 0 : 1;
      }
    }
    return known;
  }

  /// {@return whether there is a column of which vertices in a part of the split have different
  /// known values}
  ///
  /// @param data of these targets
  /// @param part of the split
  public boolean vary(GraphData data, Split part) {
    int[] vertices = data.labelled(part);
    return IntStream.range(0, values.cols())
        .mapToObj(t ->
            Arrays.stream(vertices)
                .mapToDouble(v -> values.get(v, t))
                .filter(value -> !Double.isNaN(value))
                .summaryStatistics())
        .anyMatch(known -> known.getMin() < known.getMax());
  }

  /// {@return the mean and the standard deviation of each column over the known values of the
  /// training vertices; 0 and 1 of a column without any, and the deviation 1 of one that is
  /// constant there}
  ///
  /// @param data of these targets
  public Standardisation scale(GraphData data) {
    int[] trained = data.labelled(Split.TRAIN);
    List<Double> means = new ArrayList<>();
    List<Double> deviations = new ArrayList<>();
    for (int t = 0; t < values.cols(); t++) {
      int column = t;
      double[] known =
          Arrays.stream(trained)
              .mapToDouble(v -> values.get(v, column))
              .filter(value -> !Double.isNaN(value))
              .toArray();
      double mean = Arrays.stream(known).average().orElse(0);
      boolean equal = Arrays.stream(known).distinct().count() < 2;
      double variance =
          Arrays.stream(known).map(value -> (value - mean) * (value - mean)).average().orElse(0);
      means.add(mean);
      deviations.add(equal ? 1 : Math.sqrt(variance));
    }
    return new Standardisation(means, deviations);
  }
}
