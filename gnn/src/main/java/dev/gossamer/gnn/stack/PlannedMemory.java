package dev.gossamer.gnn.stack;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.run.memory.BufferPlan;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/// Buffers that are allocated together, as planned by [StackBounds].
public final class PlannedMemory implements StackMemory {
  private final DenseMatrix shared;
  private final List<DenseMatrix> outputs = new ArrayList<>();
  private final List<DenseMatrix> kept = new ArrayList<>();
  private final DenseMatrix carried;

  /// Allocates the memory.
  ///
  /// @param arena its owner
  /// @param plan with the buffers of this number of layers
  /// @param layers how many
  public PlannedMemory(Arena arena, BufferPlan plan, int layers) {
    shared = plan.allocate(arena, StackBounds.SHARED);
    carried =
        plan.has(StackBounds.CARRIED)
            ? plan.allocate(arena, StackBounds.CARRIED)
            : shared.reshaped(0, 0);
    for (int l = 0; l < layers; l++) {
      outputs.add(plan.allocate(arena, StackBounds.output(l)));
      kept.add(
          plan.has(StackBounds.kept(l))
              ? plan.allocate(arena, StackBounds.kept(l))
              : shared.reshaped(0, 0));
    }
  }

  @Override
  public DenseMatrix shared(long elements) {
    return shared;
  }

  @Override
  public DenseMatrix kept(int l, long elements) {
    return kept.get(l);
  }

  @Override
  public DenseMatrix carried(long rows, int cols) {
    return carried;
  }

  @Override
  public DenseMatrix output(int l, long rows, int cols) {
    return outputs.get(l);
  }
}
