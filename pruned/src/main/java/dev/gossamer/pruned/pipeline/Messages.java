package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Messages of one kind between two stages, for several microbatches. In float32 they are used in
/// place. In 16 bits they are stored in the message format, with one float32 copy, of the current
/// microbatch: widening is exact, so it can be repeated.
final class Messages {
  private final NumberFormat format;
  private final List<MemorySegment> messages = new ArrayList<>();
  private final List<DenseMatrix> numbers = new ArrayList<>();

  /// @param arena shared
  /// @param format of the messages
  /// @param count microbatches
  /// @param elements maximum number in a message
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

  /// Returns the bytes of their memory.
  static long bytes(NumberFormat format, int count, long elements) {
    long travelling = format == NumberFormat.FLOAT32 ? 0 : (long) count * format.bytes();
    return elements * (travelling + (long) copies(format, count) * Float.BYTES);
  }

  /// Float32 numbers of how many microbatches there are.
  private static int copies(NumberFormat format, int count) {
    return format == NumberFormat.FLOAT32 ? count : Math.min(1, count);
  }

  /// Returns the message of a microbatch, in the message format.
  MemorySegment message(int microbatch, long elements) {
    return messages.get(microbatch % messages.size()).asSlice(0, elements * format.bytes());
  }

  /// Returns the elements of a microbatch, float32.
  DenseMatrix numbers(int microbatch) {
    return numbers.get(microbatch % numbers.size());
  }

  /// Widens a message that has arrived.
  void widen(int microbatch, long elements) {
    if (format != NumberFormat.FLOAT32) {
      format.widen(message(microbatch, elements), floats(microbatch, elements));
    }
  }

  /// Writes the message from the elements, rounded to nearest.
  void narrow(int microbatch, long elements) {
    if (format != NumberFormat.FLOAT32) {
      format.narrow(floats(microbatch, elements), message(microbatch, elements));
    }
  }

  private MemorySegment floats(int microbatch, long elements) {
    return numbers(microbatch).data().asSlice(0, elements * Float.BYTES);
  }
}
