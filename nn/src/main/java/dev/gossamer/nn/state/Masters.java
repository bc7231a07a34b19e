package dev.gossamer.nn.state;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// The flat segments of a model state: float32 weights and gradients, and the gradients in the
/// format in which they are sent, which in float32 are the gradients themselves.
record Masters(
    ParameterLayout layout,
    NumberFormat format,
    MemorySegment weights,
    MemorySegment gradients,
    MemorySegment wire) {
  /// All zeros.
  static Masters allocate(Arena arena, ParameterLayout layout, NumberFormat format) {
    long bytes = layout.count() * Float.BYTES;
    MemorySegment weights = arena.allocate(bytes, DenseMatrix.ALIGNMENT);
    MemorySegment gradients = arena.allocate(bytes, DenseMatrix.ALIGNMENT);
    MemorySegment wire =
        format == NumberFormat.FLOAT32
            ? gradients
            : arena.allocate(layout.count() * format.bytes(), DenseMatrix.ALIGNMENT);
    return new Masters(layout, format, weights, gradients, wire);
  }

  static long bytes(ParameterLayout layout, NumberFormat format) {
    long wire = format == NumberFormat.FLOAT32 ? 0 : format.bytes();
    return layout.count() * (2 * Float.BYTES + wire);
  }

  void narrowGradients(long begin, long end) {
    if (format != NumberFormat.FLOAT32) {
      format.narrow(floats(gradients, begin, end), numbers(begin, end));
    }
  }

  void widenGradients(long begin, long end) {
    if (format != NumberFormat.FLOAT32) {
      format.widen(numbers(begin, end), floats(gradients, begin, end));
    }
  }

  private MemorySegment floats(MemorySegment flat, long begin, long end) {
    Objects.checkFromToIndex(begin, end, layout.count());
    return flat.asSlice(begin * Float.BYTES, (end - begin) * Float.BYTES);
  }

  private MemorySegment numbers(long begin, long end) {
    return wire.asSlice(begin * format.bytes(), (end - begin) * format.bytes());
  }
}
