package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.planner.Cluster;
import java.util.ArrayList;
import java.util.List;

/// The strategies to plan. Start with [#DEFAULT] and change what differs.
///
/// @param ranks numbers of ranks; empty for the ranks of the cluster, or the vertices of the graph
///   if these are fewer, and all smaller powers of two
/// @param exchanges of a whole graph; for minibatches of a rank's own vertices, the first
///   partitioner among the placements is used
/// @param wholeGraph whether the whole graph is planned
/// @param minibatches one for each sampler, with the sizes of its batches; empty for none
public record PlanningSpace(
    List<Integer> ranks,
    ExchangeSpace exchanges,
    boolean wholeGraph,
    List<MinibatchSettings> minibatches) {
  /// Maximum number of ranks.
  public static final int MOST_RANKS = Cluster.MOST_RANKS;

  /// The whole graph only, with all exchange strategies.
  public static final PlanningSpace DEFAULT =
      new PlanningSpace(List.of(), ExchangeSpace.ALL, true, List.of());

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if a number of ranks is less than 1 or more than
  ///   [#MOST_RANKS], or there is nothing to plan
  public PlanningSpace {
    ranks = List.copyOf(ranks);
    minibatches = List.copyOf(minibatches);
    for (int p : ranks) {
      if (p < 1 || p > MOST_RANKS) {
        throw new InvalidSettingException(
            "{ranks}: expected 1 to %d, found %d".formatted(MOST_RANKS, p));
      }
    }
    if (!wholeGraph && minibatches.isEmpty()) {
      throw new InvalidSettingException(
          "{sampler}: expected the whole graph or a sampler, found neither");
    }
  }

  /// Returns a copy with other numbers of ranks.
  ///
  /// @param numbers of ranks
  /// @return the changed copy
  public PlanningSpace withRanks(List<Integer> numbers) {
    return new PlanningSpace(numbers, exchanges, wholeGraph, minibatches);
  }

  /// Returns a copy with other placements.
  ///
  /// @param names of placements
  /// @return the changed copy
  public PlanningSpace withPlacements(List<String> names) {
    return new PlanningSpace(ranks, exchanges.withPlacements(names), wholeGraph, minibatches);
  }

  /// Returns a copy with or without the whole graph, and with other minibatches.
  ///
  /// @param whole whether the whole graph is planned
  /// @param settings one for each sampler
  /// @return the changed copy
  public PlanningSpace withWholeGraphAndMinibatches(
      boolean whole, List<MinibatchSettings> settings) {
    return new PlanningSpace(ranks, exchanges, whole, settings);
  }

  /// Returns the numbers of ranks.
  ///
  /// @param slots ranks of the cluster, at most the vertices of the graph
  List<Integer> ranks(int slots) {
    if (!ranks.isEmpty()) {
      return ranks.stream().distinct().sorted().toList();
    }
    List<Integer> powers = new ArrayList<>();
    for (int p = 1; p < slots; p *= 2) {
      powers.add(p);
    }
    powers.add(slots);
    return powers;
  }
}
