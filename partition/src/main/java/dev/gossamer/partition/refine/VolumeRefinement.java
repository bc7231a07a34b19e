package dev.gossamer.partition.refine;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Minimises the exact volumes of a partition of the input.
///
/// On irregular graphs, it runs cycles of label propagation as long as they gain: parts may first
/// exceed their caps, less in each cycle, and are then rebalanced. Then clusters move, coarser ones
/// first, for increasing powers of the sent and received rows, twice ([ClusterSearch]): communities
/// can be balanced among the parts when single vertices cannot.
///
/// On regular graphs, which have small boundaries, each cycle searches along them instead, within
/// the caps.
///
/// Prices reduce the load of the busiest parts throughout ([Pressure]); the last rounds use steep
/// prices.
public final class VolumeRefinement {
  /// Maximum ints of cluster memory per vertex: levels of clusters, members and places of one
  /// level, and scratch memory for two clusters.
  public static final long INTS_A_VERTEX = 16;

  private static final int PATIENCE = 100;
  private static final int ROUNDS_IN_CYCLE = 2;

  private static final int REGULAR_CYCLES = 6;

  private static final int MOST_CYCLES = 10;
  private static final int POOR_CYCLES = 2;
  private static final double LEAST_PROGRESS = 0.005;
  private static final double FIRST_SLACK = 0.2;
  private static final double NEXT_SLACK = 0.8;
  private static final double STEEPEST_IN_CYCLE = 3;

  private static final int FIRST_SQUARING = 1;
  private static final int[] NEXT_SQUARINGS = {2, 4, 5, 2, 4, 5};

  /// For this power single vertices move as well.
  private static final int LAST_SQUARING = 5;

  private static final int LEVELLING_ROUNDS = 4;
  private static final double FIRST_LEVELLING = 4;
  private static final double LEVELLING_GROWTH = 1.4;

  private final VolumeGains gains;
  private final boolean pressed;
  private final long seed;
  private final Pressure pressure;
  private final LabelPropagation propagation;
  private final BestPartition best;
  private final Progress progress;
  private int rounds;

  /// Creates the refinement of a partition.
  ///
  /// @param gains of moves, with the partition to change
  /// @param pressed whether the maximum counts in addition to the total
  /// @param seed of all draws
  /// @param workers threads to use
  /// @param progress notified of the progress
  public VolumeRefinement(
      VolumeGains gains, boolean pressed, long seed, Workers workers, Progress progress) {
    this.gains = gains;
    this.pressed = pressed;
    this.seed = seed;
    this.progress = progress;
    pressure = new Pressure(gains);
    propagation = new LabelPropagation(gains, seed, workers);
    best = new BestPartition(pressed);
    best.offer(gains);
  }

  /// Refines a graph on which localised search is cheap.
  public void alongBoundaries() {
    LocalSearch local = new LocalSearch(gains, PATIENCE, seed);
    gains.loads().slack(0);
    for (int cycle = 0; cycle < REGULAR_CYCLES; cycle++) {
      progress.at("volume", cycle, REGULAR_CYCLES);
      Runnable update = prices(1 + cycle);
      propagate(ROUNDS_IN_CYCLE, update);
      update.run();
      local.pass(cycle);
      new Rebalancing(gains, update).settle();
      best.offer(gains);
    }
    best.restore(gains);
    level(local);
    progress.at("volume", REGULAR_CYCLES, REGULAR_CYCLES);
  }

  /// Refines any other graph.
  ///
  /// @param levels clusters of the vertices, finest first
  public void throughClusters(List<ClusterLevel> levels) {
    int all = MOST_CYCLES + 1 + NEXT_SQUARINGS.length;
    cycles(all);
    moveClusters(levels, pressed ? FIRST_SQUARING : 0, seed);
    new Rebalancing(gains, () -> {}).settle();
    best.offer(gains);
    for (int i = 0; i < NEXT_SQUARINGS.length && pressed; i++) {
      progress.at("volume", MOST_CYCLES + 1 + i, all);
      int squarings = NEXT_SQUARINGS[i];
      List<ClusterLevel> moved = new ArrayList<>(levels);
      if (squarings == LAST_SQUARING) {
        moved.addFirst(ClusterLevel.ofVertices(gains.part.length));
      }
      moveClusters(moved, squarings, seed + 1 + i);
      propagate(1, prices((1 << squarings) - 1));
      best.offer(gains);
    }
    best.restore(gains);
    level(null);
    progress.at("volume", all, all);
  }

  private void cycles(int all) {
    double least = Double.POSITIVE_INFINITY;
    int poor = 0;
    double slack = FIRST_SLACK;
    for (int cycle = 0; cycle < MOST_CYCLES && poor < POOR_CYCLES; cycle++) {
      progress.at("volume", cycle, all);
      Runnable update = prices(Math.min(STEEPEST_IN_CYCLE, 1 + cycle));
      gains.loads().slack(slack);
      propagate(ROUNDS_IN_CYCLE, update);
      new Rebalancing(gains, update).makeRoom();
      propagate(1, update);
      best.offer(gains);
      double volume = best.volume(gains);
      poor = volume > (1 - LEAST_PROGRESS) * least ? poor + 1 : 0;
      least = Math.min(least, volume);
      slack *= NEXT_SLACK;
    }
  }

  private void moveClusters(List<ClusterLevel> levels, int squarings, long drawSeed) {
    for (ClusterLevel level : levels.reversed()) {
      new ClusterSearch(gains, level, squarings, pressed, drawSeed).round();
      best.offer(gains);
    }
  }

  /// Rounds under prices so steep that the busiest parts are nearly all that counts.
  private void level(@Nullable LocalSearch local) {
    double exponent = FIRST_LEVELLING;
    for (int i = 0; i < LEVELLING_ROUNDS && pressed; i++) {
      Runnable update = prices(exponent);
      propagate(1, update);
      best.offer(gains);
      if (local != null) {
        update.run();
        local.pass(REGULAR_CYCLES + i);
        best.offer(gains);
      }
      exponent *= LEVELLING_GROWTH;
    }
    best.restore(gains);
  }

  private void propagate(int count, Runnable update) {
    for (int i = 0; i < count; i++) {
      propagation.round(rounds++, update);
    }
  }

  private Runnable prices(double exponent) {
    return pressed ? () -> pressure.update(exponent) : () -> {};
  }
}
