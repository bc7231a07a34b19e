package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// Elementwise functions and their gradients. Operands have the same number of elements as the
/// result; a result may be one of its operands.
///
/// Cost: one pass over each operand and the result.
public final class Elementwise {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// Elements of one task.
  private static final int TASK = 1 << 15;

  /// `2 sqrt(2 / pi)`.
  private static final float GELU_SLOPE = (float) (2 * Math.sqrt(2 / Math.PI));

  private static final float GELU_CUBE = 0.044715f;

  private Elementwise() {}

  /// A range of elements, by the addresses of their matrices.
  @FunctionalInterface
  private interface Range {
    void run(long a, long b, long y, int count);
  }

  /// Computes `y = x Phi(x)` with the `tanh` approximation of the normal distribution's `Phi` (D.
  /// Hendrycks and K. Gimpel, 2016): `y = x / 2 (1 + tanh u) = x / (1 + exp(-2 u))`, `u = sqrt(2 /
  /// pi) (x + 0.044715 x^3)`.
  ///
  /// @param x input
  /// @param y overwritten
  /// @param w threads that share the work
  public static void gelu(DenseMatrix x, DenseMatrix y, Workers w) {
    run("gelu", x, x, y, w, Elementwise::gelu);
  }

  /// Computes `g = t dy/dx` of [#gelu].
  ///
  /// @param x input of [#gelu]
  /// @param t gradient of the output
  /// @param g overwritten
  /// @param w threads that share the work
  public static void geluGradient(DenseMatrix x, DenseMatrix t, DenseMatrix g, Workers w) {
    run("gelu gradient", x, t, g, w, Elementwise::geluGradient);
  }

  /// Computes `y = max(x, 0)`. NaN stays NaN.
  ///
  /// @param x input
  /// @param y overwritten
  /// @param w threads that share the work
  public static void relu(DenseMatrix x, DenseMatrix y, Workers w) {
    run("relu", x, x, y, w, Elementwise::relu);
  }

  /// Computes `g = y > 0 ? t : 0`.
  ///
  /// @param y output of [#relu]
  /// @param t gradient of the output
  /// @param g overwritten
  /// @param w threads that share the work
  public static void reluGradient(DenseMatrix y, DenseMatrix t, DenseMatrix g, Workers w) {
    run("relu gradient", y, t, g, w, Elementwise::reluGradient);
  }

  /// Computes `y = a + b`.
  ///
  /// @param a first addend
  /// @param b second addend
  /// @param y overwritten
  /// @param w threads that share the work
  public static void add(DenseMatrix a, DenseMatrix b, DenseMatrix y, Workers w) {
    run("addition", a, b, y, w, Elementwise::add);
  }

  /// Computes `y = a * b`, element by element.
  ///
  /// @param a first factor
  /// @param b second factor
  /// @param y overwritten
  /// @param w threads that share the work
  public static void multiply(DenseMatrix a, DenseMatrix b, DenseMatrix y, Workers w) {
    run("product", a, b, y, w, Elementwise::multiply);
  }

