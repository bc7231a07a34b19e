package dev.gossamer;

import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.planner.RunCost;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// A strategy for a training, and its cost.
///
/// @param ranks how many, how they exchange rows, and the placement of the vertices
/// @param minibatches how they are made; null for the whole graph
/// @param place nodes and threads
/// @param memory that it needs
/// @param cost of the run; empty for minibatches that do not fit, since none is drawn
public record PlannedStrategy(
    RankSettings ranks,
    @Nullable MinibatchSettings minibatches,
    Place place,
    Memory memory,
    Optional<RunCost> cost) {
  /// Where ranks are.
  ///
  /// @param ranks how many
  /// @param nodes how many of them are used
  /// @param ranksOfNode ranks of a full node
  /// @param threads of each rank
  /// @param processes whether each rank is a process, as under a launcher; otherwise they are
  ///   threads of one
  public record Place(int ranks, int nodes, int ranksOfNode, int threads, boolean processes) {
    static Place of(RankLayout layout, boolean processes) {
      return new Place(
          layout.ranks(), layout.nodes(), layout.ranksOfNode(), layout.threads(), processes);
    }
  }

  /// What a strategy learns from, compared with one rank that trains on the whole graph. All but
  /// the first give different weights and perhaps a different accuracy.
  public enum Learning {
    /// From the whole graph, as one rank does.
    WHOLE("as one rank"),
    /// From sampled minibatches, which do not depend on the ranks.
    SAMPLED("sampled"),
    /// From minibatches of a rank's own vertices.
    OWN_BATCHES("own batches"),
    /// From minibatches that use historical embeddings of remote vertices.
    STALE("stale rows");

    private final String words;

    Learning(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /// {@return what it learns from}
  public Learning learning() {
    if (minibatches == null) {
      return Learning.WHOLE;
    }
    if (ranks.ranks().count() > 1 && minibatches.historical() != null) {
      return Learning.STALE;
    }
    return ranks.ranks().count() > 1 && minibatches.ownBatches()
        ? Learning.OWN_BATCHES
        : Learning.SAMPLED;
  }

  /// The memory of a strategy.
  ///
  /// @param ofRank of the rank that needs most, as if it were a process of its own
  /// @param ofNode bytes of the ranks of a full node, without mapped files
  /// @param limit maximum bytes of these
  public record Memory(MemoryEstimate ofRank, long ofNode, long limit) {
    /// {@return whether it fits}
    public boolean fits() {
      return ofNode <= limit;
    }
  }

  /// Returns the settings of a training with this strategy: its ranks and its minibatches, or the
  /// whole graph as memory allows.
  ///
  /// @param asked the other settings
  /// @return the changed copy
  public TrainingSettings settings(TrainingSettings asked) {
    boolean divided = place.ranks() > 1 && (minibatches == null || minibatches.ownBatches());
    TrainingMode mode =
        minibatches == null
            ? new TrainingMode.Auto(asked.architecture().usualMinibatches())
            : new TrainingMode.Minibatch(minibatches);
    return asked.withMode(mode).withRanks(divided ? ranks : ranks.withUsualPlacement());
  }

  /// {@return the name of the placement, also if it is the usual one}
  public String placement() {
    String where = ranks.placement();
    return where == null ? Placed.BLOCK : where;
  }

  /// {@return whether the strategy fits into the memory of its nodes}
  public boolean fits() {
    return memory.fits();
  }

  /// {@return seconds per epoch of training; infinite if it does not fit}
  public double seconds() {
    return seconds(run -> run.epoch().seconds());
  }

  /// {@return seconds of the run, including evaluations and one-time costs ([RunCost]); infinite if
  /// it does not fit}
  public double runSeconds() {
    return seconds(RunCost::seconds);
  }

  private double seconds(ToDoubleFunction<RunCost> part) {
    return fits()
        ? cost.map(part::applyAsDouble).orElse(Double.POSITIVE_INFINITY)
        : Double.POSITIVE_INFINITY;
  }
}
