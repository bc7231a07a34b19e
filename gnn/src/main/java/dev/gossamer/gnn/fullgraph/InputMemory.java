package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.NetworkInput;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.run.memory.BufferPlan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Memory for a whole graph's features with dropout applied, allocated once.
final class InputMemory implements NetworkInput.Memory {
  private final Arena arena;
  private final @Nullable DenseMatrix dense;

  /// @param arena owner of the memory
  /// @param plan has a buffer if dropout applies to dense features
  InputMemory(Arena arena, BufferPlan plan) {
    this.arena = arena;
    dense = plan.has(NetworkPlan.INPUT) ? plan.allocate(arena, NetworkPlan.INPUT) : null;
  }

  @Override
  public DenseMatrix dropped(DenseMatrix x) {
    if (dense == null) {
      throw new IllegalStateException("the plan has no buffer " + NetworkPlan.INPUT);
    }
    return dense;
  }

  @Override
  public MemorySegment values(NetworkInput.Values which, long bytes) {
    return arena.allocate(bytes, DenseMatrix.ALIGNMENT);
  }
}
