package dev.gossamer.gnn.stack;

import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.PassSize;
import dev.gossamer.run.memory.BufferPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/// The memory of the passes of a training step: the output `H^l` of each layer, what it keeps for
/// its backward pass, and one buffer shared by all (MG, section 4.2).
public final class StackBounds {
  static final String SHARED = "shared";

  /// Name of the buffer of rows that layers leave for later ones.
  static final String CARRIED = "carried";

  private StackBounds() {}

  /// Name of the buffer of a layer's output.
  static String output(int l) {
    return "layer " + (l + 1);
  }

  /// Name of the buffer that a layer keeps for its backward pass.
  static String kept(int l) {
    return "kept by layer " + (l + 1);
  }

  /// {@return the buffers of a step}
  ///
  /// @param network its layers
  /// @param sizes maximum sizes of each layer's passes
  public static List<BufferPlan.Buffer> buffers(Network network, List<PassSize> sizes) {
    return buffers(network, sizes, l -> l > 0 ? Backward.INPUT : Backward.PARAMETERS);
  }

  /// {@return the buffers of forward passes only}
  ///
  /// @param network its layers
  /// @param sizes maximum sizes of each layer's passes
  public static List<BufferPlan.Buffer> evaluationBuffers(Network network, List<PassSize> sizes) {
    return buffers(network, sizes, l -> Backward.NONE);
  }

  /// {@return the buffers of passes through one layer after another, all in the same memory}
  ///
  /// @param network its layers
  /// @param size maximum size of each pass
  /// @param halves whether the first layer is passed in two halves, each with as many sources as
  ///   targets
  public static List<BufferPlan.Buffer> layerwiseBuffers(
      Network network, PassSize size, boolean halves) {
    long output = 0;
    long kept = 0;
    long shared = 0;
    PassSize half = new PassSize(size.targets(), size.targets(), size.edges());
    for (int l = 0; l < network.layers().size(); l++) {
      GraphLayer layer = network.layers().get(l);
      PassSize pass = l == 0 && halves ? half : size;
      output = Math.max(output, size.targets() * layer.out());
      kept = Math.max(kept, layer.keptElements(pass));
      shared = Math.max(shared, layer.sharedElements(pass, Backward.NONE));
    }
    return List.of(
        new BufferPlan.Buffer(output(0), output, 1),
        new BufferPlan.Buffer(kept(0), kept, 1),
        new BufferPlan.Buffer(SHARED, shared, 1));
  }

  /// {@return bytes of buffers that two kinds of passes share}
  ///
  /// @param some of a network's layers
  /// @param others of the same layers
  public static long bytesOfLarger(List<BufferPlan.Buffer> some, List<BufferPlan.Buffer> others) {
    Map<String, Long> larger = new HashMap<>();
    some.forEach(buffer -> larger.put(buffer.name(), buffer.bytes()));
    others.forEach(buffer -> larger.merge(buffer.name(), buffer.bytes(), Math::max));
    return larger.values().stream().mapToLong(Long::longValue).sum();
  }

  private static List<BufferPlan.Buffer> buffers(
      Network network, List<PassSize> sizes, IntFunction<Backward> backward) {
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
      shared = Math.max(shared, layer.sharedElements(size, backward.apply(l)));
    }
    if (network.carriedWidth() > 0) {
      buffers.add(
          new BufferPlan.Buffer(CARRIED, network.carriedRows(sizes), network.carriedWidth()));
    }
    boolean sameRows = sizes.stream().map(PassSize::targets).distinct().count() == 1;
    buffers.add(
        BufferPlan.Buffer.ofElements(SHARED, sameRows ? sizes.getFirst().targets() : 0, shared));
    return buffers;
  }
}
