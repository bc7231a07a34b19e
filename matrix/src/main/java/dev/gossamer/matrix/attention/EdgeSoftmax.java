package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.dense.Softmax;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// The softmax over the edges that come into one target, head by head, and its backward pass, for
/// one thread. Sums have an order that depends on the number of edges only.
///
/// Rows are addresses, as in [dev.gossamer.matrix.sparse.SpmmRows]. Ids and numbers of a target's
/// edges are first copied into Java arrays, as many edges at a time as fit; all loops are over
/// those ([EdgeNumbers]). Where all edges fit, numbers are read and written once.
final class EdgeSoftmax {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// The loops over vectors, behind an interface: inlined into one caller they would run into the
  /// compiler's limits, and vectors end up as objects.
  private static final Loop[] LOOPS = {
    EdgeSoftmax::activate,
    EdgeSoftmax::exponentials,
    EdgeSoftmax::scale,
    EdgeSoftmax::clampedScale,
    EdgeSoftmax::keep,
    EdgeSoftmax::scoreGradients
  };

  private static final int ACTIVATE = 0;
  private static final int EXPONENTIALS = 1;
  private static final int SCALE = 2;
  private static final int WEIGH = 3;
  private static final int KEEP = 4;
  private static final int SCORE_GRADIENTS = 5;

  /// Goes over the numbers of some edges.
  @FunctionalInterface
  private interface Loop {
    /// @param end elements up to the last edge's end
    /// @param factor of the loops that multiply
    void run(EdgeSoftmax softmax, int end, float factor);
  }

  private final int heads;
  private final EdgeNumbers layout;
  private final int period;
  private final int block;
  private final int[] ids = new int[Workers.SCRATCH_ELEMENTS];
  private final float[] numbers;
  private final float[] gradients;
  private final float[] scores;
  private final float[] ofEdges;
  private final float[] own;
  private final float[] highest;
  private final float[] weighed;
  private final float[] sums;

  private long columns;
  private long logWeights;
  private long edgeScores;
  private long count;
  private long e;
  private long pitch;

  EdgeSoftmax(int heads) {
    this.heads = heads;
    layout = new EdgeNumbers(heads);
    period = layout.period();
    block = layout.block();
    numbers = layout.array();
    gradients = layout.array();
    scores = layout.array();
    ofEdges = layout.array();
    own = layout.ofHeads();
    highest = layout.ofHeads();
    weighed = layout.ofHeads();
    sums = layout.ofHeads();
  }

  /// Edges that are worked on at a time.
  int block() {
    return block;
  }

  /// The sources of the edges that are worked on.
  int[] ids() {
    return ids;
  }

  /// Coefficients, or weights, of the edges that are worked on.
  float[] numbers() {
    return numbers;
  }

  /// Gradients of the coefficients of the edges that are worked on.
  float[] gradients() {
    return gradients;
  }

  /// Turns to a target.
  ///
  /// @param columns address of the sources, `int32[count]`
  /// @param logWeights address of what is added to the activated scores, `float32[count]`; 0 for
  ///   nothing
  /// @param edgeScores address of what is added to the scores of the ends, `count x heads`; 0 for
  ///   nothing
  /// @param e address of row 0 of the sources' scores
  /// @param pitch bytes from row to row of `e`
  /// @param own address of the target's scores, `float32[heads]`
  void target(
      long columns, long logWeights, long edgeScores, long count, long e, long pitch, long own) {
    this.columns = columns;
    this.logWeights = logWeights;
    this.edgeScores = edgeScores;
    this.count = count;
    this.e = e;
    this.pitch = pitch;
    layout.loadOfHeads(own, this.own);
  }

  /// Begins the softmax of the target: largest scores, exponentials and their sums.
  ///
  /// @param alpha address of the target's coefficients, `count x heads`: overwritten if there are
  ///   more than [#block]
  void begin(long alpha) {
    Arrays.fill(highest, Float.NEGATIVE_INFINITY);
    Arrays.fill(weighed, Float.NEGATIVE_INFINITY);
    for (long k = 0; k < count; k += block) {
      int part = ids(k);
      layout.gather(ids, part, e, pitch, numbers);
      addOwnScores(numbers, k, part);
      layout.pad(numbers, part, Float.NEGATIVE_INFINITY);
      run(ACTIVATE, part, 0f);
      if (logWeights != 0) {
        weighScores(k, part);
      }
      storeUnlessWhole(numbers, alpha, k, part);
    }
    if (logWeights != 0) {
      System.arraycopy(weighed, 0, highest, 0, period);
    }
    layout.largest(highest);
    Arrays.fill(sums, 0f);
    for (long k = 0; k < count; k += block) {
      int part = part(k);
      loadUnlessWhole(numbers, alpha, k, part);
      layout.pad(numbers, part, Float.NEGATIVE_INFINITY);
      run(EXPONENTIALS, part, 0f);
      storeUnlessWhole(numbers, alpha, k, part);
    }
    layout.addUp(sums);
    for (int i = 0; i < period; i++) {
      sums[i] = 1f / sums[i];
    }
  }

