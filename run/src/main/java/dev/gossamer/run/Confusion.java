package dev.gossamer.run;

import java.util.function.UnaryOperator;

/// Counts of (label, prediction) pairs, and the scores that follow from them.
public final class Confusion {
  private final int classes;
  private final long[] counts;
  private long total;

  /// Begins with no pairs.
  ///
  /// @param classes how many there are
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

  /// {@return unweighted mean of `2 tp / (2 tp + fp + fn)` over the classes that occur; 0 without
  /// pairs}
  public double macroF1() {
    double sum = 0;
    int occurring = 0;
    for (int c = 0; c < classes; c++) {
      long labelled = 0;
      long predicted = 0;
      for (int other = 0; other < classes; other++) {
        labelled += counts[c * classes + other];
        predicted += counts[other * classes + c];
      }
      if (labelled + predicted > 0) {
        occurring++;
        sum += 2.0 * counts[c * classes + c] / (labelled + predicted);
      }
    }
    return occurring == 0 ? 0 : sum / occurring;
  }
}
