package dev.gossamer;

import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.SamplingSeconds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What was measured in a training beside its epochs.
public sealed interface TrainingFacts {
  /// What ranks sent in an epoch over the whole graph.
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

  /// What minibatches took per epoch, over all ranks.
  ///
  /// @param settings with the bulk that was chosen
  /// @param ranks that trained
  /// @param batches how many there were
  /// @param edges sampled
  /// @param seconds where time went
  /// @param drawing where the time of drawing went, each on the slowest rank
  /// @param graphBytes of rows of the graph that came from other ranks
  /// @param fetched features that travelled
  /// @param historical what historical embeddings did; null if there were none
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
  /// @param all of all ranks
  /// @param least of a rank
  /// @param most of a rank
  record Batches(int steps, double all, double least, double most) {}

  /// Seconds per epoch, each on the slowest rank.
  ///
  /// @param sample that drawing took, in whichever thread
  /// @param fetch that fetching took, likewise
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

  /// Features that travelled per epoch.
  ///
  /// @param bytes from other ranks
  /// @param hitRate share of the features of other ranks that caches had
  /// @param dense whether rows are dense, and travel in the format that the settings say; sparse
  ///   ones travel as they are stored
  record Fetched(double bytes, double hitRate, boolean dense) {}
}
