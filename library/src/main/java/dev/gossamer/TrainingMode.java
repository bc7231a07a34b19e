package dev.gossamer;

import dev.gossamer.gnn.minibatch.MinibatchSettings;
import org.jspecify.annotations.Nullable;

/// Whether an epoch is one step over the whole graph or many over minibatches.
public sealed interface TrainingMode {
  /// One step over all vertices.
  record FullGraph() implements TrainingMode {}

  /// A step for each minibatch of sampled neighbourhoods.
  ///
  /// @param settings how minibatches are made
  record Minibatch(MinibatchSettings settings) implements TrainingMode {}

  /// The whole graph if it fits in memory, else minibatches.
  ///
  /// The whole graph is also used under a launcher without a memory limit
  /// ([MachineSettings#memory]), since available memory differs between processes, and if the
  /// network or the exchange of rows does not work with minibatches.
  ///
  /// @param ifNeeded how minibatches would be made
  record Auto(MinibatchSettings ifNeeded) implements TrainingMode {}

  /// {@return how minibatches are, or would be, made; null if the mode never has any}
  default @Nullable MinibatchSettings minibatches() {
    return switch (this) {
      case FullGraph _ -> null;
      case Minibatch batches -> batches.settings();
      case Auto either -> either.ifNeeded();
    };
  }
}
