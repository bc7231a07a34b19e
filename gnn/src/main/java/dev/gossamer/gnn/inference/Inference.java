package dev.gossamer.gnn.inference;

import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.Team;
import org.jspecify.annotations.Nullable;

/// Computes logits for evaluation and prediction.
public sealed interface Inference extends AutoCloseable
    permits LayerwiseInference, SampledInference {
  /// Name of the work in progress reports.
  String LABEL = "inference";

  /// {@return the vertices that this rank computes, by row of the logits} Each labelled vertex
  /// occurs once in the team. Borrowed.
  int[] vertices();

  /// {@return the ranks that together have each labelled vertex once}
  Team team();

  /// {@return logits, one row for each of [#vertices]} Borrowed: the next call overwrites them.
  /// Collective.
  ///
  /// @param state with the weights
  default DenseMatrix logits(DenseState state) {
    return logits(state, Progress.SILENT);
  }

  /// {@return the same, with progress reports} Collective.
  ///
  /// @param state with the weights
  /// @param progress of this rank; is notified of [#LABEL]
  DenseMatrix logits(DenseState state, Progress progress);

  /// {@return the activations of the last hidden layer from the last call of [#logits], one row for
  /// each of [#vertices]; null if the network has no hidden layer, or they are not stored}
  /// Borrowed: the next call overwrites them.
  @Nullable DenseMatrix hidden();

  /// Frees memory that is kept between calls. Local.
  @Override
  void close();
}
