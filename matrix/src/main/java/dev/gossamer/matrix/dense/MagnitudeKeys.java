package dev.gossamer.matrix.dense;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// Magnitudes as integers with the same order: the bits of a float32 without its sign. Zero is 0,
/// infinity is `7F800000`, and NaN is above it.
public final class MagnitudeKeys {
  private static final VectorSpecies<Integer> SPECIES = IntVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private MagnitudeKeys() {}

  /// {@return the key of a number}
  ///
  /// @param x the number
  public static int of(float x) {
    return Float.floatToRawIntBits(x) & Integer.MAX_VALUE;
  }

  /// {@return the number of elements with at least a given key}
  ///
  /// @param floats `float32[n]`
  /// @param key of a number
  public static long countAtLeast(MemorySegment floats, int key) {
    long[] count = new long[1];
    Memory.hold(() -> count[0] = heldAtLeast(floats, key), floats);
    return count[0];
  }

  private static long heldAtLeast(MemorySegment floats, int key) {
    long n = floats.byteSize() / Float.BYTES;
    long at = Memory.address(floats, 0, n * Float.BYTES);
    long whole = n / LANES * LANES;
    long count = 0;
    for (long i = 0; i < whole; i += LANES) {
      long address = Memory.at(at + i * Float.BYTES);
      count +=
          IntVector.fromMemorySegment(SPECIES, Memory.ALL, address, ORDER)
              .and(Integer.MAX_VALUE)
              .compare(VectorOperators.GE, key)
              .trueCount();
    }
    for (long i = whole; i < n; i++) {
      count += of(floats.get(FLOAT, i * Float.BYTES)) >= key ? 1 : 0;
    }
    return count;
  }
}
