package dev.gossamer.matrix.dense;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// One step of Adam on flat segments, in a single sweep: `g' = s g + d w; m = b1 m + r1 g'; v = b2
/// v
/// + r2 g' g'; w = k w - lr m / (c sqrt(v) + e)`.
///
/// Every operation is rounded to float32 separately, so that the result of an element depends only
/// on its own values. Reads 16 bytes per element and writes 12.
///
/// @param beta1 `b1`
/// @param beta2 `b2`
/// @param rest1 `r1`, `1 - b1`
/// @param rest2 `r2`, `1 - b2`
/// @param gradientScale `s`, factor of the gradients
/// @param gradientDecay `d`, decay that is added to the gradient
/// @param keep `k`, factor of weights after decay
/// @param stepSize `lr`, with the correction of the first moment
/// @param rootCorrection `c`, the correction of the second moment
/// @param epsilon `e`
public record AdamStep(
    float beta1,
    float beta2,
    float rest1,
    float rest2,
    float gradientScale,
    float gradientDecay,
    float keep,
    float stepSize,
    float rootCorrection,
    float epsilon) {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Updates the elements `begin..end-1`.
  ///
  /// @param weights overwritten
  /// @param gradients read
  /// @param means first moments, overwritten
  /// @param squares second moments, overwritten
  /// @param begin first element
  /// @param end the element after the last
  /// @throws IndexOutOfBoundsException if a segment is shorter than `end` floats
  public void apply(
      MemorySegment weights,
      MemorySegment gradients,
      MemorySegment means,
      MemorySegment squares,
      long begin,
      long end) {
    Memory.hold(
        () -> held(weights, gradients, means, squares, begin, end),
        weights,
        gradients,
        means,
        squares);
  }

  private void held(
      MemorySegment weights,
      MemorySegment gradients,
      MemorySegment means,
      MemorySegment squares,
      long begin,
      long end) {
    long from = begin * Float.BYTES;
    long bytes = (end - begin) * Float.BYTES;
    long w = Memory.address(weights, from, bytes);
    long g = Memory.address(gradients, from, bytes);
    long m = Memory.address(means, from, bytes);
    long v = Memory.address(squares, from, bytes);
    long whole = (end - begin) / LANES * LANES;
    for (long i = 0; i < whole * Float.BYTES; i += (long) LANES * Float.BYTES) {
      FloatVector weight = load(w + i);
      FloatVector gradient = load(g + i).mul(gradientScale).add(weight.mul(gradientDecay));
      FloatVector mean = load(m + i).mul(beta1).add(gradient.mul(rest1));
      FloatVector square = load(v + i).mul(beta2).add(gradient.mul(rest2).mul(gradient));
      mean.intoMemorySegment(Memory.ALL, Memory.at(m + i), ORDER);
      square.intoMemorySegment(Memory.ALL, Memory.at(v + i), ORDER);
      FloatVector root = square.lanewise(VectorOperators.SQRT).mul(rootCorrection).add(epsilon);
      weight
          .mul(keep)
          .sub(mean.mul(stepSize).div(root))
          .intoMemorySegment(Memory.ALL, Memory.at(w + i), ORDER);
    }
    for (long i = begin + whole; i < end; i++) {
      long at = i * Float.BYTES;
      float weight = weights.get(FLOAT, at);
      float gradient = gradientScale * gradients.get(FLOAT, at) + gradientDecay * weight;
      float mean = beta1 * means.get(FLOAT, at) + rest1 * gradient;
      float square = beta2 * squares.get(FLOAT, at) + rest2 * gradient * gradient;
      means.set(FLOAT, at, mean);
      squares.set(FLOAT, at, square);
      float root = (float) Math.sqrt(square) * rootCorrection + epsilon;
      weights.set(FLOAT, at, keep * weight - stepSize * mean / root);
    }
  }

  private static FloatVector load(long address) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(address), ORDER);
  }
}
