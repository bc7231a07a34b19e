package dev.gossamer.matrix.kernel;

import dev.gossamer.matrix.Workers;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The softmax over the edges that come into one target, head by head, and its backward pass, for
/// one thread. Edges are summed in ascending order.
///
/// Rows are addresses, as in [SpmmRows]. The numbers of a target's edges are worked on in Java
/// arrays, as many edges at a time as fit; where all fit, they are read and written once. Heads are
/// the outer loops: there are few of them, and short inner loops are slow.
final class EdgeSoftmax {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final MemorySegment ALL = Memory.ALL;

  /// The sign bit of a float32.
  private static final int SIGN = 31;

  /// Slopes of the scores' activation and weights of coefficients by sign, positive first: a
  /// look-up where a branch would be taken at random.
  private static final float[] SLOPES = {1f, Attention.SLOPE};

  private static final float[] KEPT = {1f, 0f};

  private final int heads;
  private final int block;
  private final float[] numbers = new float[Workers.SCRATCH_ELEMENTS];
  private final float[] gradients = new float[Workers.SCRATCH_ELEMENTS];
  private final float[] ofHeads;

  EdgeSoftmax(int heads) {
    this.heads = heads;
    block = Workers.SCRATCH_ELEMENTS / heads;
    ofHeads = new float[heads];
  }

  /// The coefficients of a target: `alpha[k] = softmax over k of leaky(e[id[k]] + own)`.
  ///
  /// @param ids address of the sources, `int32[count]`
  /// @param e address of row 0 of the sources' scores
  /// @param pitch bytes from row to row of `e`
  /// @param own address of the target's scores, `float32[heads]`
  /// @param alpha address of the result, `count x heads`, overwritten
  void row(long ids, long count, long e, long pitch, long own, long alpha) {
    boolean whole = count <= block;
    Arrays.fill(ofHeads, Float.NEGATIVE_INFINITY);
    for (long k = 0; k < count; k += block) {
      int part = (int) Math.min(block, count - k);
      for (int h = 0; h < heads; h++) {
        float mine = ALL.get(FLOAT, Memory.at(own + (long) h * Float.BYTES));
        scores(ids + k * Integer.BYTES, part, e + (long) h * Float.BYTES, pitch, mine, h);
      }
      storeUnless(whole, numbers, alpha, k, part);
    }
    float[] highest = ofHeads.clone();
    Arrays.fill(ofHeads, 0f);
    for (long k = 0; k < count; k += block) {
      int part = (int) Math.min(block, count - k);
      loadUnless(whole, numbers, alpha, k, part);
      for (int h = 0; h < heads; h++) {
        shift(part, h, highest[h]);
      }
      exponentials(part * heads);
      for (int h = 0; h < heads; h++) {
        sum(part, h);
      }
      storeUnless(whole, numbers, alpha, k, part);
    }
    for (long k = 0; k < count; k += block) {
      int part = (int) Math.min(block, count - k);
      loadUnless(whole, numbers, alpha, k, part);
      for (int h = 0; h < heads; h++) {
        scale(part, h, 1f / ofHeads[h]);
      }
      storeUnless(false, numbers, alpha, k, part);
    }
  }

  /// The scores of a head, and the largest so far.
  private void scores(long ids, int part, long e, long pitch, float own, int h) {
    float[] to = numbers;
    float largest = ofHeads[h];
    int i = h;
    for (int k = 0; k < part; k++, i += heads) {
      long u = ALL.get(INT, Memory.at(ids + (long) k * Integer.BYTES));
      float score = ALL.get(FLOAT, Memory.at(e + u * pitch)) + own;
      score *= SLOPES[Float.floatToRawIntBits(score) >>> SIGN];
      to[i] = score;
      largest = score > largest ? score : largest;
    }
    ofHeads[h] = largest;
  }

  private void shift(int part, int h, float largest) {
    float[] to = numbers;
    int i = h;
    for (int k = 0; k < part; k++, i += heads) {
      to[i] -= largest;
    }
  }

  private void sum(int part, int h) {
    float[] from = numbers;
    float sum = ofHeads[h];
    int i = h;
    for (int k = 0; k < part; k++, i += heads) {
      sum += from[i];
    }
    ofHeads[h] = sum;
  }

