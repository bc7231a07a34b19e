package dev.gossamer.gnn.inference;

import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.Team;
import org.jspecify.annotations.Nullable;

/// Logits of vertices for evaluation.
public sealed interface Inference extends AutoCloseable
    permits LayerwiseInference, SampledInference {
  /// What progress calls the work.
  String LABEL = "inference";

  /// {@return the vertices that this rank computes, by row of the logits} Over the team that scores
  /// them, each labelled vertex occurs once. Borrowed.
  int[] vertices();

  /// {@return the ranks that have each labelled vertex once between them}
  Team team();

  /// {@return logits, one row for each of [#vertices]} Borrowed: the next call overwrites them.
  /// Collective.
  ///
  /// @param state with the weights
  default DenseMatrix logits(DenseState state) {
    return logits(state, Progress.SILENT);
  }

  /// {@return the same, and somebody hears how many rows of how many are computed} Collective.
  ///
  /// @param state with the weights
  /// @param progress of this rank; hears [#LABEL]
  DenseMatrix logits(DenseState state, Progress progress);

  /// {@return the last hidden layer's activations as the last call of [#logits] left them, one row
  /// for each of [#vertices]; null if the network has no hidden layer, or they are not kept}
  /// Borrowed: the next call overwrites them.
  @Nullable DenseMatrix hidden();

  /// Frees what it keeps between calls. Local.
  @Override
  void close();
}
