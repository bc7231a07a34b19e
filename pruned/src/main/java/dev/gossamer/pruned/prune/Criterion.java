package dev.gossamer.pruned.prune;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.Arrays;
import java.util.List;

/// The criterion that decides which parameters survive.
public enum Criterion {
  /// The largest elements of each matrix.
  PER_LAYER,
  /// The largest elements of the network.
  GLOBAL,
  /// The blocks of each matrix with the largest norms.
  BLOCKS,
  /// The channels of convolutions with the largest scales in batch normalisation. Others are
  /// removed, and training continues with the smaller network.
  CHANNELS,
  /// The attention heads with the largest norms of each layer, likewise.
  HEADS,
  /// The neurons of hidden linear layers with the largest norms of each layer, likewise.
  NEURONS,
  /// The heads, neurons and channels with the largest norms of each layer, likewise.
  STRUCTURES;

  /// {@return the criterion that a user names}
  ///
  /// @param name in any case; blocks may include their shape, which [#shape] reads
  /// @throws InvalidSettingException if no criterion has this name
  public static Criterion named(String name) {
    String kind = name.split("=", 2)[0];
    return Arrays.stream(values())
        .filter(each -> InvalidSettingException.nameOf(each).equalsIgnoreCase(kind))
        .filter(each -> each == BLOCKS || kind.equals(name))
        .findFirst()
        .orElseThrow(() ->
            new InvalidSettingException(
                "{criterion}: expected per-layer, global, blocks, blocks=ROWSxCOLUMNS, channels,"
                    + " heads, neurons or structures, found "
                    + name));
  }

  /// {@return the shape of blocks in the name of a criterion: `blocks=8x4`}
  ///
  /// @param name of a criterion
  /// @throws InvalidSettingException if the shape is invalid
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

  /// {@return whether each matrix is pruned separately}
  public boolean isByMatrix() {
    return this == PER_LAYER || this == BLOCKS;
  }

  /// {@return whether entire units are removed, and not single elements}
  public boolean isStructural() {
    return switch (this) {
      case PER_LAYER, GLOBAL, BLOCKS -> false;
      case CHANNELS, HEADS, NEURONS, STRUCTURES -> true;
    };
  }

  /// {@return whether removing entire units can reach a sparsity}
  ///
  /// @param sparsity fraction of all parameters to prune
  /// @param network all parameters
  /// @param structures of the network, with all units
  public boolean reaches(double sparsity, ParameterLayout network, List<Structure> structures) {
    List<Structure> taken = taken(structures);
    return !taken.isEmpty()
        && Math.round(sparsity * (double) network.count())
            <= network.count() - among(network, taken).least();
  }

  /// {@return the pruning of units of a network}
  ///
  /// @param network all parameters
  /// @param structures of the network
  /// @param name of the network
  /// @throws InvalidSettingException if it has no such units
  public StructuredPruning among(ParameterLayout network, List<Structure> structures, String name) {
    List<Structure> taken = taken(structures);
    if (taken.isEmpty()) {
      throw new InvalidSettingException(
          "{criterion} %s: expected %s, found none in %s"
              .formatted(InvalidSettingException.nameOf(this), wanted(), name));
    }
    return among(network, taken);
  }

  private StructuredPruning among(ParameterLayout network, List<Structure> taken) {
    return new StructuredPruning(
        network,
        taken,
        this == CHANNELS
            ? StructuredPruning.Comparison.GLOBAL
            : StructuredPruning.Comparison.UNIFORM);
  }

  private List<Structure> taken(List<Structure> structures) {
    return structures.stream().filter(this::takes).toList();
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
