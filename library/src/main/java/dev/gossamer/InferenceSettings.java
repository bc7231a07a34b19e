package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Progress;
import java.util.List;

/// How a model looks at a graph when it predicts. Start with [#DEFAULT] and change what differs.
///
/// @param neighbours how many each vertex takes in each layer, from the outputs on; empty for all.
///   They stand for all: means and attention are taken over those that are drawn, and where sums
///   have weights ([dev.gossamer.graph.Normalisation#SYMMETRIC]) a drawn neighbour weighs as much
///   more as makes the expectation of the sum the sum over all
/// @param seed of sampled neighbours
/// @param ranks how many share the vertices, in consecutive blocks; the strategy and the placement
///   make no difference
/// @param machine what may be used of it
/// @param contents what predictions have; embeddings take the more memory
/// @param progress hears how many rows of how many the first rank has computed
public record InferenceSettings(
    List<Integer> neighbours,
    long seed,
    RankSettings ranks,
    MachineSettings machine,
    Predictions.Contents contents,
    Progress progress) {
  /// All neighbours, on one rank, predictions with embeddings.
  public static final InferenceSettings DEFAULT =
      new InferenceSettings(
          List.of(),
          0,
          RankSettings.DEFAULT,
          MachineSettings.DEFAULT,
          Predictions.Contents.EMBEDDINGS,
          Progress.SILENT);

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
    return new InferenceSettings(counts, seed, ranks, machine, contents, progress);
  }

  /// The same on other ranks.
  ///
  /// @param other how many share the vertices
  /// @return the changed copy
  public InferenceSettings withRanks(RankSettings other) {
    return new InferenceSettings(neighbours, seed, other, machine, contents, progress);
  }

  /// The same with another use of the machine.
  ///
  /// @param other what may be used of the machine
  /// @return the changed copy
  public InferenceSettings withMachine(MachineSettings other) {
    return new InferenceSettings(neighbours, seed, ranks, other, contents, progress);
  }

  /// The same with another seed.
  ///
  /// @param number of sampled neighbours
  /// @return the changed copy
  public InferenceSettings withSeed(long number) {
    return new InferenceSettings(neighbours, number, ranks, machine, contents, progress);
  }

  /// The same with other contents.
  ///
  /// @param wanted what predictions have
  /// @return the changed copy
  public InferenceSettings withContents(Predictions.Contents wanted) {
    return new InferenceSettings(neighbours, seed, ranks, machine, wanted, progress);
  }

  /// The same with another receiver of the progress.
  ///
  /// @param listener called from the thread that computes; returns quickly
  /// @return the changed copy
  public InferenceSettings withProgress(Progress listener) {
    return new InferenceSettings(neighbours, seed, ranks, machine, contents, listener);
  }
}
