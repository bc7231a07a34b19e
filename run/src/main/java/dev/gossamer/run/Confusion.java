package dev.gossamer.run;

import java.util.OptionalDouble;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/// Counts of (label, prediction) pairs, and the scores that follow from them.
public final class Confusion implements ClassCounts {
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

  @Override
  public int size() {
    return classes;
  }

  /// {@return number of vertices with a label and a prediction}
  ///
  /// @param label their class
  /// @param prediction their predicted class
  public long count(int label, int prediction) {
    return counts[label * classes + prediction];
  }

  @Override
  public long support(int c) {
    return IntStream.range(0, classes).mapToLong(other -> count(c, other)).sum();
  }

  @Override
  public long predicted(int c) {
    return IntStream.range(0, classes).mapToLong(other -> count(other, c)).sum();
  }

  @Override
  public long found(int c) {
    return count(c, c);
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
}
