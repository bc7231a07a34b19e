package dev.gossamer;

import dev.gossamer.gnn.minibatch.MinibatchSettings;
import org.jspecify.annotations.Nullable;

/// How an epoch goes through the graph.
public sealed interface TrainingMode {
  /// One step over all vertices.
  record FullGraph() implements TrainingMode {}

  /// A step for each minibatch of sampled neighbourhoods.
  ///
  /// @param settings how minibatches are made
  record Minibatch(MinibatchSettings settings) implements TrainingMode {}

  /// The whole graph if it fits in memory, else minibatches.
  ///
  /// Under a launcher whose processes have no limit set ([MachineSettings#memory]), what is
  /// available differs from one to the next: there the whole graph is trained on. So it is if the
  /// network cannot be trained on minibatches, or rows travel in a way that they do not have.
  ///
  /// @param ifNeeded how minibatches would be made
  record Auto(MinibatchSettings ifNeeded) implements TrainingMode {}

  /// {@return how minibatches are, or would be, made; null if there are none in any case}
  default @Nullable MinibatchSettings minibatches() {
    return switch (this) {
      case FullGraph _ -> null;
      case Minibatch batches -> batches.settings();
      case Auto either -> either.ifNeeded();
    };
  }
}
