package dev.gossamer.matrix.kernel;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// What the edges that go out of one source weigh, by the numbers that they have where they come
/// in, and the sum of their scores' gradients, for one thread. Edges are summed in ascending order.
final class TransposedWeights {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int heads;
  private final EdgeNumbers layout;
  private final int[] numbers = new int[Workers.SCRATCH_ELEMENTS];
  private final float[] weights;
  private final float[] sums;

  TransposedWeights(int heads) {
    this.heads = heads;
    layout = new EdgeNumbers(heads);
    weights = layout.array();
    sums = layout.ofHeads();
  }

  /// Edges that [#gather] takes at most.
  int block() {
    return layout.block();
  }

  /// What [#gather] made.
  float[] weights() {
    return weights;
  }

  /// Turns to a source.
  void begin() {
    Arrays.fill(sums, 0f);
  }

  /// Takes the weights of consecutive entries, and adds their scores' gradients up.
  ///
  /// @param first entry
  /// @param alpha coefficients, negative where they are dropped
  /// @param scale of the others
  /// @param g gradients of the scores
  void gather(
      EdgePattern.Transposed edges,
      long first,
      int count,
      DenseMatrix alpha,
      float scale,
      DenseMatrix g) {
    MemorySegment.copy(edges.edges(), INT, first * Integer.BYTES, numbers, 0, count);
    for (int p = 0; p < layout.stride(); p += LANES) {
      long shift = (long) p * Float.BYTES;
      gather(p, count, alpha.data().address() + shift, scale, g.data().address() + shift);
    }
  }

  private void gather(int p, int count, long alpha, float scale, long g) {
    VectorMask<Float> inside = SPECIES.indexInRange(p, heads);
    FloatVector sum = FloatVector.fromArray(SPECIES, sums, p);
    long pitch = (long) heads * Float.BYTES;
    int step = layout.stride();
    for (int k = 0, at = p; k < count; k++, at += step) {
      long row = Integer.toUnsignedLong(numbers[k]) * pitch;
      FloatVector a =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(alpha + row), ORDER, inside);
      a.mul(scale).blend(0f, a.compare(VectorOperators.LT, 0f)).intoArray(weights, at);
      sum =
          sum.add(
              FloatVector.fromMemorySegment(
                  SPECIES, Memory.ALL, Memory.at(g + row), ORDER, inside));
    }
    sum.intoArray(sums, p);
  }

  /// Puts the sums of the scores' gradients where they belong.
  ///
  /// @param to address of `float32[heads]`
  void sums(long to) {
    MemorySegment.copy(sums, 0, Memory.ALL, FLOAT, Memory.at(to), heads);
  }
}
