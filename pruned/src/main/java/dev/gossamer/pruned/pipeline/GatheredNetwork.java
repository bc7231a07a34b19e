package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Communicator;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Safetensors.Tensor;
import dev.gossamer.nn.state.Safetensors.TensorSource;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.prune.MaskBits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The network of all pipeline stages, as the first rank reads it: parameter by parameter, each
/// sent by its stage on demand, so that the network need not fit into the memory of a rank.
///
/// The ranks of the first replica take part; all others do nothing. When the first rank reads the
/// [#sources] in order, each other rank must call [#send]. All methods except accessors are
/// collective.
public final class GatheredNetwork {
  private static final int TAG = 3;

  /// A parameter, or a statistic, of a stage.
  private record Part(int stage, ParameterLayout.Entry entry, boolean isParameter) {}

  private final PipelineTrainer trainer;
  private final Communicator world;
  private final boolean takesPart;
  private final List<Part> parts = new ArrayList<>();
  private final @Nullable Mask mask;

  /// Gathers the mask.
  ///
  /// @param trainer of this rank
  public GatheredNetwork(PipelineTrainer trainer) {
    this.trainer = trainer;
    world = trainer.world();
    StagePart mine = trainer.part();
    takesPart = mine.settings().grid().replica(world.rank()) == 0;
    for (StagePart stage : mine.all()) {
      stage.layout().entries().forEach(entry -> parts.add(new Part(stage.stage(), entry, true)));
      stage
          .statistics()
          .entries()
          .forEach(entry -> parts.add(new Part(stage.stage(), entry, false)));
    }
    mask = takesPart ? gatheredMask() : null;
  }

  /// {@return whether this rank reads the network}
  public boolean isFirst() {
    return world.rank() == 0;
  }

  /// {@return the architecture of the network}
  public LayerNetwork network() {
    return trainer.part().network();
  }

  /// {@return the mask of the network; on the first rank}
  ///
  /// @throws IllegalStateException on other ranks
  public Mask mask() {
    if (mask == null || !isFirst()) {
      throw new IllegalStateException("the first rank has the mask");
    }
    return mask;
  }

  private @Nullable Mask gatheredMask() {
    Mask mine = trainer.state().model().mask();
    Map<String, BitSet> survivors = new HashMap<>();
    for (Part part : parts) {
      ParameterLayout.Entry entry = part.entry();
      if (part.isParameter() && Mask.prunable(entry)) {
        try (Arena arena = Arena.ofShared()) {
          MemorySegment bits =
              moved(
                  arena,
                  part.stage(),
                  MaskBits.bytes(entry.count()),
                  to -> MaskBits.write(mine, entry, to));
          if (bits != null) {
            survivors.put(entry.name(), MaskBits.read(bits));
          }
        }
      }
    }
    return isFirst() ? new Mask(network().layout(), survivors) : null;
  }

  /// {@return parameters, in float32 with zeros for pruned elements, and statistics, by name, each
  /// to be read once and in this order; on the first rank}
  public Map<String, TensorSource> sources() {
    Map<String, TensorSource> sources = new LinkedHashMap<>();
    for (Part part : parts) {
      sources.put(
          part.entry().name(),
          TensorSource.floats(
              part.entry().shape(),
              arena -> {
                MemorySegment values = values(arena, part);
                if (values == null) {
                  throw new IllegalStateException("the first rank has the values");
                }
                return values;
              }));
    }
    return sources;
  }

  /// Sends this rank's tensors to the first rank; does nothing on the first rank.
  public void send() {
    if (!takesPart || isFirst()) {
      return;
    }
    for (Part part : parts) {
      try (Arena arena = Arena.ofShared()) {
        values(arena, part);
      }
    }
  }

  /// {@return the whole network on the first rank, null on others}
  public @Nullable NetworkTensors tensors() {
    if (!isFirst()) {
      send();
      return null;
    }
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    sources()
        .forEach((name, source) ->
            tensors.put(name, new Tensor(source.shape(), source.data().apply(Arena.ofAuto()))));
    return new NetworkTensors(network(), tensors, mask());
  }

  private @Nullable MemorySegment values(Arena arena, Part part) {
    String name = part.entry().name();
    return moved(
        arena,
        part.stage(),
        part.entry().count() * Float.BYTES,
        to -> {
          if (part.isParameter()) {
            trainer.state().model().dense(name, to);
          } else {
            to.copyFrom(trainer.statistics().running(name));
          }
        });
  }

  /// Brings what a stage has to the first rank.
  ///
  /// @param fill puts it there, on its stage
  /// @return the bytes on the first rank, null on others
  private @Nullable MemorySegment moved(
      Arena arena, int stage, long bytes, Consumer<MemorySegment> fill) {
    boolean mine = stage == trainer.part().stage();
    if (!mine && !isFirst()) {
      return null;
    }
    MemorySegment values = arena.allocate(bytes, DenseMatrix.ALIGNMENT);
    if (mine) {
      fill.accept(values);
    }
    if (mine && !isFirst()) {
      world.send(0, TAG, values);
    } else if (!mine) {
      world.receive(stage, TAG, values);
    }
    return isFirst() ? values : null;
  }
}
