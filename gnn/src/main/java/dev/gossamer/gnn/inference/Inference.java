package dev.gossamer.gnn.inference;

import org.jspecify.annotations.Nullable;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.DenseState;
import dev.gossamer.run.Team;

/// Logits of vertices for evaluation.
public sealed interface Inference extends AutoCloseable permits LayerwiseInference, SampledInference {
  /// The vertices that this rank computes, by row of the logits. Over the team that scores them,
  /// each labelled vertex occurs once. Borrowed.
  int[] vertices();

  /// The ranks that have each labelled vertex once between them.
  Team team();

  /// Logits, one row for each of [#vertices]. Borrowed: the next call overwrites them. Collective.
  DenseMatrix logits(DenseState state);

  /// The last hidden layer's activations as the last call of [#logits] left them, one row for each of
  /// [#vertices]; null if the network has no hidden layer, or they are not kept. Borrowed: the next
  /// call overwrites them.
  @Nullable DenseMatrix hidden();

  /// Frees what it keeps between calls. Local.
  @Override
  void close();
}
