package dev.gossamer.matrix.dense;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// One step of gradient descent with momentum on flat segments, in a single sweep: `m = mu m + s g
/// + d w; w = w - lr m`.
///
/// Every operation is rounded to float32 separately, so that the result of an element depends only
/// on its own values. Reads 12 bytes per element and writes 8.
///
/// @param rate `lr`
/// @param momentum `mu`
/// @param gradientScale `s`, factor of the gradients
/// @param decay `d`
public record MomentumStep(float rate, float momentum, float gradientScale, float decay) {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Updates the elements `begin..end-1`.
  ///
  /// @param weights overwritten
  /// @param gradients read
  /// @param velocities `m`, overwritten
  /// @param begin first element
  /// @param end the element after the last
  /// @throws IndexOutOfBoundsException if a segment is shorter than `end` floats
  public void apply(
      MemorySegment weights,
      MemorySegment gradients,
      MemorySegment velocities,
      long begin,
      long end) {
    Memory.hold(
        () -> held(weights, gradients, velocities, begin, end), weights, gradients, velocities);
  }

  private void held(
      MemorySegment weights,
      MemorySegment gradients,
      MemorySegment velocities,
      long begin,
      long end) {
    long from = begin * Float.BYTES;
    long bytes = (end - begin) * Float.BYTES;
    long w = Memory.address(weights, from, bytes);
    long g = Memory.address(gradients, from, bytes);
    long m = Memory.address(velocities, from, bytes);
    long whole = (end - begin) / LANES * LANES;
    for (long i = 0; i < whole * Float.BYTES; i += (long) LANES * Float.BYTES) {
      FloatVector weight = load(w + i);
      FloatVector velocity =
          load(m + i).mul(momentum).add(load(g + i).mul(gradientScale)).add(weight.mul(decay));
      velocity.intoMemorySegment(Memory.ALL, Memory.at(m + i), ORDER);
      weight.sub(velocity.mul(rate)).intoMemorySegment(Memory.ALL, Memory.at(w + i), ORDER);
    }
    for (long i = begin + whole; i < end; i++) {
      long at = i * Float.BYTES;
      float weight = weights.get(FLOAT, at);
      float gradient = gradientScale * gradients.get(FLOAT, at);
      float velocity = momentum * velocities.get(FLOAT, at) + gradient + decay * weight;
      velocities.set(FLOAT, at, velocity);
      weights.set(FLOAT, at, weight - rate * velocity);
    }
  }

  private static FloatVector load(long address) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(address), ORDER);
  }
}
