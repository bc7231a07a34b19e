package dev.gossamer.run.memory;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.List;

/// Every buffer with one row per vertex that an epoch will use, decided before the first epoch.
/// Nothing of that size is allocated afterwards.
///
/// A full-graph run takes MG's count (MG, section 4.2): one buffer a layer and one shared by all.
///
/// @param buffers in the order in which they were asked for
public record BufferPlan(List<Buffer> buffers) {
  /// One buffer.
  ///
  /// @param name what the printed plan calls it
  public record Buffer(String name, long rows, int cols) {
    public long bytes() {
      return DenseMatrix.bytes(rows, cols);
    }

    /// A buffer of so many elements: with a row a vertex if that comes out even, else with one an
    /// element.
    public static Buffer ofElements(String name, long rows, long elements) {
      return rows == 0 || elements % rows != 0
          ? new Buffer(name, elements, 1)
          : new Buffer(name, rows, Math.toIntExact(elements / rows));
    }
  }

  public BufferPlan {
    buffers = List.copyOf(buffers);
  }

  /// Bytes of all buffers.
  public long bytes() {
    return buffers.stream().mapToLong(Buffer::bytes).sum();
  }

  /// Whether there is a buffer of that name.
  public boolean has(String name) {
    return buffers.stream().anyMatch(b -> b.name().equals(name));
  }

  /// Takes the memory of one buffer of this plan.
  ///
  /// @throws IllegalArgumentException if the plan has no buffer of that name
  public DenseMatrix allocate(Arena arena, String name) {
    return buffers.stream()
        .filter(b -> b.name().equals(name))
        .findFirst()
        .map(b -> DenseMatrix.allocate(arena, b.rows(), b.cols()))
        .orElseThrow(() -> new IllegalArgumentException("the plan has no buffer " + name));
  }
}