  /// Computes `y += x` in the calling thread, for short vectors.
  ///
  /// @param y added to
  /// @param x at least as many floats as `y`
  public static void addTo(MemorySegment y, MemorySegment x) {
    // By segment: to hold them would take longer than to add.
    int count = Math.toIntExact(y.byteSize() / Float.BYTES);
    int whole = count / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      long at = (long) i * Float.BYTES;
      FloatVector.fromMemorySegment(SPECIES, y, at, ORDER)
          .add(FloatVector.fromMemorySegment(SPECIES, x, at, ORDER))
          .intoMemorySegment(y, at, ORDER);
    }
    if (whole < count) {
      long at = (long) whole * Float.BYTES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, count);
      FloatVector.fromMemorySegment(SPECIES, y, at, ORDER, rest)
          .add(FloatVector.fromMemorySegment(SPECIES, x, at, ORDER, rest))
          .intoMemorySegment(y, at, ORDER, rest);
    }
  }

  private static void run(
      String what, DenseMatrix a, DenseMatrix b, DenseMatrix y, Workers w, Range range) {
    long count = y.rows() * y.cols();
    if (a.rows() * a.cols() != count || b.rows() * b.cols() != count) {
      throw new IllegalArgumentException(
          "%s: operands are %s and %s but the result is %s".formatted(what, a, b, y));
    }
    long bytes = count * Float.BYTES;
    long first = Memory.address(a.data(), 0, bytes);
    long second = Memory.address(b.data(), 0, bytes);
    long result = Memory.address(y.data(), 0, bytes);
    w.run(
        Math.toIntExact(Math.ceilDiv(count, TASK)),
        (task, worker) -> {
          long begin = (long) task * TASK;
          long shift = begin * Float.BYTES;
          int length = (int) Math.min(TASK, count - begin);
          range.run(first + shift, second + shift, result + shift, length);
        },
        a.data(),
        b.data(),
        y.data());
  }

  private static void gelu(long x, long ignored, long y, int count) {
    int whole = count / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      long shift = (long) i * Float.BYTES;
      store(gelu(load(x + shift)), y + shift);
    }
    if (whole < count) {
      long shift = (long) whole * Float.BYTES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, count);
      store(gelu(load(x + shift, rest)), y + shift, rest);
    }
  }

  static FloatVector gelu(FloatVector x) {
    FloatVector z = twiceU(x);
    return x.mul(Softmax.logistic(z, Softmax.exp(z.abs().neg())));
  }

  private static FloatVector twiceU(FloatVector x) {
    return x.mul(x).fma(GELU_CUBE, 1f).mul(x).mul(GELU_SLOPE);
  }

  private static void geluGradient(long x, long t, long g, int count) {
    int whole = count / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      long shift = (long) i * Float.BYTES;
      store(load(t + shift).mul(geluSlope(load(x + shift))), g + shift);
    }
    if (whole < count) {
      long shift = (long) whole * Float.BYTES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, count);
      store(load(t + shift, rest).mul(geluSlope(load(x + shift, rest))), g + shift, rest);
    }
  }

  /// With `s = 1 / (1 + exp(-z))` and `z = 2 u`: `s + x s (1 - s) dz/dx`.
  static FloatVector geluSlope(FloatVector x) {
    FloatVector z = twiceU(x);
    FloatVector e = Softmax.exp(z.abs().neg());
    FloatVector r = FloatVector.broadcast(SPECIES, 1f).div(e.add(1f));
    FloatVector er = e.mul(r);
    FloatVector s = r.blend(er, z.compare(VectorOperators.LT, 0f));
    FloatVector dz = x.mul(x).fma(3 * GELU_CUBE, 1f).mul(GELU_SLOPE);
    return x.mul(r).mul(er).fma(dz, s);
  }

  private static void relu(long x, long ignored, long y, int count) {
    int whole = count / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      long shift = (long) i * Float.BYTES;
      store(relu(load(x + shift)), y + shift);
    }
    if (whole < count) {
      long shift = (long) whole * Float.BYTES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, count);
      store(relu(load(x + shift, rest)), y + shift, rest);
    }
  }

  private static FloatVector relu(FloatVector x) {
    return x.blend(0f, x.compare(VectorOperators.LT, 0f));
  }

  private static void reluGradient(long y, long t, long g, int count) {
    int whole = count / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      long shift = (long) i * Float.BYTES;
      store(gate(load(y + shift), load(t + shift)), g + shift);
    }
    if (whole < count) {
      long shift = (long) whole * Float.BYTES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, count);
      store(gate(load(y + shift, rest), load(t + shift, rest)), g + shift, rest);
    }
  }

  private static FloatVector gate(FloatVector y, FloatVector t) {
    return FloatVector.zero(SPECIES).blend(t, y.compare(VectorOperators.GT, 0f));
  }

  /// `y = a + b` by address.
  static void add(long a, long b, long y, int count) {
    int whole = count / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      long shift = (long) i * Float.BYTES;
      store(load(a + shift).add(load(b + shift)), y + shift);
    }
    if (whole < count) {
      long shift = (long) whole * Float.BYTES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, count);
      store(load(a + shift, rest).add(load(b + shift, rest)), y + shift, rest);
    }
  }

  private static void multiply(long a, long b, long y, int count) {
    int whole = count / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      long shift = (long) i * Float.BYTES;
      store(load(a + shift).mul(load(b + shift)), y + shift);
    }
    if (whole < count) {
      long shift = (long) whole * Float.BYTES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, count);
      store(load(a + shift, rest).mul(load(b + shift, rest)), y + shift, rest);
    }
  }

  private static FloatVector load(long address) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(address), ORDER);
  }

  private static FloatVector load(long address, VectorMask<Float> lanes) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(address), ORDER, lanes);
  }

  private static void store(FloatVector v, long address) {
    v.intoMemorySegment(Memory.ALL, Memory.at(address), ORDER);
  }

  private static void store(FloatVector v, long address, VectorMask<Float> lanes) {
    v.intoMemorySegment(Memory.ALL, Memory.at(address), ORDER, lanes);
  }
}
