package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Progress;
import java.util.List;

/// Settings of prediction and evaluation. Start with [#DEFAULT] and change what differs.
///
/// @param neighbours sampled for each vertex in each layer, the output layer first; empty for all.
///   Means and attention are taken over the sampled neighbours. In weighted sums
///   ([dev.gossamer.graph.Normalisation#SYMMETRIC]) their weights are scaled up, so that the
///   expected sum is that over all neighbours
/// @param seed of sampled neighbours
/// @param ranks how many share the vertices, in consecutive blocks; the strategy and the placement
///   make no difference
/// @param machine threads, memory and matrix products
/// @param contents of predictions; embeddings need additional memory
/// @param outputBytes memory that the caller takes to write predictions; the estimate includes what
///   exceeds the memory that is free again then
/// @param progress is notified of the rows that the first rank has computed
public record InferenceSettings(
    List<Integer> neighbours,
    long seed,
    RankSettings ranks,
    MachineSettings machine,
    Predictions.Contents contents,
    long outputBytes,
    Progress progress) {
  /// All neighbours, one rank, predictions with embeddings.
  public static final InferenceSettings DEFAULT =
      new InferenceSettings(
          List.of(),
          0,
          RankSettings.DEFAULT,
          MachineSettings.DEFAULT,
          Predictions.Contents.EMBEDDINGS,
          0,
          Progress.SILENT);

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if a number of neighbours is less than 1, or bytes are
  ///   negative
  public InferenceSettings {
    neighbours = List.copyOf(neighbours);
    neighbours.forEach(count -> InvalidSettingException.requireAtLeast("neighbours", count, 1));
    InvalidSettingException.requireAtLeast("outputBytes", outputBytes, 0);
  }

  /// Returns a copy with sampled neighbours.
  ///
  /// @param counts one for each layer, or one for all
  /// @return the changed copy
  public InferenceSettings withNeighbours(List<Integer> counts) {
    return new InferenceSettings(counts, seed, ranks, machine, contents, outputBytes, progress);
  }

  /// Returns a copy with other ranks.
  ///
  /// @param other how many share the vertices
  /// @return the changed copy
  public InferenceSettings withRanks(RankSettings other) {
    return new InferenceSettings(neighbours, seed, other, machine, contents, outputBytes, progress);
  }

  /// Returns a copy with other settings of the machine.
  ///
  /// @param other threads, memory and matrix products
  /// @return the changed copy
  public InferenceSettings withMachine(MachineSettings other) {
    return new InferenceSettings(neighbours, seed, ranks, other, contents, outputBytes, progress);
  }

  /// Returns a copy with another seed.
  ///
  /// @param number of sampled neighbours
  /// @return the changed copy
  public InferenceSettings withSeed(long number) {
    return new InferenceSettings(
        neighbours, number, ranks, machine, contents, outputBytes, progress);
  }

  /// Returns a copy with other contents.
  ///
  /// @param wanted contents of predictions
  /// @return the changed copy
  public InferenceSettings withContents(Predictions.Contents wanted) {
    return new InferenceSettings(neighbours, seed, ranks, machine, wanted, outputBytes, progress);
  }

  /// Returns a copy with other memory for writing the predictions.
  ///
  /// @param bytes that the caller takes
  /// @return the changed copy
  public InferenceSettings withOutputBytes(long bytes) {
    return new InferenceSettings(neighbours, seed, ranks, machine, contents, bytes, progress);
  }

  /// Returns a copy with another receiver of the progress.
  ///
  /// @param listener called from the thread that computes; returns quickly
  /// @return the changed copy
  public InferenceSettings withProgress(Progress listener) {
    return new InferenceSettings(neighbours, seed, ranks, machine, contents, outputBytes, listener);
  }
}