  /// Adds the scores that edges have of their own.
  private void addOwnScores(float[] to, long k, int part) {
    if (edgeScores == 0) {
      return;
    }
    layout.load(at(edgeScores, k), part, ofEdges);
    int end = part * layout.stride();
    for (int i = 0; i < end; i++) {
      to[i] += ofEdges[i];
    }
  }

  /// `w exp(s)` is `exp(s + log w)`, and 0 of an edge without weight, however large its score.
  private void weighScores(long k, int part) {
    for (int i = 0, at = 0; i < part; i++, at += layout.stride()) {
      float add = Memory.ALL.get(FLOAT, Memory.at(logWeights + (k + i) * Float.BYTES));
      for (int h = 0; h < heads; h++) {
        numbers[at + h] += add;
        weighed[h] = Math.max(weighed[h], numbers[at + h]);
      }
    }
  }

  /// The coefficients of the edges from `k` on, as [#numbers]: `softmax over k of leaky(e[id[k]] +
  /// own)`, with the scores of edges if they have some.
  ///
  /// @param alpha as in [#begin]
  /// @return edges
  int coefficients(long alpha, long k) {
    int part = part(k);
    if (count > block) {
      ids(k);
      loadUnlessWhole(numbers, alpha, k, part);
    }
    run(SCALE, part, 0f);
    return part;
  }

  /// Keeps the coefficients of the edges from `k` on.
  void store(long alpha, long k, int part) {
    layout.store(numbers, part, at(alpha, k));
  }

  /// Makes weights of the coefficients: zero if they are negative, else multiplied.
  void weigh(int part, float factor) {
    run(WEIGH, part, factor);
  }

  /// Reads the sources of the edges from `k` on.
  ///
  /// @return edges
  int ids(long k) {
    int part = part(k);
    long at = Memory.at(columns + k * Integer.BYTES);
    MemorySegment.copy(Memory.ALL, INT, at, ids, 0, part);
    return part;
  }

  /// Begins the backward pass.
  void beginBackward() {
    Arrays.fill(sums, 0f);
  }

  /// The gradients of the coefficients before dropout, and the sum of their products.
  ///
  /// @param alpha address of the coefficients, negative where they were dropped
  /// @param dropped what kept coefficients were multiplied by
  /// @param g address of what [#finishBackward] makes, overwritten if there are more than [#block]
  ///   edges
  void keep(long alpha, long k, int part, float dropped, long g) {
    layout.load(at(alpha, k), part, numbers);
    layout.pad(numbers, part, 0f);
    layout.pad(gradients, part, 0f);
    run(KEEP, part, dropped);
    storeUnlessWhole(gradients, at(g, count), k, part);
  }

  /// The gradients of the scores from those of the coefficients.
  ///
  /// @param alpha as in [#keep]
  /// @param dropped as in [#keep]
  /// @param g address of the result, `count x 2 heads`, overwritten: of each edge what its source
  ///   weighs, and then the gradients of `e[id[k]] + own`. Where [#keep] put something, it is in
  ///   the second half, and read before it is overwritten.
  /// @param to address of the sum of the gradients over `k`, `float32[heads]`, overwritten
  void finishBackward(long alpha, float dropped, long g, long to) {
    layout.addUp(sums);
    System.arraycopy(sums, 0, highest, 0, period);
    Arrays.fill(sums, 0f);
    for (long k = 0; k < count; k += block) {
      int part = part(k);
      if (count > block) {
        ids(k);
      }
      loadUnlessWhole(numbers, alpha, k, part);
      loadUnlessWhole(gradients, at(g, count), k, part);
      layout.pad(numbers, part, 0f);
      layout.pad(gradients, part, 0f);
      layout.gather(ids, part, e, pitch, scores);
      addOwnScores(scores, k, part);
      layout.pad(scores, part, 0f);
      run(SCORE_GRADIENTS, part, 0f);
      run(WEIGH, part, dropped);
      layout.storePairs(numbers, gradients, part, at(g, 2 * k));
    }
    layout.addUp(sums);
    MemorySegment.copy(sums, 0, Memory.ALL, FLOAT, Memory.at(to), heads);
  }

