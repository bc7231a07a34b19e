package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/// Normalisation of each column over the rows of a batch, then a gain and a bias for each column
/// (S. Ioffe and C. Szegedy, 2015): `xhat = (x - mean) / sqrt(variance + epsilon)`, `y = gain xhat
/// + bias`, with the mean of squares around the mean as the variance.
///
/// Sums run over parts of the rows that depend only on the shape.
public final class BatchNormalisation {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Rows that are summed in registers.
  private static final int RUN = 128;

  /// Floats of one task where there is nothing to sum.
  private static final int TASK_FLOATS = 1 << 15;

  private BatchNormalisation() {}

  /// Computes mean and variance of each column.
  ///
  /// @param x `n x c`, `n >= 1`
  /// @param moments `2 x c`, overwritten: means, then variances
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public static void moments(DenseMatrix x, DenseMatrix moments, Workers w) {
    check(x, moments, x);
    int c = x.cols();
    MemorySegment mean = moments.rows(0, 1).data();
    MemorySegment variance = moments.rows(1, 2).data();
    ColumnSums.of(x, mean, w);
    divide(mean, c, x.rows());
    squares(x, mean, variance, w);
    divide(variance, c, x.rows());
  }

  /// Adds up the squares around a mean of each column.
  ///
  /// @param x `n x c`
  /// @param mean `float32[c]`
  /// @param sums `float32[c]`, overwritten
  /// @param w threads that share the work
  public static void squares(DenseMatrix x, MemorySegment mean, MemorySegment sums, Workers w) {
    int c = x.cols();
    long from = Memory.address(x.data(), 0, x.offset(x.rows()));
    RowParts parts = RowParts.of(x.rows(), c);
    w.run(
        parts.parts(),
        (part, worker) -> {
          long own = parts.sums(part, w).fill((byte) 0).address();
          for (long i = parts.begin(part); i < parts.end(part); i += RUN) {
            int rows = (int) Math.min(RUN, parts.end(part) - i);
            for (int j = 0; j < c; j += LANES) {
              addSquares(from + x.offset(i), mean.address(), rows, j, c, own);
            }
          }
        },
        x.data(),
        mean);
    sums.copyFrom(parts.total(w));
  }

  private static void divide(MemorySegment sums, int count, long rows) {
    for (long j = 0; j < count; j++) {
      sums.setAtIndex(FLOAT, j, sums.getAtIndex(FLOAT, j) / rows);
    }
  }

  private static void addSquares(long x, long mean, int rows, int j, int c, long sums) {
    VectorMask<Float> lanes = SPECIES.indexInRange(j, c);
    FloatVector middle = load(mean, j, lanes);
    FloatVector sum = load(sums, j, lanes);
    for (int i = 0; i < rows; i++) {
      FloatVector d = load(x + (long) i * c * Float.BYTES, j, lanes).sub(middle);
      sum = d.fma(d, sum);
    }
    store(sum, sums, j, lanes);
  }

