package dev.gossamer.run;

import java.util.OptionalDouble;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/// Counts of (label, prediction) pairs, and the scores that follow from them.
public final class Confusion {
  private final int classes;
  private final long[] counts;
  private long total;

  /// Creates an empty count.
  ///
  /// @param classes number of classes
  public Confusion(int classes) {
    this.classes = classes;
    counts = new long[Math.multiplyExact(classes, classes)];
  }

  /// Counts a pair.
  ///
  /// @param label class that the vertex has
  /// @param prediction class that was predicted
  public void add(int label, int prediction) {
    counts[label * classes + prediction]++;
    total++;
  }

  /// {@return the counts of all ranks}
  ///
  /// @param sum adds up numbers over the ranks
  public Confusion summed(UnaryOperator<double[]> sum) {
    double[] mine = new double[counts.length];
    for (int i = 0; i < mine.length; i++) {
      mine[i] = counts[i];
    }
    double[] all = sum.apply(mine);
    Confusion result = new Confusion(classes);
    for (int i = 0; i < all.length; i++) {
      result.counts[i] = (long) all[i];
      result.total += (long) all[i];
    }
    return result;
  }

  /// {@return pairs counted}
  public long count() {
    return total;
  }

  /// {@return share of pairs on the diagonal; 0 without pairs}
  public double accuracy() {
    long right = 0;
    for (int c = 0; c < classes; c++) {
      right += counts[c * classes + c];
    }
    return total == 0 ? 0 : (double) right / total;
  }

  /// {@return number of classes}
  public int classes() {
    return classes;
  }

  /// {@return number of vertices with a label and a prediction}
  ///
  /// @param label their class
  /// @param prediction their predicted class
  public long count(int label, int prediction) {
    return counts[label * classes + prediction];
  }

  /// {@return number of vertices of a class}
  ///
  /// @param c number of the class
  public long support(int c) {
    return IntStream.range(0, classes).mapToLong(other -> count(c, other)).sum();
  }

  /// {@return number of predictions of a class}
  ///
  /// @param c number of the class
  public long predicted(int c) {
    return IntStream.range(0, classes).mapToLong(other -> count(other, c)).sum();
  }

  /// {@return share of correct predictions of a class, `tp / (tp + fp)`; empty if it was never
  /// predicted}
  ///
  /// @param c number of the class
  public OptionalDouble precision(int c) {
    return share(count(c, c), predicted(c));
  }

  /// {@return share of the vertices of a class that were found, `tp / (tp + fn)`; empty if there
  /// are none}
  ///
  /// @param c number of the class
  public OptionalDouble recall(int c) {
    return share(count(c, c), support(c));
  }

  /// {@return `2 tp / (2 tp + fp + fn)`; empty if the class has no vertices and was never
  /// predicted}
  ///
  /// @param c number of the class
  public OptionalDouble f1(int c) {
    return share(2 * count(c, c), support(c) + predicted(c));
  }

  private static OptionalDouble share(long part, long all) {
    return all == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) part / all);
  }

  /// {@return unweighted mean of a score over the classes that have vertices, where a class that
  /// was never predicted has the precision 0; 0 without pairs}
  ///
  /// @param score of a class
  public double average(IntFunction<OptionalDouble> score) {
    return IntStream.range(0, classes)
        .filter(c -> support(c) > 0)
        .mapToDouble(c -> score.apply(c).orElse(0))
        .average()
        .orElse(0);
  }

  /// {@return unweighted mean of [#f1] over the classes that occur, among labels or predictions; 0
  /// without pairs}
  public double macroF1() {
    return IntStream.range(0, classes)
        .mapToObj(this::f1)
        .flatMapToDouble(OptionalDouble::stream)
        .average()
        .orElse(0);
  }
}
