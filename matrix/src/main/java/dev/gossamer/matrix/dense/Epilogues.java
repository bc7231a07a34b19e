package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// The fused last steps of kernels: bias, activations, sums, row scaling and, by [Dropout#rows],
/// dropout. They change rows in place and have no state; their segments are borrowed.
public final class Epilogues {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Rows that [#inTurn] processes at a time are a multiple of this, and fill about this number of
  /// floats, so that they stay in the L1 cache from step to step.
  private static final int TURN_ROWS = 16;

  private static final int TURN_FLOATS = 1 << 12;

  /// Floats that a task of [#apply] takes, about.
  private static final int TASK_FLOATS = 1 << 16;

  private Epilogues() {}

  /// Returns the epilogue `y[i] += bias` for every row `i`.
  ///
  /// @param bias `float32[cols]`
  /// @return the step
  public static RowEpilogue bias(MemorySegment bias) {
    return RowEpilogue.over((y, begin, end) -> addBias(bias, y, begin, end, false), bias);
  }

  /// Returns the epilogue `y = max(y, 0)`. NaN stays NaN.
  ///
  /// @return the step
  public static RowEpilogue relu() {
    return (y, begin, end) -> {
      FloatVector zero = FloatVector.zero(SPECIES);
      long stop = y.offset(end);
      long at = y.offset(begin);
      for (; at + SPECIES.vectorByteSize() <= stop; at += SPECIES.vectorByteSize()) {
        FloatVector v = FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER);
        v.blend(zero, v.compare(VectorOperators.LT, zero)).intoMemorySegment(y.data(), at, ORDER);
      }
      for (; at < stop; at += Float.BYTES) {
        float v = y.data().get(FLOAT, at);
        y.data().set(FLOAT, at, v < 0 ? 0 : v);
      }
    };
  }