  private int part(long k) {
    return (int) Math.min(block, count - k);
  }

  private long at(long numbers, long k) {
    return numbers + k * heads * Float.BYTES;
  }

  private void loadUnlessWhole(float[] to, long from, long k, int part) {
    if (count > block) {
      layout.load(at(from, k), part, to);
    }
  }

  private void storeUnlessWhole(float[] from, long to, long k, int part) {
    if (count > block) {
      layout.store(from, part, at(to, k));
    }
  }

  private void run(int loop, int part, float factor) {
    LOOPS[loop].run(this, part * layout.stride(), factor);
  }

  private void activate(int end, float unused) {
    float[] to = numbers;
    for (int p = 0; p < period; p += LANES) {
      FloatVector mine = FloatVector.fromArray(SPECIES, own, p);
      FloatVector largest = FloatVector.fromArray(SPECIES, highest, p);
      for (int i = p; i < end; i += period) {
        FloatVector score = FloatVector.fromArray(SPECIES, to, i).add(mine);
        score = score.blend(score.mul(Attention.SLOPE), score.compare(VectorOperators.LT, 0f));
        score.intoArray(to, i);
        largest = largest.blend(score, score.compare(VectorOperators.GT, largest));
      }
      largest.intoArray(highest, p);
    }
  }

  private void exponentials(int end, float unused) {
    float[] to = numbers;
    for (int p = 0; p < period; p += LANES) {
      FloatVector largest = FloatVector.fromArray(SPECIES, highest, p);
      FloatVector sum = FloatVector.fromArray(SPECIES, sums, p);
      for (int i = p; i < end; i += period) {
        FloatVector power = Softmax.exp(FloatVector.fromArray(SPECIES, to, i).sub(largest));
        power.intoArray(to, i);
        sum = sum.add(power);
      }
      sum.intoArray(sums, p);
    }
  }

  private void scale(int end, float unused) {
    float[] to = numbers;
    for (int p = 0; p < period; p += LANES) {
      FloatVector factor = FloatVector.fromArray(SPECIES, sums, p);
      for (int i = p; i < end; i += period) {
        FloatVector.fromArray(SPECIES, to, i).mul(factor).intoArray(to, i);
      }
    }
  }

  private void clampedScale(int end, float factor) {
    float[] to = numbers;
    for (int i = 0; i < end; i += LANES) {
      FloatVector a = FloatVector.fromArray(SPECIES, to, i);
      a.mul(factor).blend(0f, a.compare(VectorOperators.LT, 0f)).intoArray(to, i);
    }
  }

  private void keep(int end, float dropped) {
    float[] a = numbers;
    float[] g = gradients;
    for (int p = 0; p < period; p += LANES) {
      FloatVector mean = FloatVector.fromArray(SPECIES, sums, p);
      for (int i = p; i < end; i += period) {
        FloatVector alpha = FloatVector.fromArray(SPECIES, a, i);
        VectorMask<Float> drops = alpha.compare(VectorOperators.LT, 0f);
        FloatVector kept = FloatVector.fromArray(SPECIES, g, i).mul(dropped).blend(0f, drops);
        kept.intoArray(g, i);
        mean = alpha.abs().fma(kept, mean);
      }
      mean.intoArray(sums, p);
    }
  }

  private void scoreGradients(int end, float unused) {
    float[] a = numbers;
    float[] g = gradients;
    float[] s = scores;
    for (int p = 0; p < period; p += LANES) {
      FloatVector mine = FloatVector.fromArray(SPECIES, own, p);
      FloatVector mean = FloatVector.fromArray(SPECIES, highest, p);
      FloatVector sum = FloatVector.fromArray(SPECIES, sums, p);
      for (int i = p; i < end; i += period) {
        FloatVector alpha = FloatVector.fromArray(SPECIES, a, i).abs();
        FloatVector score = FloatVector.fromArray(SPECIES, s, i).add(mine);
        FloatVector gradient = FloatVector.fromArray(SPECIES, g, i).sub(mean).mul(alpha);
        VectorMask<Float> negative = score.compare(VectorOperators.LT, 0f);
        gradient = gradient.blend(gradient.mul(Attention.SLOPE), negative);
        gradient.intoArray(g, i);
        sum = sum.add(gradient);
      }
      sum.intoArray(sums, p);
    }
  }
}
