package dev.gossamer.run.memory;

import dev.gossamer.base.Resources;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Off-heap memory that batches reuse, growing to the largest so far. Not confined to a thread.
public final class GrowingSegment implements AutoCloseable {
  private @Nullable Arena arena;
  private MemorySegment memory = MemorySegment.NULL;

  /// Creates an empty segment.
  public GrowingSegment() {}

  /// {@return upper bound of the memory for requests of up to this number of bytes}: 1/16 more once
  /// it has grown, and the same for gaps that smaller memory has left.
  ///
  /// @param bytes maximum request
  public static long bytesAtMost(long bytes) {
    return bytes + bytes / 8;
  }

  /// {@return memory of exactly this number of bytes, contents undefined} Reuses the memory that
  /// was returned before, which becomes invalid if it is too small.
  ///
  /// @param bytes number of bytes
  public MemorySegment ofBytes(long bytes) {
    if (arena == null || bytes > memory.byteSize()) {
      // Memory that grows once may grow again: a sixteenth more, so that not every batch needs new
      // memory.
      long capacity = arena == null ? bytes : bytes + bytes / 16;
      close();
      arena =
          Resources.handedOver(
              Arena.ofShared(),
              fresh -> {
                memory = fresh.allocate(capacity, DenseMatrix.ALIGNMENT);
                return fresh;
              });
    }
    return memory.asSlice(0, bytes);
  }

  /// {@return memory for a matrix, as [#ofBytes]}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  public DenseMatrix ofRows(long rows, int cols) {
    return DenseMatrix.wrap(ofBytes(DenseMatrix.bytes(rows, cols)), rows, cols);
  }

  @Override
  public void close() {
    if (arena != null) {
      memory = MemorySegment.NULL;
      arena.close();
      arena = null;
    }
  }
}
