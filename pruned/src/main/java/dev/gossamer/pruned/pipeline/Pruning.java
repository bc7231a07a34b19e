package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.prune.BlockShape;
import dev.gossamer.pruned.prune.Structure;
import dev.gossamer.pruned.prune.StructuredPruning;
import java.util.Arrays;
import java.util.List;

/// When a network is pruned. What goes is up to the [Criterion].
public sealed interface Pruning {
  /// What decides which parameters survive.
  enum Criterion {
    /// The largest of each matrix.
    PER_LAYER,
    /// The largest of the network.
    GLOBAL,
    /// The blocks of each matrix whose norm is the largest.
    BLOCKS,
    /// The channels of convolutions with the largest scales in batch normalisation. Those that do
    /// not survive are removed, and training continues with the smaller network.
    CHANNELS,
    /// The attention heads with the largest norms of each layer, likewise.
    HEADS,
    /// The neurons of hidden linear layers with the largest norms of each layer, likewise.
    NEURONS,
    /// The heads, neurons and channels with the largest norms of each layer, likewise.
    STRUCTURES;

    /// {@return the criterion that a user names}
    ///
    /// @param name in any case; that of blocks may have their shape, which [#shape] reads
    /// @throws InvalidSettingException if there is none of this name
    public static Criterion named(String name) {
      String kind = name.split("=", 2)[0];
      return Arrays.stream(values())
          .filter(each -> InvalidSettingException.nameOf(each).equalsIgnoreCase(kind))
          .filter(each -> each == BLOCKS || kind.equals(name))
          .findFirst()
          .orElseThrow(() ->
              new InvalidSettingException(
                  "{criterion}: expected per-layer, global, blocks, blocks=ROWSxCOLUMNS, channels, heads,"
                      + " neurons or structures, found "
                      + name));
    }

    /// {@return the shape of blocks that a user names: `blocks=8x4`}
    ///
    /// @param name of a criterion
    /// @throws InvalidSettingException if it has another shape than a block can have
    public static BlockShape shape(String name) {
      String[] parts = name.split("=", 2);
      return parts.length == 1 ? BlockShape.DEFAULT : BlockShape.parse(parts[1]);
    }

    /// {@return the name, with the shape of blocks: `blocks=4x4`}
    ///
    /// @param blocks their shape
    public String name(BlockShape blocks) {
      String name = InvalidSettingException.nameOf(this);
      return this == BLOCKS ? name + "=" + blocks : name;
    }

    /// {@return whether each matrix is looked at by itself}
    public boolean isByMatrix() {
      return this == PER_LAYER || this == BLOCKS;
    }

    /// {@return whether whole units survive or are removed, and not single elements}
    public boolean isStructural() {
      return switch (this) {
        case PER_LAYER, GLOBAL, BLOCKS -> false;
        case CHANNELS, HEADS, NEURONS, STRUCTURES -> true;
      };
    }

    /// {@return whether so large a share of a network's parameters belongs to whole units}
    ///
    /// @param sparsity share of all parameters
    /// @param network with all units
    public boolean reaches(double sparsity, LayerNetwork network) {
      if (network.structures().stream().noneMatch(this::takes)) {
        return false;
      }
      return Math.round(sparsity * (double) network.parameters()) <= removable(network);
    }

    /// Parameters that belong to units which may all be removed.
    ///
    /// @throws InvalidSettingException if the network has none
    long removable(LayerNetwork network) {
      return network.parameters() - among(network).least();
    }

    /// Returns the units among which it chooses.
    ///
    /// @throws InvalidSettingException if the network has none
    StructuredPruning among(LayerNetwork network) {
      List<Structure> structures = network.structures().stream().filter(this::takes).toList();
      if (structures.isEmpty()) {
        throw new InvalidSettingException(
            "{criterion} %s: expected %s, found none in %s"
                .formatted(InvalidSettingException.nameOf(this), wanted(), network.name()));
      }
      return new StructuredPruning(
          network.layout(),
          structures,
          this == CHANNELS
              ? StructuredPruning.Comparison.GLOBAL
              : StructuredPruning.Comparison.UNIFORM);
    }

    private boolean takes(Structure structure) {
      return switch (this) {
        case PER_LAYER, GLOBAL, BLOCKS -> false;
        case CHANNELS -> structure.scale() != null;
        case HEADS -> structure.kind() == Structure.Kind.HEADS;
        case NEURONS -> structure.kind() == Structure.Kind.NEURONS;
        case STRUCTURES -> true;
      };
    }

    private String wanted() {
      return switch (this) {
        case CHANNELS -> "convolutions with batch normalisation";
        case HEADS -> "attention";
        case NEURONS -> "hidden linear layers";
        case PER_LAYER, GLOBAL, BLOCKS, STRUCTURES -> "units that can be removed";
      };
    }
  }

  /// Never: all parameters are kept.
  record None() implements Pruning {}

  /// At once, before an iteration.
  ///
  /// @param at 0-based
  record OneShot(int at) implements Pruning {}

  /// When the mask has stabilised: an Early-Bird Ticket (H. You, C. Li, P. Xu and others, *Drawing
  /// Early-Bird Tickets*, ICLR 2020).
  ///
  /// @param every iterations between two masks: an epoch of the publication
  /// @param window masks that are compared with the newest
  /// @param threshold the largest distance of stable masks
  /// @param latest iteration before which the newest mask is taken, stable or not
  record EarlyBird(int every, int window, double threshold, int latest) implements Pruning {
    /// Masks that are remembered, at most: each takes a bit for each element. Published are five.
    public static final int MOST_MASKS = 64;
  }

  /// Step by step (M. Zhu and S. Gupta, *To prune, or not to prune*, 2017).
  ///
  /// @param begin iteration before which the first step is taken
  /// @param end iteration before which the last step is taken
  /// @param every iterations between two steps
  record Gradual(int begin, int end, int every) implements Pruning {}

  /// By a mask of the whole network, before the first iteration.
  ///
  /// @param mask of the whole network
  record Given(Mask mask) implements Pruning {}
}
