package dev.gossamer;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.objective.ClassDecision;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Softmax;
import dev.gossamer.matrix.format.RowGather;
import dev.gossamer.run.Confusion;
import dev.gossamer.run.RankedScores;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.util.Arrays;

/// Logits of vertices with known classes, each rank's own, and what follows from them over all
/// ranks. All methods with rows are collective.
final class LabelledLogits {
  /// Steps of the bisection, after which the interval is smaller than float64 can tell.
  private static final int STEPS = 60;

  /// Rows that are turned into probabilities at once.
  private static final int BLOCK = 1024;

  private final DenseMatrix logits;
  private final int[] labels;
  private final Team team;

  /// @param logits `n x C`; borrowed
  /// @param labels class of each row; read only in rows that methods are given; borrowed
  /// @param team ranks that hold different rows
  LabelledLogits(DenseMatrix logits, int[] labels, Team team) {
    this.logits = logits;
    this.labels = labels;
    this.team = team;
  }

  /// Returns the temperature with the smallest cross-entropy, from 0.05 to 20. The cross-entropy is
  /// convex in the inverse temperature `b`; its derivative, whose zero is found by bisection, is
  /// the mean over the rows of `sum over c of softmax(b z)[c] z[c] - z[label]`. Cost: 60 softmaxes
  /// of each row, in float64.
  double temperature(int... rows) {
    double least = 1 / ClassDecision.MAX_TEMPERATURE;
    double most = 1 / ClassDecision.MIN_TEMPERATURE;
    for (int step = 0; step < STEPS; step++) {
      double middle = (least + most) / 2;
      if (derivative(middle, rows) > 0) {
        most = middle;
      } else {
        least = middle;
      }
    }
    return Math.clamp(
        2 / (least + most), ClassDecision.MIN_TEMPERATURE, ClassDecision.MAX_TEMPERATURE);
  }

  private double derivative(double inverse, int... rows) {
    double sum = 0;
    for (int row : rows) {
      sum += meanLogit(inverse, row) - logits.get(row, labels[row]);
    }
    return team.sum(sum)[0];
  }

  /// The mean of the logits of a row, weighted by their probabilities.
  private double meanLogit(double inverse, int row) {
    double highest = logits.get(row, 0);
    for (int c = 1; c < logits.cols(); c++) {
      highest = Math.max(highest, logits.get(row, c));
    }
    double sum = 0;
    double weighted = 0;
    for (int c = 0; c < logits.cols(); c++) {
      double weight = StrictMath.exp(inverse * (logits.get(row, c) - highest));
      sum += weight;
      weighted += weight * logits.get(row, c);
    }
    return weighted / sum;
  }

  /// Returns how good probabilities and classes are.
  Calibration.Quality quality(ClassDecision decision, int... rows) {
    Confusion confusion = new Confusion(logits.cols());
    // The sums of each bin, and last the loss.
    double[] sums = new double[Reliability.SUMS * Reliability.BINS + 1];
    int loss = sums.length - 1;
    forEachBlock(
        decision,
        rows,
        (first, probabilities, w) -> {
          int[] likeliest = new int[(int) probabilities.rows()];
          int[] classes = new int[likeliest.length];
          Softmax.argmax(probabilities, likeliest, w);
          decision.classes(probabilities, classes, w);
          for (int i = 0; i < classes.length; i++) {
            int label = labels[rows[first + i]];
            double confidence = probabilities.get(i, likeliest[i]);
            int bin = Reliability.at(confidence);
            sums[bin]++;
            sums[bin + 1] += confidence;
            sums[bin + 2] += likeliest[i] == label ? 1 : 0;
            sums[loss] -= Math.log(Math.max(probabilities.get(i, label), Float.MIN_NORMAL));
            confusion.add(label, classes[i]);
          }
        });
    Confusion all = confusion.summed(team::sum);
    double[] total = team.sum(sums);
    return new Calibration.Quality(total[loss] / all.count(), Reliability.of(total), all);
  }

  /// Returns the probabilities of the second of two classes, ranked.
  RankedScores ranked(ClassDecision decision, int... rows) {
    double[] scores = new double[rows.length];
    double[] positive = new double[rows.length];
    forEachBlock(
        decision,
        rows,
        (first, probabilities, _) -> {
          for (int i = 0; i < probabilities.rows(); i++) {
            scores[first + i] = probabilities.get(i, 1);
            positive[first + i] = labels[rows[first + i]];
          }
        });
    return RankedScores.of(team.gathered(scores), team.gathered(positive));
  }

  /// Reads the probabilities of some rows.
  @FunctionalInterface
  private interface Block {
    /// @param first position of the first row among the rows that are read
    /// @param probabilities of up to [#BLOCK] rows; reused
    /// @param w the calling thread
    void read(int first, DenseMatrix probabilities, Workers w);
  }

  private void forEachBlock(ClassDecision decision, int[] rows, Block block) {
    try (Arena arena = Arena.ofShared();
        Workers one = new Workers(1)) {
      DenseMatrix memory = DenseMatrix.allocate(arena, BLOCK, logits.cols());
      for (int first = 0; first < rows.length; first += BLOCK) {
        int count = Math.min(BLOCK, rows.length - first);
        DenseMatrix some = memory.rows(0, count);
        RowGather.gather(logits, Arrays.copyOfRange(rows, first, first + count), some, one);
        decision.probabilities(some, one);
        block.read(first, some, one);
      }
    }
  }
}
