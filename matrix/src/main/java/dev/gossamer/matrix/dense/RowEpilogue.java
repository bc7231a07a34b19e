package dev.gossamer.matrix.dense;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// What a kernel does to rows of its result as soon as they are finished, while they are still in
/// cache: bias, ReLU, dropout, scaling. Called once for every row, in blocks of rows, from many
/// threads.
@FunctionalInterface
public interface RowEpilogue {
  /// Leaves the rows as they are.
  RowEpilogue NONE = (y, begin, end) -> {};

  /// Takes its step on a block of finished rows.
  ///
  /// @param y the whole result
  /// @param begin first finished row
  /// @param end the row after the last
  void apply(DenseMatrix y, long begin, long end);

  /// {@return memory besides the result's that the step goes through by address, which the kernel
  /// holds; borrowed} None unless a step says so.
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
  /// @param step what it does
  /// @param operands what it goes through by address
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
