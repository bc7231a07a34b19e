package dev.gossamer.pruned;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.layers.LayerNetwork;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What ways to train a network would take of memory, messages and time.
///
/// @param data what is learnt from, in one line; null if no data are open, and sizes are those of
///   the network's publication
/// @param network that is planned for
/// @param format of its parameters
/// @param sparsity share of the parameters that is pruned
/// @param runs those that fit first, the fastest first; of equals, that which ends with less
///   memory, and then fewer ranks
public record PrunedPlan(
    @Nullable String data,
    LayerNetwork network,
    NumberFormat format,
    double sparsity,
    List<PlannedRun> runs) {
  /// Copies the collection.
  public PrunedPlan {
    runs = List.copyOf(runs);
  }
}
