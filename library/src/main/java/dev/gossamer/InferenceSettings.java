package dev.gossamer;

import dev.gossamer.matrix.io.InvalidSettingException;
import java.util.List;

/// How a model looks at a graph when it predicts. Start with [#DEFAULT] and change what differs.
///
/// @param neighbours how many each vertex takes in each layer, from the outputs on; empty for all.
///   Their mean stands for the neighbourhood, so a model whose layers aggregate rows must have been
///   trained with [dev.gossamer.graph.Normalisation#ROW_MEAN]
/// @param seed of sampled neighbours
/// @param ranks how many share the vertices, in consecutive blocks; the strategy and the placement
///   make no difference
/// @param machine what may be used of it
public record InferenceSettings(
    List<Integer> neighbours, long seed, RankSettings ranks, MachineSettings machine) {
  /// All neighbours, on one rank.
  public static final InferenceSettings DEFAULT =
      new InferenceSettings(List.of(), 0, RankSettings.DEFAULT, MachineSettings.DEFAULT);

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if a number of neighbours is less than 1
  public InferenceSettings {
    neighbours = List.copyOf(neighbours);
    neighbours.forEach(count -> InvalidSettingException.requireAtLeast("neighbours", count, 1));
  }

  /// The same with sampled neighbours.
  ///
  /// @param counts one for each layer, or one for all
  /// @return the changed copy
  public InferenceSettings withNeighbours(List<Integer> counts) {
    return new InferenceSettings(counts, seed, ranks, machine);
  }

  /// The same on other ranks.
  ///
  /// @param other how many share the vertices
  /// @return the changed copy
  public InferenceSettings withRanks(RankSettings other) {
    return new InferenceSettings(neighbours, seed, other, machine);
  }

  /// The same with another use of the machine.
  ///
  /// @param other what may be used of the machine
  /// @return the changed copy
  public InferenceSettings withMachine(MachineSettings other) {
    return new InferenceSettings(neighbours, seed, ranks, other);
  }
}
