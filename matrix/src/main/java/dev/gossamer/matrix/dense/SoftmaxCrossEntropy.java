package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.Lanes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// Softmax over the classes of each row, and the mean cross-entropy of training rows, with its
/// gradient.
///
/// `p[i][c] = exp(z[i][c] - max_i) / sum over c of exp(z[i][c] - max_i)`; the loss is the mean over
/// the listed rows of `-log p[i][label_i]`, its gradient in `z` is `(p - onehot) / rows listed`.
/// Subtracting the row's maximum keeps every exponent in range. The exponential is our own
/// polynomial with an error below 2 ulp, because results of the built-in one differ between
/// interpreted and compiled code.
public final class SoftmaxCrossEntropy {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE;

  /// Rows that one task takes, at most; their loss is summed first.
  private static final int TASK_ROWS = 1 << 10;

  /// Elements of a task, about: a few rows may have as many as a large graph.
  private static final int TASK_ELEMENTS = 1 << 15;

  /// Losses that there is room for.
  private static final int MOST_TASKS = Workers.SHARED_BYTES / Double.BYTES;

  /// Below it the exponential is taken for zero: it would be a subnormal number.
  private static final float LOWEST = -86f;

  private static final float LOG2_E = 1.442695f;
  private static final float LN2_HIGH = 0x1.63p-1f;
  private static final float LN2_LOW = -2.1219444e-4f;

  /// Adding it rounds to an integer, which the low bits then hold.
  private static final float ROUNDER = 0x1.8p23f;

  private SoftmaxCrossEntropy() {}

  /// Computes the mean loss of the listed rows, and replaces the logits by its gradient.
  ///
  /// The loss is summed in float64, in a fixed order.
  ///
  /// @param logits `n x C`, `C >= 1`; overwritten: rows that are not listed become zero
  /// @param labels `n` classes, -1 for none
  /// @param rows the rows to train on, strictly ascending
  /// @param w threads that share the work
  /// @return the mean; 0 without rows
  /// @throws IllegalArgumentException if the sizes do not fit, the rows do not ascend, or a listed
  ///   row has no label in `0..C-1`
  public static double lossAndGradient(DenseMatrix logits, int[] labels, int[] rows, Workers w) {
    return lossAndGradient(logits, labels, rows, rows.length, w);
  }

  /// Computes loss and gradient of rows that are distributed over ranks: both are divided by
  /// `total`, so that the sums over ranks are those of the mean.
  ///
  /// @param logits `n x C`, `C >= 1`; overwritten: rows that are not listed become zero
  /// @param labels `n` classes, -1 for none
  /// @param rows the rows to train on, strictly ascending
  /// @param total rows listed on all ranks
  /// @param w threads that share the work
  /// @return this rank's part of the mean; 0 without rows
  /// @throws IllegalArgumentException if the sizes do not fit, the rows do not ascend, a listed row
  ///   has no label in `0..C-1`, or `total` is less than the number of listed rows
  public static double lossAndGradient(
      DenseMatrix logits, int[] labels, int[] rows, long total, Workers w) {
    check(logits, labels, rows);
    if (total < rows.length) {
      throw new IllegalArgumentException(
          "softmax cross entropy: %d rows of a total of %d".formatted(rows.length, total));
    }
    float weight = 1f / Math.max(1, total);
    double sum = sum(logits, w, (begin, end) -> range(logits, labels, rows, weight, begin, end));
    return total == 0 ? 0 : sum / total;
  }

  /// The loss of some rows, whose logits become the gradient.
  private interface Rows {
    double loss(int begin, int end);
  }

  /// The sum of the losses of all rows.
  private static double sum(DenseMatrix logits, Workers w, Rows rows) {
    int n = Math.toIntExact(logits.rows());
    int inTask =
        Math.max(
            Math.clamp(TASK_ELEMENTS / logits.cols(), 1, TASK_ROWS), Math.ceilDiv(n, MOST_TASKS));
    int tasks = Math.ceilDiv(n, inTask);
    MemorySegment losses = w.sharedScratch();
    w.run(
        tasks,
        (task, worker) -> {
          int begin = task * inTask;
          int end = (int) Math.min(n, begin + (long) inTask);
          losses.setAtIndex(DOUBLE, task, rows.loss(begin, end));
        });
    double sum = 0;
    for (int task = 0; task < tasks; task++) {
      sum += losses.getAtIndex(DOUBLE, task);
    }
    return sum;
  }

