package dev.gossamer;

import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.planner.RankLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// The exchange strategy of a whole graph, chosen by the planned seconds of an epoch.
///
/// The usual strategy is chosen unless another saves a tenth of an epoch and a millisecond: smaller
/// differences are within the accuracy of plans, and the usual choice keeps results bit-identical.
/// A strategy that needs another partitioning is planned if the epochs together may save the time
/// of partitioning.
///
/// @param chosen the chosen strategy
/// @param others that were planned; none if nothing could have saved a tenth
/// @param open the strategies to choose from
public record ExchangeChoice(
    PlannedStrategy chosen, List<PlannedStrategy> others, ExchangeSpace open) {
  /// What another way must save of the usual one's seconds.
  private static final double WORTH = 0.1;

  /// Seconds that it must save at least: a few messages between threads that wait for a core.
  private static final double LEAST = 1e-3;

  /// Copies the list.
  public ExchangeChoice {
    others = List.copyOf(others);
  }

  /// Chooses a strategy and frees the placements of all others.
  ///
  /// @param plans of the whole graph
  /// @param layout where ranks are
  static ExchangeChoice of(WholeGraphPlans plans, RankLayout layout, ExchangeSpace space) {
    boolean processes = plans.processes(layout);
    ExchangeSpace open = space.of(layout.ranks(), plans.job().training().network().seesEdges());
    List<RankSettings> ways = new ArrayList<>(open.ways(layout.ranks(), plans.job().ranks()));
    RankSettings usualWay = ways.removeFirst();
    PlannedStrategy usual = plans.planned(layout, processes, usualWay);
    if (usual.fits() && !isWorth(usual.seconds() - moving(usual), usual)) {
      return new ExchangeChoice(usual, List.of(), open);
    }
    List<PlannedStrategy> planned = new ArrayList<>();
    PlannedStrategy best = usual;
    for (RankSettings way : ways) {
      if (usual.fits() && !isWorth(least(plans, layout, way, usual), usual)) {
        continue;
      }
      plans.keepOnly(layout.ranks(), usualWay, best.ranks(), way);
      PlannedStrategy next = plans.planned(layout, processes, way);
      planned.add(next);
      best = next.seconds() < best.seconds() ? next : best;
    }
    PlannedStrategy chosen = isWorth(best.seconds(), usual) ? best : usual;
    plans.keepOnly(layout.ranks(), chosen.ranks());
    planned.add(usual);
    planned.remove(chosen);
    return new ExchangeChoice(chosen, planned, open);
  }

  /// Whether something that takes this number of seconds is much faster than the usual way, or fits
  /// where that does not.
  private static boolean isWorth(double seconds, PlannedStrategy usual) {
    return seconds < (1 - WORTH) * usual.seconds() && seconds < usual.seconds() - LEAST;
  }

  /// Returns the seconds of communication.
  private static double moving(PlannedStrategy strategy) {
    return strategy.cost().map(run -> run.epoch().seconds(Phase.EXCHANGE)).orElse(0.0);
  }

  /// Seconds that a way takes at least, if it costs something to know more: what is replicated has
  /// to be divided again, which the epochs have to make up for, and adds up partial products
  /// however it is divided.
  private static double least(
      WholeGraphPlans plans, RankLayout layout, RankSettings way, PlannedStrategy usual) {
    ExchangeStrategy strategy = way.strategy();
    if (strategy.replication() == usual.ranks().strategy().replication()) {
      return 0;
    }
    EpochCost inBlocks =
        plans.cost(layout, plans.plan(way.withPlacement(Placed.BLOCK), layout.ranks()));
    double reduced =
        inBlocks.seconds(Phase.REDUCE)
            - usual.cost().map(run -> run.epoch().seconds(Phase.REDUCE)).orElse(0.0);
    double dividing =
        Placed.isDivided(way.placement()) && strategy.blocks(layout.ranks()) > 1
            ? Dividing.seconds(plans.job().data()) / plans.job().pace().epochs()
            : 0;
    return usual.seconds() - moving(usual) + reduced + dividing;
  }

  /// Returns the fastest of the strategies that differ from the chosen one in some setting.
  ///
  /// @param differs whether a strategy differs
  /// @return empty if none was planned
  public Optional<PlannedStrategy> runnerUp(Predicate<RankSettings> differs) {
    return others.stream()
        .filter(other -> differs.test(other.ranks()))
        .min(Comparator.comparingDouble(PlannedStrategy::seconds));
  }

  /// {@return share of an epoch of the chosen strategy that is communication}
  public double movingShare() {
    return moving(chosen) / chosen.seconds();
  }
}
