package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/// The sum of the squares of flat gradients.
public final class SquareSum {
  private static final VectorSpecies<Double> DOUBLES = DoubleVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Float> HALVES =
      VectorSpecies.of(float.class, VectorShape.forBitSize(DOUBLES.vectorBitSize() / 2));
  private static final int LANES = DOUBLES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Elements that are summed by themselves first.
  private static final int BLOCK = 1 << 14;

  private SquareSum() {}

  /// {@return the sum of squares in float64, by blocks of a fixed length in ascending order,
  /// independent of the number of threads} It is finite if and only if all elements are, because
  /// squares of float32 do not overflow float64.
  ///
  /// @param floats `float32[n]`
  /// @param w threads that share the work
  public static double of(MemorySegment floats, Workers w) {
    long n = floats.byteSize() / Float.BYTES;
    double[] sums = new double[Math.toIntExact(Math.ceilDiv(n, (long) BLOCK))];
    w.run(
        sums.length,
        (task, worker) -> {
          long begin = (long) task * BLOCK;
          sums[task] = block(floats, begin, (int) Math.min(BLOCK, n - begin));
        },
        floats);
    double sum = 0;
    for (double each : sums) {
      sum += each;
    }
    return sum;
  }

  private static double block(MemorySegment floats, long begin, int count) {
    long at = Memory.address(floats, begin * Float.BYTES, (long) count * Float.BYTES);
    int whole = count / (2 * LANES) * (2 * LANES);
    DoubleVector first = DoubleVector.zero(DOUBLES);
    DoubleVector second = DoubleVector.zero(DOUBLES);
    for (int i = 0; i < whole; i += 2 * LANES) {
      DoubleVector x = widened(at + (long) i * Float.BYTES);
      DoubleVector y = widened(at + (long) (i + LANES) * Float.BYTES);
      first = x.fma(x, first);
      second = y.fma(y, second);
    }
    double sum = 0;
    DoubleVector both = first.add(second);
    for (int lane = 0; lane < LANES; lane++) {
      sum += both.lane(lane);
    }
    for (int i = whole; i < count; i++) {
      double x = floats.get(FLOAT, (begin + i) * Float.BYTES);
      sum += x * x;
    }
    return sum;
  }

  private static DoubleVector widened(long address) {
    return (DoubleVector)
        FloatVector.fromMemorySegment(HALVES, Memory.ALL, Memory.at(address), ORDER)
            .convertShape(VectorOperators.F2D, DOUBLES, 0);
  }
}
