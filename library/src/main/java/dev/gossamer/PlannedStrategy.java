package dev.gossamer;

import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.planner.RunCost;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// A way to train, and what it would cost.
///
/// @param ranks how many, what travels between them, and where vertices are
/// @param minibatches how they are made; null for the whole graph
/// @param place nodes and threads
/// @param memory what it takes
/// @param cost of the run; empty for minibatches that do not fit, of which none is drawn
public record PlannedStrategy(
    RankSettings ranks,
    @Nullable MinibatchSettings minibatches,
    Place place,
    Memory memory,
    Optional<RunCost> cost) {
  /// Where ranks are.
  ///
  /// @param ranks how many there are
  /// @param nodes that have some
  /// @param ranksOfNode of a full node
  /// @param threads of each rank
  /// @param processes whether each rank is a process, as a launcher starts them; else they are
  ///   threads of one
  public record Place(int ranks, int nodes, int ranksOfNode, int threads, boolean processes) {
    static Place of(RankLayout layout, boolean processes) {
      return new Place(
          layout.ranks(), layout.nodes(), layout.ranksOfNode(), layout.threads(), processes);
    }
  }

  /// From what a strategy learns, compared with one rank that goes over the whole graph. In all but
  /// the first it is another sequence of weights, and may be another accuracy.
  public enum Learning {
    /// From the whole graph, as one rank does.
    WHOLE("as one rank"),
    /// From sampled minibatches, which do not depend on the ranks.
    SAMPLED("sampled"),
    /// From minibatches of a rank's own vertices.
    OWN_BATCHES("own batches"),
    /// From minibatches that see earlier embeddings of other ranks' vertices.
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

  /// {@return from what it learns}
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

  /// What a strategy takes of memory.
  ///
  /// @param ofRank of the rank with most, if it were a process of its own
  /// @param ofNode bytes of the ranks of a full node, mapped files apart
  /// @param limit bytes that they may take
  public record Memory(MemoryEstimate ofRank, long ofNode, long limit) {
    /// {@return whether it does}
    public boolean fits() {
      return ofNode <= limit;
    }
  }

  /// The settings of a training by this strategy: its ranks and its minibatches, or the whole graph
  /// as memory allows.
  ///
  /// @param asked what else is set
  /// @return the changed copy
  public TrainingSettings settings(TrainingSettings asked) {
    boolean divided = place.ranks() > 1 && (minibatches == null || minibatches.ownBatches());
    TrainingMode mode =
        minibatches == null
            ? new TrainingMode.Auto(MinibatchSettings.usual(asked.architecture().layers()))
            : new TrainingMode.Minibatch(minibatches);
    return asked.withMode(mode).withRanks(divided ? ranks : ranks.withUsualPlacement());
  }

  /// {@return the vertices' placement, which is named even where it is the usual one}
  public String placement() {
    String where = ranks.placement();
    return where == null ? Placed.BLOCK : where;
  }

  /// {@return whether the strategy fits into the memory of its nodes}
  public boolean fits() {
    return memory.fits();
  }

  /// {@return seconds of an epoch of training; infinite if it does not fit}
  public double seconds() {
    return seconds(run -> run.epoch().seconds());
  }

  /// {@return seconds of the run, with evaluations and what happens once ([RunCost]); infinite if
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
