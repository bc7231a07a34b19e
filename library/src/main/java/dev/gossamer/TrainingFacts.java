package dev.gossamer;

import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.SamplingSeconds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Measurements of a training other than those of its epochs.
public sealed interface TrainingFacts {
  /// Traffic of an epoch over the whole graph.
  ///
  /// @param bytes by rank
  /// @param messages by rank
  record Sent(List<Long> bytes, List<Long> messages) implements TrainingFacts {
    /// Copies the lists.
    public Sent {
      bytes = List.copyOf(bytes);
      messages = List.copyOf(messages);
    }
  }

  /// Measurements of minibatches per epoch, over all ranks.
  ///
  /// @param settings with the bulk that was chosen
  /// @param ranks that trained
  /// @param batches how many there were
  /// @param edges sampled
  /// @param seconds breakdown of the time
  /// @param drawing breakdown of the time of drawing, each on the slowest rank
  /// @param graphBytes of remote rows of the graph
  /// @param fetched remote features
  /// @param historical measurements of historical embeddings; null if there were none
  record Sampled(
      MinibatchSettings settings,
      int ranks,
      Batches batches,
      double edges,
      Seconds seconds,
      SamplingSeconds drawing,
      double graphBytes,
      Fetched fetched,
      @Nullable HistoricalFacts historical)
      implements TrainingFacts {}

  /// Steps and batches per epoch.
  ///
  /// @param steps of the optimizer
  /// @param all batches of all ranks
  /// @param least batches of a rank
  /// @param most batches of a rank
  record Batches(int steps, double all, double least, double most) {}

  /// Seconds per epoch, each on the slowest rank.
  ///
  /// @param sample drawing, in any thread
  /// @param fetch fetching, in any thread
  /// @param sampleWait that the training thread waited for batches
  /// @param fetchWait that it waited for features
  /// @param propagate the rest
  /// @param evaluate of one evaluation
  record Seconds(
      double sample,
      double fetch,
      double sampleWait,
      double fetchWait,
      double propagate,
      double evaluate) {}

  /// Remote features per epoch.
  ///
  /// @param bytes received
  /// @param hitRate share of the remote features that were in caches
  /// @param dense whether rows are dense and sent in the format of the settings; sparse rows are
  ///   sent as they are stored
  record Fetched(double bytes, double hitRate, boolean dense) {}
}