  /// Returns the epilogue `y = elu(y)`, which is `y` if positive and `exp(y) - 1` otherwise (D.-A.
  /// Clevert, T. Unterthiner and S. Hochreiter, ICLR 2016). NaN stays NaN.
  ///
  /// @return the step
  public static RowEpilogue elu() {
    return (y, begin, end) -> {
      long stop = y.offset(end);
      for (long at = y.offset(begin); at < stop; at += SPECIES.vectorByteSize()) {
        VectorMask<Float> inside =
            SPECIES.indexInRange(0, (int) Math.min(LANES, (stop - at) / Float.BYTES));
        FloatVector v = FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER, inside);
        Softmax.exp(v)
            .sub(1f)
            .blend(v, v.compare(VectorOperators.GT, 0f))
            .intoMemorySegment(y.data(), at, ORDER, inside);
      }
    };
  }

  /// Returns the epilogue `y = gelu(y)` ([Elementwise#gelu]).
  ///
  /// @return the step
  public static RowEpilogue gelu() {
    return (y, begin, end) -> {
      long stop = y.offset(end);
      for (long at = y.offset(begin); at < stop; at += SPECIES.vectorByteSize()) {
        VectorMask<Float> inside =
            SPECIES.indexInRange(0, (int) Math.min(LANES, (stop - at) / Float.BYTES));
        FloatVector v = FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER, inside);
        Elementwise.gelu(v).intoMemorySegment(y.data(), at, ORDER, inside);
      }
    };
  }

  /// Returns the epilogue `y[i] = max(y[i] + bias, 0)` for every row `i`, in one pass. NaN stays
  /// NaN.
  ///
  /// @param bias `float32[cols]`
  /// @return the step
  public static RowEpilogue biasRelu(MemorySegment bias) {
    return RowEpilogue.over((y, begin, end) -> addBias(bias, y, begin, end, true), bias);
  }

  /// Returns the epilogue of a hidden layer: bias, ReLU and dropout, each applied to a row while it
  /// is in the L1 cache (MB, section 3.3).
  ///
  /// @param bias `float32[cols]`
  /// @param dropout of the layer
  /// @param step epoch or batch, see [Dropout#rows]
  /// @param ids global ids of the kernel's rows
  /// @return the step
  public static RowEpilogue biasReluDropout(
      MemorySegment bias, Dropout dropout, long step, RowIds ids) {
    return inTurn(biasRelu(bias), dropout.rows(step, ids));
  }

  /// Returns the epilogue `y[i] *= scale[i]` for every row `i`.
  ///
  /// @param scale `float32[rows]`
  /// @return the step
  public static RowEpilogue scaleRows(MemorySegment scale) {
    return (y, begin, end) -> {
      require("row scale", scale, y.rows());
      int whole = y.cols() / LANES * LANES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, y.cols());
      for (long i = begin; i < end; i++) {
        float s = scale.get(FLOAT, i * Float.BYTES);
        long row = y.offset(i);
        for (int j = 0; j < whole; j += LANES) {
          long at = row + (long) j * Float.BYTES;
          FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER)
              .mul(s)
              .intoMemorySegment(y.data(), at, ORDER);
        }
        if (whole < y.cols()) {
          long at = row + (long) whole * Float.BYTES;
          FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER, rest)
              .mul(s)
              .intoMemorySegment(y.data(), at, ORDER, rest);
        }
      }
    };
  }

  /// Returns the epilogue `y[i] += addend[i]` for every row `i`.
  ///
  /// @param addend with the columns of `y`, and at least its rows
  /// @return the step
  public static RowEpilogue add(DenseMatrix addend) {
    return (y, begin, end) -> {
      requireRows("addend", addend, y);
      long stop = y.offset(end);
      long at = y.offset(begin);
      for (; at + SPECIES.vectorByteSize() <= stop; at += SPECIES.vectorByteSize()) {
        FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER)
            .add(FloatVector.fromMemorySegment(SPECIES, addend.data(), at, ORDER))
            .intoMemorySegment(y.data(), at, ORDER);
      }
      for (; at < stop; at += Float.BYTES) {
        y.data().set(FLOAT, at, y.data().get(FLOAT, at) + addend.data().get(FLOAT, at));
      }
    };
  }

  /// Returns the epilogue `y[i] += addend[i]` for every row `i`, with some columns of a matrix.
  ///
  /// @param addend as many columns as those of `y`, of at least its rows
  /// @return the step
  public static RowEpilogue add(ColumnBlock addend) {
    return (y, begin, end) -> {
      if (addend.cols() != y.cols() || addend.rows() < y.rows()) {
        throw misfit("addend", addend, y);
      }
      int cols = y.cols();
      for (long i = begin; i < end; i++) {
        long from = addend.offset(i);
        long row = y.offset(i);
        for (int j = 0; j < cols; j += LANES) {
          VectorMask<Float> inside = SPECIES.indexInRange(j, cols);
          long shift = (long) j * Float.BYTES;
          FloatVector.fromMemorySegment(SPECIES, y.data(), row + shift, ORDER, inside)
              .add(
                  FloatVector.fromMemorySegment(
                      SPECIES, addend.matrix().data(), from + shift, ORDER, inside))
              .intoMemorySegment(y.data(), row + shift, ORDER, inside);
        }
      }
    };
  }

  /// Returns the epilogue `y[i] = factor y[i] + share addend[i]` for every row `i`.
  ///
  /// @param factor of what is there
  /// @param share of the addend
  /// @param addend with the columns of `y`, and at least its rows
  /// @return the step
  public static RowEpilogue mix(float factor, float share, DenseMatrix addend) {
    return (y, begin, end) -> {
      requireRows("addend", addend, y);
      long stop = y.offset(end);
      long at = y.offset(begin);
      for (; at + SPECIES.vectorByteSize() <= stop; at += SPECIES.vectorByteSize()) {
        FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER)
            .mul(factor)
            .add(FloatVector.fromMemorySegment(SPECIES, addend.data(), at, ORDER).mul(share))
            .intoMemorySegment(y.data(), at, ORDER);
      }
      for (; at < stop; at += Float.BYTES) {
        float mixed = factor * y.data().get(FLOAT, at) + share * addend.data().get(FLOAT, at);
        y.data().set(FLOAT, at, mixed);
      }
    };
  }

  /// Returns the epilogue `y *= factor`.
  ///
  /// @param factor of every element
  /// @return the step
  public static RowEpilogue scaled(float factor) {
    return (y, begin, end) -> {
      long stop = y.offset(end);
      long at = y.offset(begin);
      for (; at + SPECIES.vectorByteSize() <= stop; at += SPECIES.vectorByteSize()) {
        FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER)
            .mul(factor)
            .intoMemorySegment(y.data(), at, ORDER);
      }
      for (; at < stop; at += Float.BYTES) {
        y.data().set(FLOAT, at, factor * y.data().get(FLOAT, at));
      }
    };
  }

  /// Returns the epilogue `y[i] = from[i]` for every row `i`.
  ///
  /// @param from with the columns of `y`, and at least its rows
  /// @return the step
  public static RowEpilogue copy(DenseMatrix from) {
    return (y, begin, end) -> {
      requireRows("matrix to copy", from, y);
      long at = y.offset(begin);
      MemorySegment.copy(from.data(), at, y.data(), at, y.offset(end) - at);
    };
  }

  /// Returns the backward pass through ReLU and dropout: `y[i] = y[i] > 0 ? scale gradient[i] : 0`,
  /// where `y` contains the activations, which are overwritten with their gradient.
  ///
  /// @param gradient with the columns of `y`, and at least its rows
  /// @param scale factor of kept elements in dropout; 1 without dropout
  /// @return the step
  public static RowEpilogue gated(DenseMatrix gradient, float scale) {
    return (y, begin, end) -> {
      requireRows("gradient", gradient, y);
      FloatVector zero = FloatVector.zero(SPECIES);
      long stop = y.offset(end);
      long at = y.offset(begin);
      for (; at + SPECIES.vectorByteSize() <= stop; at += SPECIES.vectorByteSize()) {
        FloatVector v = FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER);
        FloatVector g = FloatVector.fromMemorySegment(SPECIES, gradient.data(), at, ORDER);
        zero.blend(g.mul(scale), v.compare(VectorOperators.GT, zero))
            .intoMemorySegment(y.data(), at, ORDER);
      }
      for (; at < stop; at += Float.BYTES) {
        float g = scale * gradient.data().get(FLOAT, at);
        y.data().set(FLOAT, at, y.data().get(FLOAT, at) > 0 ? g : 0);
      }
    };
  }

  /// Returns the backward pass through [#elu] and dropout: `y[i] = gradient[i]` times `scale` where
  /// `y` is positive, `y + scale` where it is negative and 0 where it was dropped; `y` contains the
  /// activations, which are overwritten with their gradient.
  ///
  /// @param gradient with the columns of `y`, and at least its rows
  /// @param scale factor of kept elements in dropout; 1 without dropout
  /// @return the step
  public static RowEpilogue eluGated(DenseMatrix gradient, float scale) {
    return (y, begin, end) -> {
      requireRows("gradient", gradient, y);
      float ofZero = scale == 1f ? 1f : 0f;
      long stop = y.offset(end);
      for (long at = y.offset(begin); at < stop; at += SPECIES.vectorByteSize()) {
        VectorMask<Float> inside =
            SPECIES.indexInRange(0, (int) Math.min(LANES, (stop - at) / Float.BYTES));
        FloatVector v = FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER, inside);
        FloatVector.fromMemorySegment(SPECIES, gradient.data(), at, ORDER, inside)
            .mul(v.min(0f).add(scale).blend(ofZero, v.compare(VectorOperators.EQ, 0f)))
            .intoMemorySegment(y.data(), at, ORDER, inside);
      }
    };
  }

  /// Returns the backward pass through [#gelu], in place over its argument: `y[i] = gradient[i]
  /// gelu'(y[i])`.
  ///
  /// @param gradient of the result, with the columns of `y`, and at least its rows
  /// @return the step
  public static RowEpilogue geluGated(DenseMatrix gradient) {
    return (y, begin, end) -> {
      requireRows("gradient", gradient, y);
      long stop = y.offset(end);
      for (long at = y.offset(begin); at < stop; at += SPECIES.vectorByteSize()) {
        VectorMask<Float> inside =
            SPECIES.indexInRange(0, (int) Math.min(LANES, (stop - at) / Float.BYTES));
        FloatVector v = FloatVector.fromMemorySegment(SPECIES, y.data(), at, ORDER, inside);
        FloatVector.fromMemorySegment(SPECIES, gradient.data(), at, ORDER, inside)
            .mul(Elementwise.geluSlope(v))
            .intoMemorySegment(y.data(), at, ORDER, inside);
      }
    };
  }

  /// Returns an epilogue that applies several steps in sequence, in small blocks of rows, so that
  /// only the first step reads from beyond the L1 cache.
  ///
  /// @param steps in their order
  /// @return all of them as one
  public static RowEpilogue inTurn(RowEpilogue... steps) {
    RowEpilogue[] copy = steps.clone();
    MemorySegment[] operands = {};
    for (RowEpilogue step : copy) {
      operands = step.with(operands);
    }
    return RowEpilogue.over(
        (y, begin, end) -> {
          int fit = TURN_FLOATS / Math.max(1, y.cols()) / TURN_ROWS * TURN_ROWS;
          int rows = Math.max(TURN_ROWS, fit);
          for (long i = begin; i < end; i += rows) {
            for (RowEpilogue step : copy) {
              step.apply(y, i, Math.min(end, i + rows));
            }
          }
        },
        operands);
  }

  /// Applies an epilogue to all rows of a matrix, without a kernel.
  ///
  /// @param epilogue to apply
  /// @param y overwritten
  /// @param w threads that share the work
  public static void apply(RowEpilogue epilogue, DenseMatrix y, Workers w) {
    int rows = Math.max(1, TASK_FLOATS / Math.max(1, y.cols()) / TURN_ROWS) * TURN_ROWS;
    w.run(
        Math.toIntExact(Math.ceilDiv(y.rows(), rows)),
        (task, worker) -> {
          long begin = (long) task * rows;
          epilogue.apply(y, begin, Math.min(y.rows(), begin + rows));
        },
        epilogue.with(y.data()));
  }

  private static void addBias(
      MemorySegment bias, DenseMatrix y, long begin, long end, boolean relu) {
    require("bias", bias, y.cols());
    long to = Memory.address(y.data(), y.offset(begin), y.offset(end - begin));
    long add = Memory.address(bias, 0, bias.byteSize());
    float floor = relu ? 0f : Float.NEGATIVE_INFINITY;
    for (long i = 0; i < end - begin; i++) {
      addBias(add, to + y.offset(i), y.cols(), floor);
    }
  }

  /// `y = max(y + bias, floor)` for a row, by address.
  private static void addBias(long bias, long y, int cols, float least) {
    FloatVector floor = FloatVector.broadcast(SPECIES, least);
    int whole = cols / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      long shift = (long) j * Float.BYTES;
      long at = Memory.at(y + shift);
      FloatVector v =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER)
              .add(
                  FloatVector.fromMemorySegment(
                      SPECIES, Memory.ALL, Memory.at(bias + shift), ORDER));
      v.blend(floor, v.compare(VectorOperators.LT, floor)).intoMemorySegment(Memory.ALL, at, ORDER);
    }
    if (whole < cols) {
      long shift = (long) whole * Float.BYTES;
      long at = Memory.at(y + shift);
      VectorMask<Float> rest = SPECIES.indexInRange(whole, cols);
      FloatVector v =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER, rest)
              .add(
                  FloatVector.fromMemorySegment(
                      SPECIES, Memory.ALL, Memory.at(bias + shift), ORDER, rest));
      v.blend(floor, v.compare(VectorOperators.LT, floor))
          .intoMemorySegment(Memory.ALL, at, ORDER, rest);
    }
  }

  private static void requireRows(String what, DenseMatrix x, DenseMatrix y) {
    if (x.cols() != y.cols() || x.rows() < y.rows()) {
      throw misfit(what, x, y);
    }
  }

  private static IllegalArgumentException misfit(String what, Object x, DenseMatrix y) {
    return new IllegalArgumentException(
        "epilogue: the %s is %s but the result is %s".formatted(what, x, y));
  }

  private static void require(String what, MemorySegment segment, long count) {
    if (segment.byteSize() != count * Float.BYTES) {
      throw new IllegalArgumentException(
          "epilogue: the %s has %d floats but the result needs %d"
              .formatted(what, segment.byteSize() / Float.BYTES, count));
    }
  }
}
