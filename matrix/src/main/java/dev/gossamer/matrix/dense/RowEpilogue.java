package dev.gossamer.matrix.dense;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// An operation of a kernel on finished rows of its result, while they are in cache: bias, ReLU,
/// dropout, scaling. Called once for every row, in blocks of rows, from many threads.
@FunctionalInterface
public interface RowEpilogue {
  /// Leaves rows unchanged.
  RowEpilogue NONE = (y, begin, end) -> {};

  /// Applies the step to a block of finished rows.
  ///
  /// @param y the whole result
  /// @param begin first finished row
  /// @param end the row after the last
  void apply(DenseMatrix y, long begin, long end);

  /// {@return the memory that the step accesses by address, besides the result; held by the kernel,
  /// borrowed} Empty by default.
  default MemorySegment[] operands() {
    return new MemorySegment[0];
  }

  /// {@return the operands of the step and of the kernel}
  ///
  /// @param ofKernel the kernel's own
  default MemorySegment[] with(MemorySegment... ofKernel) {
    return joined(operands(), ofKernel);
  }

  private static MemorySegment[] joined(MemorySegment[] some, MemorySegment[] others) {
    MemorySegment[] all = Arrays.copyOf(some, some.length + others.length);
    System.arraycopy(others, 0, all, some.length, others.length);
    return all;
  }

  /// {@return a step with its [#operands]}
  ///
  /// @param step to apply
  /// @param operands memory that it accesses by address
  static RowEpilogue over(RowEpilogue step, MemorySegment... operands) {
    return new RowEpilogue() {
      @Override
      public void apply(DenseMatrix y, long begin, long end) {
        step.apply(y, begin, end);
      }

      @Override
      public MemorySegment[] operands() {
        return operands;
      }
    };
  }
}
