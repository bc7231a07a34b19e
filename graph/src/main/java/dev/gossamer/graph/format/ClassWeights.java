package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Weights of the classes in the training loss, so that a rare class counts as much as a common
/// one.
///
/// As users write them:
/// - `balanced`: the inverse of the number of training vertices of the class;
/// - `FILE.csv`: a line `class,weight` for each class, perhaps after a line with these two words.
///
/// Weights are scaled so that their mean over the training vertices is 1: the learning rate that
/// suits a loss without weights suits them too.
///
/// @param text as users write it
public record ClassWeights(String text) {
  /// The inverse of the number of training vertices.
  public static final String BALANCED = "balanced";

  /// Checks the form; a file is opened by [#of].
  ///
  /// @throws InvalidSettingException if it is empty or no path
  public ClassWeights {
    Objects.requireNonNull(text, "text");
    if (!VertexFeatures.isPath(text)) {
      throw new InvalidSettingException(
          "{classWeights}: expected balanced or FILE.csv, found '%s'".formatted(text));
    }
  }

  private boolean isBalanced() {
    return text.equals(BALANCED);
  }

  /// {@return a copy with an absolute path}
  public ClassWeights absolute() {
    return isBalanced() ? this : new ClassWeights(VertexFeatures.absolute(text));
  }

  /// {@return the weight of each class}
  ///
  /// @param data with classes and a split
  /// @throws InvalidInputException if a file is damaged, names a class twice or not at all or an
  ///   unknown one, a weight is negative, or no training vertex has a weight
  public float[] of(GraphData data) {
    long[] trained = data.classCounts(Split.TRAIN);
    double[] weights =
        isBalanced()
            ? Arrays.stream(trained).mapToDouble(count -> count == 0 ? 0 : 1.0 / count).toArray()
            : read(Path.of(text), data.info().classNames());
    double sum = 0;
    for (int c = 0; c < weights.length; c++) {
      sum += weights[c] * trained[c];
    }
    if (sum == 0) {
      throw new InvalidInputException(
          "%s: expected a weight above 0 for a class of the training vertices, found none"
              .formatted(text));
    }
    double scale = Arrays.stream(trained).sum() / sum;
    float[] scaled = new float[weights.length];
    for (int c = 0; c < scaled.length; c++) {
      scaled[c] = (float) (weights[c] * scale);
    }
    return scaled;
  }

  private static double[] read(Path file, List<String> classes) {
    Map<String, Integer> numbers = new HashMap<>();
    classes.forEach(name -> numbers.put(name, numbers.size()));
    double[] weights = new double[classes.size()];
    Arrays.fill(weights, Double.NaN);
    try (FieldScanner in = new FieldScanner(file)) {
      in.separator(',');
      boolean first = true;
      while (in.nextLineWithout("")) {
        in.rewind();
        String name = field(in);
        String weight = field(in);
        if (in.nextField()) {
          throw in.wrong("class,weight", "a third column");
        }
        if (!first || !name.equals("class") || !weight.equals("weight")) {
          Integer number = numbers.get(name);
          if (number == null) {
            throw in.wrong("the name of a class", "'" + name + "'");
          }
          if (!Double.isNaN(weights[number])) {
            throw in.wrong("each class once", "'" + name + "' again");
          }
          weights[number] = number(in, weight);
        }
        first = false;
      }
    }
    for (int c = 0; c < weights.length; c++) {
      if (Double.isNaN(weights[c])) {
        throw new InvalidInputException(
            "%s: expected a weight for each class, found none for '%s'"
                .formatted(file, classes.get(c)));
      }
    }
    return weights;
  }

  private static String field(FieldScanner in) {
    if (!in.nextField() || in.fieldIsEmpty()) {
      throw in.wrong("class,weight", "an empty field");
    }
    return in.fieldText();
  }

  private static double number(FieldScanner in, String text) {
    double weight;
    try {
      weight = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      weight = Double.NaN;
    }
    if (!(weight >= 0 && weight <= Float.MAX_VALUE)) {
      throw in.wrong("a weight that is a number and not negative", "'" + text + "'");
    }
    return weight;
  }
}