  /// Computes the weighted sum of the losses of all rows, an estimate of a mean from a minibatch,
  /// and replaces the logits by its gradient.
  ///
  /// The loss is summed in float64, in a fixed order.
  ///
  /// @param logits `n x C`, `C >= 1`; overwritten: rows of weight 0 become zero
  /// @param labels `n` classes; those of rows of weight 0 are ignored
  /// @param weights of the rows, `n`
  /// @param w threads that share the work
  /// @return the weighted sum
  /// @throws IllegalArgumentException if the sizes do not fit, or a row with a weight has no label
  ///   in `0..C-1`
  public static double weightedLossAndGradient(
      DenseMatrix logits, int[] labels, float[] weights, Workers w) {
    checkSizes(logits, labels);
    if (weights.length != labels.length) {
      throw new IllegalArgumentException(
          "softmax cross entropy: %d labels but %d weights"
              .formatted(labels.length, weights.length));
    }
    for (int i = 0; i < labels.length; i++) {
      if (weights[i] != 0) {
        checkLabel(logits, i, labels[i]);
      }
    }
    return sum(logits, w, (begin, end) -> weightedRange(logits, labels, weights, begin, end));
  }

  private static double weightedRange(
      DenseMatrix z, int[] labels, float[] weights, int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; i++) {
      if (weights[i] == 0) {
        clear(z, i, i + 1L);
      } else {
        sum += weights[i] * row(z, i, labels[i], weights[i]);
      }
    }
    return sum;
  }

  /// Turns each row of logits into probabilities.
  ///
  /// @param logits `n x C`, overwritten
  /// @param w threads that share the work
  public static void softmax(DenseMatrix logits, Workers w) {
    Epilogues.apply(
        (y, begin, end) -> {
          for (long i = begin; i < end; i++) {
            long at = y.offset(i);
            float sum = exponentials(y.data(), at, y.cols(), highest(y.data(), at, y.cols()));
            scale(y.data(), at, y.cols(), 1f / sum);
          }
        },
        logits,
        w);
  }

  /// Finds the class with the highest score in each row, the first on ties; NaN is ignored, and a
  /// row of only NaN gets class 0.
  ///
  /// @param scores `n x C`, `C >= 1`
  /// @param classes `n` classes, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the sizes do not fit
  public static void argmax(DenseMatrix scores, int[] classes, Workers w) {
    if (scores.cols() < 1 || classes.length != scores.rows()) {
      throw new IllegalArgumentException(
          "argmax: scores are %s but there is room for %d classes"
              .formatted(scores, classes.length));
    }
    Epilogues.apply(
        (y, begin, end) -> {
          for (long i = begin; i < end; i++) {
            classes[(int) i] = argmax(y, i);
          }
        },
        scores,
        w);
  }

  private static int argmax(DenseMatrix y, long i) {
    int best = 0;
    float highest = Float.NEGATIVE_INFINITY;
    for (int j = 0; j < y.cols(); j++) {
      float v = y.data().get(FLOAT, y.offset(i) + (long) j * Float.BYTES);
      if (v > highest) {
        highest = v;
        best = j;
      }
    }
    return best;
  }

  private static void checkSizes(DenseMatrix logits, int[] labels) {
    if (logits.cols() < 1 || labels.length != logits.rows()) {
      throw new IllegalArgumentException(
          "softmax cross entropy: logits are %s but there are %d labels"
              .formatted(logits, labels.length));
    }
  }

  private static void checkLabel(DenseMatrix logits, int row, int label) {
    if (label < 0 || label >= logits.cols()) {
      throw new IllegalArgumentException(
          "softmax cross entropy: row %d has label %d; expected 0..%d"
              .formatted(row, label, logits.cols() - 1));
    }
  }

  private static void check(DenseMatrix logits, int[] labels, int[] rows) {
    checkSizes(logits, labels);
    int previous = -1;
    for (int row : rows) {
      if (row <= previous || row >= labels.length) {
        throw new IllegalArgumentException(
            "softmax cross entropy: row %d follows row %d; rows must ascend and stay below %d"
                .formatted(row, previous, labels.length));
      }
      checkLabel(logits, row, labels[row]);
      previous = row;
    }
  }

  /// Gradient of rows `begin..end-1`, and the sum of their losses.
  private static double range(
      DenseMatrix z, int[] labels, int[] rows, float weight, int begin, int end) {
    int at = Arrays.binarySearch(rows, begin);
    int next = at < 0 ? -at - 1 : at;
    int done = begin;
    double sum = 0;
    for (; next < rows.length && rows[next] < end; next++) {
      int row = rows[next];
      clear(z, done, row);
      sum += row(z, row, labels[row], weight);
      done = row + 1;
    }
    clear(z, done, end);
    return sum;
  }

  private static void clear(DenseMatrix z, long begin, long end) {
    z.data().asSlice(z.offset(begin), z.offset(end - begin)).fill((byte) 0);
  }

  private static double row(DenseMatrix z, int row, int label, float weight) {
    long at = z.offset(row);
    long labelAt = at + (long) label * Float.BYTES;
    float highest = highest(z.data(), at, z.cols());
    double margin = (double) highest - z.data().get(FLOAT, labelAt);
    float sum = exponentials(z.data(), at, z.cols(), highest);
    scale(z.data(), at, z.cols(), weight / sum);
    z.data().set(FLOAT, labelAt, z.data().get(FLOAT, labelAt) - weight);
    return StrictMath.log(sum) + margin;
  }

  private static float highest(MemorySegment z, long at, int cols) {
    FloatVector lowest = FloatVector.broadcast(SPECIES, Float.NEGATIVE_INFINITY);
    FloatVector highest = lowest;
    int j = 0;
    for (; j + LANES <= cols; j += LANES) {
      highest = highest.max(FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER));
    }
    if (j < cols) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, cols);
      FloatVector v = FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER, inside);
      highest = highest.max(lowest.blend(v, inside));
    }
    return highest.reduceLanes(VectorOperators.MAX);
  }

  private static long place(long at, int j) {
    return at + (long) j * Float.BYTES;
  }

  /// Replaces a row by `exp(z - highest)` and returns its sum.
  private static float exponentials(MemorySegment z, long at, int cols, float highest) {
    FloatVector sum = FloatVector.zero(SPECIES);
    int j = 0;
    for (; j + LANES <= cols; j += LANES) {
      FloatVector v = FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER);
      FloatVector e = exp(v.sub(highest));
      e.intoMemorySegment(z, place(at, j), ORDER);
      sum = sum.add(e);
    }
    if (j < cols) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, cols);
      FloatVector v = FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER, inside);
      FloatVector e = exp(v.sub(highest));
      e.intoMemorySegment(z, place(at, j), ORDER, inside);
      sum = sum.add(FloatVector.zero(SPECIES).blend(e, inside));
    }
    return Lanes.sum(sum);
  }

  private static void scale(MemorySegment z, long at, int cols, float factor) {
    int j = 0;
    for (; j + LANES <= cols; j += LANES) {
      FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER)
          .mul(factor)
          .intoMemorySegment(z, place(at, j), ORDER);
    }
    if (j < cols) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, cols);
      FloatVector.fromMemorySegment(SPECIES, z, place(at, j), ORDER, inside)
          .mul(factor)
          .intoMemorySegment(z, place(at, j), ORDER, inside);
    }
  }

  /// {@return the exponential for `x <= 0`: `2^n exp(r)` with `n` the nearest integer to `x / ln 2`
  /// and the Cephes library's polynomial for `exp(r)`}
  ///
  /// @param x each lane at most 0
  public static FloatVector exp(FloatVector x) {
    FloatVector rounded =
        x.fma(FloatVector.broadcast(SPECIES, LOG2_E), FloatVector.broadcast(SPECIES, ROUNDER));
    FloatVector n = rounded.sub(ROUNDER);
    FloatVector r = n.fma(FloatVector.broadcast(SPECIES, -LN2_HIGH), x);
    r = n.fma(FloatVector.broadcast(SPECIES, -LN2_LOW), r);
    FloatVector p = FloatVector.broadcast(SPECIES, 1.9875691e-4f);
    p = p.fma(r, FloatVector.broadcast(SPECIES, 0.0013981999f));
    p = p.fma(r, FloatVector.broadcast(SPECIES, 0.008333452f));
    p = p.fma(r, FloatVector.broadcast(SPECIES, 0.041665796f));
    p = p.fma(r, FloatVector.broadcast(SPECIES, 0.16666666f));
    p = p.fma(r, FloatVector.broadcast(SPECIES, 0.5f));
    p = p.fma(r.mul(r), r.add(1f));
    IntVector power = rounded.reinterpretAsInts().lanewise(VectorOperators.LSHL, 23);
    FloatVector e = p.reinterpretAsInts().add(power).reinterpretAsFloats();
    return e.blend(0f, x.compare(VectorOperators.LT, LOWEST))
        .blend(Float.NaN, x.test(VectorOperators.IS_NAN));
  }
}
