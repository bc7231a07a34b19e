package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Messages of one kind between two stages, of some microbatches at a time. In float32 they are
/// computed with where they lie. In 16 bits they stay as they travel, and there is one float32
/// copy, of the microbatch that is computed with: widening is exact, so it can be made again.
final class Messages {
  private final NumberFormat format;
  private final List<MemorySegment> messages = new ArrayList<>();
  private final List<DenseMatrix> numbers = new ArrayList<>();

  /// @param arena shared
  /// @param format in which they travel
  /// @param count microbatches
  /// @param elements of a message at most
  Messages(Arena arena, NumberFormat format, int count, long elements) {
    this.format = format;
    for (int i = 0; i < copies(format, count); i++) {
      numbers.add(DenseMatrix.allocate(arena, elements, 1));
    }
    for (int i = 0; i < count; i++) {
      messages.add(
          format == NumberFormat.FLOAT32
              ? numbers.get(i).data()
              : arena.allocate(elements * format.bytes(), DenseMatrix.ALIGNMENT));
    }
  }

  /// Bytes of the memory that they take.
  static long bytes(NumberFormat format, int count, long elements) {
    long travelling = format == NumberFormat.FLOAT32 ? 0 : (long) count * format.bytes();
    return elements * (travelling + (long) copies(format, count) * Float.BYTES);
  }

  /// Float32 numbers of how many microbatches there are.
  private static int copies(NumberFormat format, int count) {
    return format == NumberFormat.FLOAT32 ? count : Math.min(1, count);
  }

  /// The message of a microbatch, as it travels.
  MemorySegment message(int microbatch, long elements) {
    return messages.get(microbatch % messages.size()).asSlice(0, elements * format.bytes());
  }

  /// The numbers of a microbatch, float32.
  DenseMatrix numbers(int microbatch) {
    return numbers.get(microbatch % numbers.size());
  }

  /// Makes the numbers of a message that has arrived.
  void widen(int microbatch, long elements) {
    if (format != NumberFormat.FLOAT32) {
      format.widen(message(microbatch, elements), floats(microbatch, elements));
    }
  }

  /// Makes the message of numbers that are to leave, rounded to the nearest.
  void narrow(int microbatch, long elements) {
    if (format != NumberFormat.FLOAT32) {
      format.narrow(floats(microbatch, elements), message(microbatch, elements));
    }
  }

  private MemorySegment floats(int microbatch, long elements) {
    return numbers(microbatch).data().asSlice(0, elements * Float.BYTES);
  }
}
