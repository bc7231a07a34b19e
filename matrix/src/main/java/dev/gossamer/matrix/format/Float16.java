package dev.gossamer.matrix.format;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/// Rows of IEEE 754 binary16: 5 bits of exponent and 11 of precision.
///
/// Narrowing rounds to the nearest, ties to even; from 65520 on it gives infinity, and below
/// `2^-14` the spacing stays `2^-24`. NaN becomes quiet. Widening is exact.
final class Float16 {
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Short> SHORTS =
      VectorSpecies.of(short.class, VectorShape.forBitSize(INTS.vectorBitSize() / 2));
  private static final int LANES = INTS.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Bits by which a float32 fraction is longer.
  private static final int SHIFT = 13;

  /// The difference of the two exponent biases, in the place of a float32 exponent.
  private static final int REBIAS = (127 - 15) << 23;

  private static final int SIGN = 0x8000;
  private static final int INFINITY = 0x7F800000;
  private static final int INFINITY_16 = 0x7C00;
  private static final int NAN_16 = 0x7E00;

  /// The float32 bits of 65536, which has no finite neighbour in 16 bits.
  private static final int TOO_LARGE = 0x47800000;

  /// The float32 bits of `2^-14`, the smallest normal number in 16 bits.
  private static final int SMALLEST_NORMAL = 0x38800000;

  /// The bits of 0.5, whose float32 neighbours lie `2^-24` apart: adding it rounds a small number
  /// to a multiple of the 16-bit spacing.
  private static final int HALF = 0x3F000000;

  /// All bits of a widened exponent, before its bias is changed.
  private static final int EXPONENT = INFINITY_16 << SHIFT;

  private Float16() {}

  /// `to[i] = x[i]`, narrowed, by address.
  static void narrowRow(long x, long to, int cols) {
    int whole = cols / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      IntVector all =
          IntVector.fromMemorySegment(
              INTS, Memory.ALL, Memory.at(x + (long) j * Float.BYTES), ORDER);
      IntVector bits = all.and(Integer.MAX_VALUE);
      IntVector sign = all.lanewise(VectorOperators.LSHR, 16).and(SIGN);
      IntVector odd = bits.lanewise(VectorOperators.LSHR, SHIFT).and(1);
      IntVector normal = bits.add(0xFFF - REBIAS).add(odd).lanewise(VectorOperators.LSHR, SHIFT);
      IntVector small = bits.reinterpretAsFloats().add(0.5f).reinterpretAsInts().sub(HALF);
      VectorMask<Integer> tiny = bits.compare(VectorOperators.LT, SMALLEST_NORMAL);
      VectorMask<Integer> large = bits.compare(VectorOperators.GE, TOO_LARGE);
      VectorMask<Integer> nan = bits.compare(VectorOperators.GT, INFINITY);
      normal
          .blend(small, tiny)
          .blend(INFINITY_16, large)
          .blend(NAN_16, nan)
          .or(sign)
          .convertShape(VectorOperators.I2S, SHORTS, 0)
          .reinterpretAsShorts()
          .intoMemorySegment(Memory.ALL, Memory.at(to + (long) j * Short.BYTES), ORDER);
    }
    for (int j = whole; j < cols; j++) {
      float v = Memory.ALL.get(FLOAT, Memory.at(x + (long) j * Float.BYTES));
      Memory.ALL.set(SHORT, Memory.at(to + (long) j * Short.BYTES), Float.floatToFloat16(v));
    }
  }

  /// `to[i] = x[i]`, widened, by address.
  static void widenRow(long x, long to, int cols) {
    int whole = cols / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      widened(x + (long) j * Short.BYTES)
          .intoMemorySegment(Memory.ALL, Memory.at(to + (long) j * Float.BYTES), ORDER);
    }
    for (int j = whole; j < cols; j++) {
      short v = Memory.ALL.get(SHORT, Memory.at(x + (long) j * Short.BYTES));
      Memory.ALL.set(FLOAT, Memory.at(to + (long) j * Float.BYTES), Float.float16ToFloat(v));
    }
  }

  /// `to[i] += x[i]`, widened, by address.
  static void addRow(long x, long to, int cols) {
    int whole = cols / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      long at = Memory.at(to + (long) j * Float.BYTES);
      FloatVector.fromMemorySegment(FLOATS, Memory.ALL, at, ORDER)
          .add(widened(x + (long) j * Short.BYTES).reinterpretAsFloats())
          .intoMemorySegment(Memory.ALL, at, ORDER);
    }
    for (int j = whole; j < cols; j++) {
      long at = Memory.at(to + (long) j * Float.BYTES);
      short v = Memory.ALL.get(SHORT, Memory.at(x + (long) j * Short.BYTES));
      Memory.ALL.set(FLOAT, at, Memory.ALL.get(FLOAT, at) + Float.float16ToFloat(v));
    }
  }

  /// The float32 bits of a vector of numbers.
  private static IntVector widened(long at) {
    IntVector h =
        ShortVector.fromMemorySegment(SHORTS, Memory.ALL, Memory.at(at), ORDER)
            .convertShape(VectorOperators.ZERO_EXTEND_S2I, INTS, 0)
            .reinterpretAsInts();
    IntVector sign = h.and(SIGN).lanewise(VectorOperators.LSHL, 16);
    IntVector shifted = h.and(SIGN - 1).lanewise(VectorOperators.LSHL, SHIFT);
    IntVector exponent = shifted.and(EXPONENT);
    IntVector normal = shifted.add(REBIAS);
    // Zero and the subnormal: as if their exponent were 1 with a leading one, which is taken away.
    IntVector small =
        shifted.add(SMALLEST_NORMAL).reinterpretAsFloats().sub(0x1p-14f).reinterpretAsInts();
    return normal
        .blend(small, exponent.eq(0))
        .blend(normal.add(REBIAS), exponent.eq(EXPONENT))
        .or(sign);
  }
}