  /// Computes `y`.
  ///
  /// @param x `n x c`
  /// @param mean `float32[c]`
  /// @param variance `float32[c]`
  /// @param gain `float32[c]`
  /// @param bias `float32[c]`
  /// @param epsilon added to the variance
  /// @param y `n x c`, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public static void forward(
      DenseMatrix x,
      MemorySegment mean,
      MemorySegment variance,
      MemorySegment gain,
      MemorySegment bias,
      float epsilon,
      DenseMatrix y,
      Workers w) {
    int c = x.cols();
    long row = x.offset(1);
    boolean fits = mean.byteSize() == row && variance.byteSize() == row && bias.byteSize() == row;
    if (!fits || gain.byteSize() != row || y.rows() != x.rows() || y.cols() != c) {
      throw new IllegalArgumentException(
          "batch normalisation: x is %s, y is %s, there are %d means"
              .formatted(x, y, mean.byteSize() / Float.BYTES));
    }
    MemorySegment slope = w.sharedScratch().asSlice(0, row);
    for (long j = 0; j < c; j++) {
      float scale = reciprocal(variance.getAtIndex(FLOAT, j), epsilon);
      slope.setAtIndex(FLOAT, j, gain.getAtIndex(FLOAT, j) * scale);
    }
    long from = Memory.address(x.data(), 0, x.offset(x.rows()));
    long to = Memory.address(y.data(), 0, y.offset(y.rows()));
    overRows(
        x,
        w,
        i ->
            normalise(
                from + i * row, mean.address(), slope.address(), bias.address(), to + i * row, c),
        x.data(),
        mean,
        bias,
        y.data());
  }

  private static float reciprocal(float variance, float epsilon) {
    return (float) (1 / Math.sqrt((double) variance + epsilon));
  }

  /// What is done to a row.
  @FunctionalInterface
  private interface Row {
    void run(long row);
  }

  private static void overRows(DenseMatrix x, Workers w, Row action, MemorySegment... operands) {
    int rows = Math.max(1, TASK_FLOATS / x.cols());
    w.run(
        Math.toIntExact(Math.ceilDiv(x.rows(), rows)),
        (task, worker) -> {
          long end = Math.min(x.rows(), (task + 1L) * rows);
          for (long i = (long) task * rows; i < end; i++) {
            action.run(i);
          }
        },
        operands);
  }

  private static void normalise(long x, long mean, long slope, long bias, long y, int c) {
    int j = 0;
    for (; j + LANES <= c; j += LANES) {
      load(x, j)
          .sub(load(mean, j))
          .fma(load(slope, j), load(bias, j))
          .intoMemorySegment(Memory.ALL, at(y, j), ORDER);
    }
    if (j < c) {
      VectorMask<Float> rest = SPECIES.indexInRange(j, c);
      FloatVector d = load(x, j, rest).sub(load(mean, j, rest));
      store(d.fma(load(slope, j, rest), load(bias, j, rest)), y, j, rest);
    }
  }

  /// Computes the gradients, including those through mean and variance: with `q = t gain`, `g = (q
  /// - mean(q) - xhat mean(q xhat)) / deviation`, with means over the rows; the gradient of the
  ///   gain is the sum of `t xhat`, that of the bias the sum of `t`.
  ///
  /// @param x as in the forward pass
  /// @param moments those of `x`
  /// @param gain `float32[c]`
  /// @param epsilon added to the variance
  /// @param t `n x c`, gradient of `y`
  /// @param g `n x c`, overwritten; null if it is not needed
  /// @param sums `2 x c`, overwritten: gradients of gain and bias
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public static void backward(
      DenseMatrix x,
      DenseMatrix moments,
      MemorySegment gain,
      float epsilon,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix sums,
      Workers w) {
    check(x, moments, t);
    check(x, sums, g == null ? t : g);
    gradientSums(x, moments, epsilon, t, sums, w);
    if (g != null) {
      gradient(x, moments, gain, epsilon, t, sums, x.rows(), g, w);
    }
  }

  /// Adds up the gradients of gain and bias over rows, which may be some of those that are
  /// normalised together.
  ///
  /// @param x as in the forward pass
  /// @param moments of all rows that are normalised together
  /// @param epsilon added to the variance
  /// @param t `n x c`, gradient of `y`
  /// @param sums `2 x c`, overwritten: gradients of gain and bias
  /// @param w threads that share the work
  public static void gradientSums(
      DenseMatrix x,
      DenseMatrix moments,
      float epsilon,
      DenseMatrix t,
      DenseMatrix sums,
      Workers w) {
    int c = x.cols();
    long row = x.offset(1);
    long from = Memory.address(x.data(), 0, x.offset(x.rows()));
    long above = Memory.address(t.data(), 0, x.offset(x.rows()));
    MemorySegment mean = moments.rows(0, 1).data();
    RowParts parts = RowParts.of(x.rows(), 2 * c);
    w.run(
        parts.parts(),
        (part, worker) -> {
          long own = parts.sums(part, w).fill((byte) 0).address();
          for (long i = parts.begin(part); i < parts.end(part); i += RUN) {
            int rows = (int) Math.min(RUN, parts.end(part) - i);
            for (int j = 0; j < c; j += LANES) {
              addSums(from + i * row, above + i * row, mean.address(), rows, j, c, own);
            }
          }
        },
        x.data(),
        t.data(),
        moments.data());
    sums.data().copyFrom(parts.total(w));
    for (int j = 0; j < c; j++) {
      sums.set(0, j, sums.get(0, j) * reciprocal(moments.get(1, j), epsilon));
    }
  }

  /// Computes the gradient of `x` from the gradients of gain and bias.
  ///
  /// @param x as in the forward pass
  /// @param moments of all rows that are normalised together
  /// @param gain `float32[c]`
  /// @param epsilon added to the variance
  /// @param t `n x c`, gradient of `y`
  /// @param sums `2 x c`: gradients of gain and bias, over all rows
  /// @param rows number of all rows
  /// @param g `n x c`, overwritten; may be `x`
  /// @param w threads that share the work
  public static void gradient(
      DenseMatrix x,
      DenseMatrix moments,
      MemorySegment gain,
      float epsilon,
      DenseMatrix t,
      DenseMatrix sums,
      long rows,
      DenseMatrix g,
      Workers w) {
    int c = x.cols();
    long row = x.offset(1);
    MemorySegment slope = w.sharedScratch().asSlice(0, row);
    MemorySegment middle = w.sharedScratch().asSlice(row, row);
    MemorySegment spread = w.sharedScratch().asSlice(2 * row, row);
    for (int j = 0; j < c; j++) {
      float scale = reciprocal(moments.get(1, j), epsilon);
      slope.setAtIndex(FLOAT, j, gain.getAtIndex(FLOAT, j) * scale);
      middle.setAtIndex(FLOAT, j, sums.get(1, j) / rows);
      spread.setAtIndex(FLOAT, j, sums.get(0, j) * scale / rows);
    }
    long from = Memory.address(x.data(), 0, x.offset(x.rows()));
    long above = Memory.address(t.data(), 0, x.offset(x.rows()));
    long to = Memory.address(g.data(), 0, x.offset(x.rows()));
    MemorySegment mean = moments.rows(0, 1).data();
    long factors = slope.address();
    overRows(
        x,
        w,
        i -> gradient(from + i * row, above + i * row, mean.address(), factors, to + i * row, c),
        x.data(),
        t.data(),
        mean,
        g.data());
  }

  /// Adds `t (x - mean)` to the first half of the sums and `t` to the second.
  private static void addSums(long x, long t, long mean, int rows, int j, int c, long sums) {
    VectorMask<Float> lanes = SPECIES.indexInRange(j, c);
    long second = sums + (long) c * Float.BYTES;
    FloatVector middle = load(mean, j, lanes);
    FloatVector product = load(sums, j, lanes);
    FloatVector sum = load(second, j, lanes);
    for (int i = 0; i < rows; i++) {
      long shift = (long) i * c * Float.BYTES;
      FloatVector above = load(t + shift, j, lanes);
      product = load(x + shift, j, lanes).sub(middle).fma(above, product);
      sum = sum.add(above);
    }
    store(product, sums, j, lanes);
    store(sum, second, j, lanes);
  }

  /// `g = slope (t - middle - (x - mean) spread)`, the three factors one after the other.
  private static void gradient(long x, long t, long mean, long factors, long g, int c) {
    long middle = factors + (long) c * Float.BYTES;
    long spread = middle + (long) c * Float.BYTES;
    int whole = c / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      FloatVector d = load(x, j).sub(load(mean, j));
      load(t, j)
          .sub(load(middle, j))
          .sub(d.mul(load(spread, j)))
          .mul(load(factors, j))
          .intoMemorySegment(Memory.ALL, at(g, j), ORDER);
    }
    if (whole < c) {
      VectorMask<Float> rest = SPECIES.indexInRange(whole, c);
      FloatVector d = load(x, whole, rest).sub(load(mean, whole, rest));
      FloatVector v = load(t, whole, rest).sub(load(middle, whole, rest));
      v = v.sub(d.mul(load(spread, whole, rest))).mul(load(factors, whole, rest));
      store(v, g, whole, rest);
    }
  }

  private static void check(DenseMatrix x, DenseMatrix moments, DenseMatrix y) {
    if (x.rows() < 1
        || moments.rows() != 2
        || moments.cols() != x.cols()
        || y.rows() != x.rows()
        || y.cols() != x.cols()
        || 3 * x.offset(1) > Workers.SHARED_BYTES) {
      throw new IllegalArgumentException(
          "batch normalisation: x is %s, y or a gradient is %s, moments or their sums are %s"
              .formatted(x, y, moments));
    }
  }

  private static long at(long address, int j) {
    return Memory.at(address + (long) j * Float.BYTES);
  }

  private static FloatVector load(long address, int j) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at(address, j), ORDER);
  }

  private static FloatVector load(long address, int j, VectorMask<Float> lanes) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at(address, j), ORDER, lanes);
  }

  private static void store(FloatVector v, long address, int j, VectorMask<Float> lanes) {
    v.intoMemorySegment(Memory.ALL, at(address, j), ORDER, lanes);
  }
}