  private void scale(int part, int h, float factor) {
    float[] to = numbers;
    int i = h;
    for (int k = 0; k < part; k++, i += heads) {
      to[i] *= factor;
    }
  }

  /// Whole vectors: what is beyond the last number is overwritten.
  private void exponentials(int count) {
    float[] to = numbers;
    for (int i = 0; i < count; i += LANES) {
      SoftmaxCrossEntropy.exp(FloatVector.fromArray(SPECIES, to, i)).intoArray(to, i);
    }
  }

  /// The backward pass: the gradient of the scores from that of the coefficients.
  ///
  /// @param ids address of the sources, `int32[count]`
  /// @param e address of row 0 of the sources' scores
  /// @param pitch bytes from row to row of `e`
  /// @param own address of the target's scores, `float32[heads]`
  /// @param alpha address of the coefficients, negative where they were dropped
  /// @param dropped what kept coefficients were multiplied by
  /// @param g address of the gradient, `count x heads`: of the coefficients as they were used in,
  ///   of `e[id[k]] + own` out
  /// @param sums address of the sum of the latter over `k`, `float32[heads]`, overwritten
  void backwardRow(
      long ids,
      long count,
      long e,
      long pitch,
      long own,
      long alpha,
      float dropped,
      long g,
      long sums) {
    boolean whole = count <= block;
    Arrays.fill(ofHeads, 0f);
    for (long k = 0; k < count; k += block) {
      int part = (int) Math.min(block, count - k);
      loadUnless(false, numbers, alpha, k, part);
      loadUnless(false, gradients, g, k, part);
      for (int h = 0; h < heads; h++) {
        keep(part, h, dropped);
      }
      storeUnless(whole, gradients, g, k, part);
    }
    float[] means = ofHeads.clone();
    Arrays.fill(ofHeads, 0f);
    for (long k = 0; k < count; k += block) {
      int part = (int) Math.min(block, count - k);
      loadUnless(whole, numbers, alpha, k, part);
      loadUnless(whole, gradients, g, k, part);
      for (int h = 0; h < heads; h++) {
        float mine = ALL.get(FLOAT, Memory.at(own + (long) h * Float.BYTES));
        long column = e + (long) h * Float.BYTES;
        scoreGradients(ids + k * Integer.BYTES, part, column, pitch, mine, means[h], h);
      }
      storeUnless(false, gradients, g, k, part);
    }
    MemorySegment.copy(ofHeads, 0, ALL, FLOAT, Memory.at(sums), heads);
  }

  /// The gradients of the coefficients before dropout, and the sum of their products.
  private void keep(int part, int h, float dropped) {
    float[] a = numbers;
    float[] g = gradients;
    float mean = ofHeads[h];
    int i = h;
    for (int k = 0; k < part; k++, i += heads) {
      float kept = dropped * KEPT[Float.floatToRawIntBits(a[i]) >>> SIGN] * g[i];
      g[i] = kept;
      mean += Math.abs(a[i]) * kept;
    }
    ofHeads[h] = mean;
  }

  private void scoreGradients(
      long ids, int part, long e, long pitch, float own, float mean, int h) {
    float[] a = numbers;
    float[] g = gradients;
    float sum = ofHeads[h];
    int i = h;
    for (int k = 0; k < part; k++, i += heads) {
      long u = ALL.get(INT, Memory.at(ids + (long) k * Integer.BYTES));
      float score = ALL.get(FLOAT, Memory.at(e + u * pitch)) + own;
      float gradient = Math.abs(a[i]) * (g[i] - mean);
      gradient *= SLOPES[Float.floatToRawIntBits(score) >>> SIGN];
      g[i] = gradient;
      sum += gradient;
    }
    ofHeads[h] = sum;
  }

  private void loadUnless(boolean there, float[] to, long from, long k, int part) {
    if (!there) {
      long at = Memory.at(from + k * heads * Float.BYTES);
      MemorySegment.copy(ALL, FLOAT, at, to, 0, part * heads);
    }
  }

  private void storeUnless(boolean later, float[] from, long to, long k, int part) {
    if (!later) {
      long at = Memory.at(to + k * heads * Float.BYTES);
      MemorySegment.copy(from, 0, ALL, FLOAT, at, part * heads);
    }
  }
}
