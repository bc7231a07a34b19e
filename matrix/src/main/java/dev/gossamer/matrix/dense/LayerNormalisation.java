package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.Lanes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/// Normalisation of each row to mean 0 and variance 1, then a gain and a bias for each column (J.
/// Ba, J. Kiros and G. Hinton, 2016): `xhat = (x - mean) / sqrt(variance + epsilon)`, `y = gain
/// xhat + bias`, with the mean of squares around the mean as the variance.
///
/// Cost: two passes over `x` in cache, one over `y`.
public final class LayerNormalisation {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Floats that a task of the forward pass takes, about.
  private static final int TASK_FLOATS = 1 << 15;

  private LayerNormalisation() {}

  /// Computes `y`.
  ///
  /// @param x `n x f`
  /// @param gain `float32[f]`
  /// @param bias `float32[f]`
  /// @param epsilon added to the variance
  /// @param y `n x f`, overwritten
  /// @param moments `n x 2`, overwritten: mean of a row, and reciprocal of its deviation
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public static void forward(
      DenseMatrix x,
      MemorySegment gain,
      MemorySegment bias,
      float epsilon,
      DenseMatrix y,
      DenseMatrix moments,
      Workers w) {
    check(x, gain, y, moments);
    int f = x.cols();
    long row = x.offset(1);
    long from = Memory.address(x.data(), 0, x.offset(x.rows()));
    long to = Memory.address(y.data(), 0, y.offset(x.rows()));
    long gains = Memory.address(gain, 0, row);
    long biases = Memory.address(bias, 0, row);
    int rows = Math.max(1, TASK_FLOATS / f);
    w.run(
        Math.toIntExact(Math.ceilDiv(x.rows(), rows)),
        (task, worker) -> {
          long end = Math.min(x.rows(), (task + 1L) * rows);
          for (long i = (long) task * rows; i < end; i++) {
            float mean = sum(from + i * row, f) / f;
            float variance = squares(from + i * row, mean, f) / f;
            float scale = (float) (1 / Math.sqrt((double) variance + epsilon));
            moments.set(i, 0, mean);
            moments.set(i, 1, scale);
            normalise(from + i * row, mean, scale, gains, biases, to + i * row, f);
          }
        },
        x.data(),
        y.data(),
        gain,
        bias);
  }

  /// Computes the gradients: with `q = t gain`, `g = (q - mean(q) - xhat mean(q xhat)) /
  /// deviation`; the gradient of the gain is the sum over rows of `t xhat`, that of the bias the
  /// sum of `t`.
  ///
  /// @param x as in the forward pass
  /// @param gain `float32[f]`
  /// @param moments as written by the forward pass
  /// @param t `n x f`, gradient of `y`
  /// @param g `n x f`, overwritten; null if it is not needed
  /// @param sums `2 x f`, overwritten: gradients of gain and bias
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public static void backward(
      DenseMatrix x,
      MemorySegment gain,
      DenseMatrix moments,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix sums,
      Workers w) {
    check(x, gain, t, moments);
    DenseMatrix target = g == null ? t : g;
    check(x, gain, target, moments);
    int f = x.cols();
    long row = x.offset(1);
    long from = Memory.address(x.data(), 0, x.offset(x.rows()));
    long above = Memory.address(t.data(), 0, x.offset(x.rows()));
    long to = Memory.address(target.data(), 0, x.offset(x.rows()));
    long gains = Memory.address(gain, 0, row);
    RowParts parts = RowParts.of(x.rows(), 2 * f);
    w.run(
        parts.parts(),
        (part, worker) -> {
          MemorySegment own = parts.sums(part, w).fill((byte) 0);
          for (long i = parts.begin(part); i < parts.end(part); i++) {
            float mean = moments.get(i, 0);
            float scale = moments.get(i, 1);
            long at = i * row;
            addSums(from + at, above + at, mean, scale, own.address(), f);
            if (g != null) {
              gradient(from + at, above + at, gains, mean, scale, to + at, f);
            }
          }
        },
        x.data(),
        t.data(),
        target.data(),
        gain);
    sums.data().copyFrom(parts.total(w));
  }

  private static void check(DenseMatrix x, MemorySegment gain, DenseMatrix y, DenseMatrix moments) {
    if (y.rows() != x.rows()
        || y.cols() != x.cols()
        || moments.rows() != x.rows()
        || moments.cols() != 2
        || gain.byteSize() != x.offset(1)) {
      throw new IllegalArgumentException(
          "layer normalisation: x is %s, y or its gradient is %s, moments are %s, there are %d gains"
              .formatted(x, y, moments, gain.byteSize() / Float.BYTES));
    }
  }

