package dev.gossamer.gnn.stack;

import dev.gossamer.nn.Backward;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.nn.PassSize;
import dev.gossamer.run.memory.BufferPlan;
import java.util.ArrayList;
import java.util.List;

/// What the passes of a training step take, before they take it: the output `H^l` of each layer,
/// what it keeps for its backward pass, and one buffer shared by all (MG, section 4.2).
public final class StackBounds {
  static final String SHARED = "shared";

  private StackBounds() {}

  /// Name of the buffer of a layer's output.
  static String output(int l) {
    return "layer " + (l + 1);
  }

  /// Name of the buffer of what a layer keeps.
  static String kept(int l) {
    return "kept by layer " + (l + 1);
  }

  /// {@return the buffers of a step}
  ///
  /// @param network its layers
  /// @param sizes of each layer's passes, at most
  public static List<BufferPlan.Buffer> buffers(Network network, List<PassSize> sizes) {
    List<BufferPlan.Buffer> buffers = new ArrayList<>();
    long shared = 0;
    for (int l = 0; l < sizes.size(); l++) {
      GraphLayer layer = network.layers().get(l);
      PassSize size = sizes.get(l);
      buffers.add(new BufferPlan.Buffer(output(l), size.targets(), layer.out()));
      long kept = layer.keptElements(size);
      if (kept > 0) {
        buffers.add(BufferPlan.Buffer.ofElements(kept(l), size.targets(), kept));
      }
      Backward backward = l > 0 ? Backward.INPUT : Backward.PARAMETERS;
      shared = Math.max(shared, layer.sharedElements(size, backward));
    }
    boolean sameRows = sizes.stream().map(PassSize::targets).distinct().count() == 1;
    buffers.add(
        BufferPlan.Buffer.ofElements(SHARED, sameRows ? sizes.getFirst().targets() : 0, shared));
    return buffers;
  }
}
