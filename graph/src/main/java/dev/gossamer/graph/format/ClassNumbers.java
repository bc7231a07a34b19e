package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.List;

/// Classes whose names are numbers, such as stars of a rating, as numbers to predict.
public final class ClassNumbers {
  /// The name of the number that they become.
  public static final String NAME = "label";

  private ClassNumbers() {}

  /// {@return whether a data set has one class for each vertex, whose names are numbers}
  ///
  /// @param d the data set
  public static boolean areIn(GraphData d) {
    return d.hasLabels()
        && d.info().classNames().stream().allMatch(name -> Float.isFinite(number(name)));
  }

  /// Returns a data set for a task that it was not made for.
  ///
  /// @param task what is predicted
  /// @param d the data set; the result shares its memory
  /// @param arena owner of numbers, which lives as long as the data set
  /// @return the same data set if the task is its own
  /// @throws InvalidSettingException if what it has cannot be taken for that
  public static GraphData as(Task task, GraphData d, Arena arena) {
    if (task == d.task()) {
      return d;
    }
    if (task != Task.REGRESSION || !d.hasLabels()) {
      throw new InvalidSettingException(
          "{task}: %s has %s; expected %s, found %s"
              .formatted(
                  d.name(),
                  switch (d.task()) {
                    case CLASSIFICATION ->
                        d.hasLabels() ? "one class for each vertex" : "no labels";
                    case MULTI_LABEL -> "several labels for each vertex";
                    case REGRESSION -> "numbers";
                    case LINKS -> "edges";
                  },
                  InvalidSettingException.nameOf(d.task()),
                  InvalidSettingException.nameOf(task)));
    }
    float[] numbers = new float[d.classes()];
    for (int c = 0; c < numbers.length; c++) {
      String name = d.info().classNames().get(c);
      numbers[c] = number(name);
      if (!Float.isFinite(numbers[c])) {
        throw new InvalidSettingException(
            "{task}: expected classes of %s whose names are numbers, found '%s'; leave it out for classification"
                .formatted(d.name(), name));
      }
    }
    DenseMatrix values = DenseMatrix.allocate(arena, d.vertices(), 1);
    for (int v = 0; v < d.vertices(); v++) {
      int label = d.labels()[v];
      values.set(v, 0, label == GraphData.UNLABELLED ? Float.NaN : numbers[label]);
    }
    return d.withTargets(new Targets(Task.REGRESSION, values, List.of(NAME)));
  }

  /// The number of a name; NaN if it is none.
  private static float number(String name) {
    try {
      return Float.parseFloat(name);
    } catch (NumberFormatException e) {
      return Float.NaN;
    }
  }
}
