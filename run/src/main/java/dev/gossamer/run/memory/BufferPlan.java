package dev.gossamer.run.memory;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.List;

/// The buffers with one row per vertex that an epoch uses, planned before the first epoch. Nothing
/// of that size is allocated afterwards.
///
/// A full-graph run uses the number of buffers of MG, section 4.2: one buffer per layer and one
/// shared by all.
///
/// @param buffers in the order in which they were requested
public record BufferPlan(List<Buffer> buffers) {
  /// One buffer.
  ///
  /// @param name the name in the printed plan
  /// @param rows number of rows
  /// @param cols number of columns
  public record Buffer(String name, long rows, int cols) {
    /// {@return bytes of the buffer}
    public long bytes() {
      return DenseMatrix.bytes(rows, cols);
    }

    /// {@return a buffer of a number of elements: with one row per vertex if the number is
    /// divisible, otherwise with one row per element}
    ///
    /// @param name the name in the printed plan
    /// @param rows number of vertices
    /// @param elements number of elements
    public static Buffer ofElements(String name, long rows, long elements) {
      return rows == 0 || elements % rows != 0
          ? new Buffer(name, elements, 1)
          : new Buffer(name, rows, Math.toIntExact(elements / rows));
    }
  }

  /// Copies the list.
  public BufferPlan {
    buffers = List.copyOf(buffers);
  }

  /// {@return bytes of all buffers}
  public long bytes() {
    return buffers.stream().mapToLong(Buffer::bytes).sum();
  }

  /// {@return whether there is a buffer of that name}
  ///
  /// @param name of a buffer
  public boolean has(String name) {
    return buffers.stream().anyMatch(b -> b.name().equals(name));
  }

  /// {@return one buffer of this plan, allocated}
  ///
  /// @param arena owner of the memory
  /// @param name of the buffer
  /// @throws IllegalArgumentException if the plan has no buffer of that name
  public DenseMatrix allocate(Arena arena, String name) {
    return buffers.stream()
        .filter(b -> b.name().equals(name))
        .findFirst()
        .map(b -> DenseMatrix.allocate(arena, b.rows(), b.cols()))
        .orElseThrow(() -> new IllegalArgumentException("the plan has no buffer " + name));
  }
}