  private static float sum(long x, int f) {
    FloatVector sum = FloatVector.zero(SPECIES);
    int j = 0;
    for (; j + LANES <= f; j += LANES) {
      sum = sum.add(load(x, j));
    }
    return Lanes.sum(j < f ? sum.add(load(x, j, SPECIES.indexInRange(j, f))) : sum);
  }

  private static float squares(long x, float mean, int f) {
    FloatVector sum = FloatVector.zero(SPECIES);
    int j = 0;
    for (; j + LANES <= f; j += LANES) {
      FloatVector d = load(x, j).sub(mean);
      sum = d.fma(d, sum);
    }
    if (j < f) {
      VectorMask<Float> rest = SPECIES.indexInRange(j, f);
      FloatVector d = FloatVector.zero(SPECIES).blend(load(x, j, rest).sub(mean), rest);
      sum = d.fma(d, sum);
    }
    return Lanes.sum(sum);
  }

  private static void normalise(
      long x, float mean, float scale, long gain, long bias, long y, int f) {
    int j = 0;
    for (; j + LANES <= f; j += LANES) {
      FloatVector xhat = load(x, j).sub(mean).mul(scale);
      xhat.fma(load(gain, j), load(bias, j)).intoMemorySegment(Memory.ALL, at(y, j), ORDER);
    }
    if (j < f) {
      VectorMask<Float> rest = SPECIES.indexInRange(j, f);
      FloatVector xhat = load(x, j, rest).sub(mean).mul(scale);
      xhat.fma(load(gain, j, rest), load(bias, j, rest))
          .intoMemorySegment(Memory.ALL, at(y, j), ORDER, rest);
    }
  }

  /// Adds `t xhat` to the first half of the sums and `t` to the second.
  private static void addSums(long x, long t, float mean, float scale, long sums, int f) {
    long second = sums + (long) f * Float.BYTES;
    int j = 0;
    for (; j + LANES <= f; j += LANES) {
      FloatVector xhat = load(x, j).sub(mean).mul(scale);
      FloatVector above = load(t, j);
      above.fma(xhat, load(sums, j)).intoMemorySegment(Memory.ALL, at(sums, j), ORDER);
      above.add(load(second, j)).intoMemorySegment(Memory.ALL, at(second, j), ORDER);
    }
    for (; j < f; j++) {
      float xhat = (get(x, j) - mean) * scale;
      float above = get(t, j);
      Memory.ALL.set(FLOAT, at(sums, j), Math.fma(above, xhat, get(sums, j)));
      Memory.ALL.set(FLOAT, at(second, j), above + get(second, j));
    }
  }

  private static void gradient(long x, long t, long gain, float mean, float scale, long g, int f) {
    int whole = f / LANES * LANES;
    VectorMask<Float> rest = SPECIES.indexInRange(whole, f);
    FloatVector sum = FloatVector.zero(SPECIES);
    FloatVector product = sum;
    for (int j = 0; j < whole; j += LANES) {
      FloatVector q = load(t, j).mul(load(gain, j));
      sum = sum.add(q);
      product = q.fma(load(x, j).sub(mean).mul(scale), product);
    }
    if (whole < f) {
      FloatVector q = load(t, whole, rest).mul(load(gain, whole, rest));
      sum = sum.add(q);
      product = q.fma(load(x, whole, rest).sub(mean).mul(scale), product);
    }
    float meanQ = Lanes.sum(sum) / f;
    float meanProduct = Lanes.sum(product) / f;
    for (int j = 0; j < whole; j += LANES) {
      FloatVector xhat = load(x, j).sub(mean).mul(scale);
      FloatVector q = load(t, j).mul(load(gain, j));
      q.sub(meanQ)
          .sub(xhat.mul(meanProduct))
          .mul(scale)
          .intoMemorySegment(Memory.ALL, at(g, j), ORDER);
    }
    if (whole < f) {
      FloatVector xhat = load(x, whole, rest).sub(mean).mul(scale);
      FloatVector q = load(t, whole, rest).mul(load(gain, whole, rest));
      q.sub(meanQ)
          .sub(xhat.mul(meanProduct))
          .mul(scale)
          .intoMemorySegment(Memory.ALL, at(g, whole), ORDER, rest);
    }
  }

  private static long at(long address, int j) {
    return Memory.at(address + (long) j * Float.BYTES);
  }

  private static float get(long address, int j) {
    return Memory.ALL.get(FLOAT, at(address, j));
  }

  private static FloatVector load(long address, int j) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at(address, j), ORDER);
  }

  private static FloatVector load(long address, int j, VectorMask<Float> lanes) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at(address, j), ORDER, lanes);
  }
}
