package dev.gossamer.gnn.inference;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.DenseState;
import dev.gossamer.run.Team;
import org.jspecify.annotations.Nullable;

/// Logits of vertices for evaluation.
public sealed interface Inference extends AutoCloseable
    permits LayerwiseInference, SampledInference {
  /// {@return the vertices that this rank computes, by row of the logits} Over the team that scores
  /// them, each labelled vertex occurs once. Borrowed.
  int[] vertices();

  /// {@return the ranks that have each labelled vertex once between them}
  Team team();

  /// {@return logits, one row for each of [#vertices]} Borrowed: the next call overwrites them.
  /// Collective.
  ///
  /// @param state with the weights
  DenseMatrix logits(DenseState state);

  /// {@return the last hidden layer's activations as the last call of [#logits] left them, one row
  /// for each of [#vertices]; null if the network has no hidden layer, or they are not kept}
  /// Borrowed: the next call overwrites them.
  @Nullable DenseMatrix hidden();

  /// Frees what it keeps between calls. Local.
  @Override
  void close();
}
