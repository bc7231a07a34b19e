package dev.gossamer.pruned;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.layers.LayerNetwork;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The predicted memory, messages and time of strategies for training a network.
///
/// @param data the training data in one line; null if no data are open, in which case sizes are
///   those of the network's publication
/// @param network the planned network
/// @param format of its parameters
/// @param sparsity fraction of the parameters that is pruned
/// @param runs strategies that fit come first, fastest first; ties are broken by less memory at the
///   end, then by fewer ranks
public record PrunedPlan(
    @Nullable String data,
    LayerNetwork network,
    NumberFormat format,
    double sparsity,
    List<PlannedRun> runs) {
  /// Copies the list.
  public PrunedPlan {
    runs = List.copyOf(runs);
  }
}
