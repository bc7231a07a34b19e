package dev.gossamer;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// The speed-up by more ranks: for each number of ranks the strategy that [Planning#recommended]
/// returns, compared with that of the fewest ranks that fit.
///
/// @param rows one for each number of ranks for which something fits, ascending
public record PlannedScaling(List<Row> rows) {
  /// Minimum parallel efficiency of the added ranks for them to be worthwhile.
  public static final double WORTH = 0.5;

  /// One number of ranks.
  ///
  /// @param strategy for it
  /// @param speedUp seconds of a run with the fewest ranks, divided by those with these
  /// @param efficiency the speed-up divided by the ratio of the numbers of ranks
  public record Row(PlannedStrategy strategy, double speedUp, double efficiency) {
    /// {@return node hours of the run}
    public double nodeHours() {
      return strategy.place().nodes() * strategy.runSeconds() / 3600;
    }
  }

  /// Copies the rows.
  public PlannedScaling {
    rows = List.copyOf(rows);
  }

  /// {@return the scaling of some strategies}
  ///
  /// @param strategies planned for one or more numbers of ranks
  public static PlannedScaling of(List<PlannedStrategy> strategies) {
    TreeMap<Integer, List<PlannedStrategy>> byRanks = new TreeMap<>();
    strategies.stream()
        .filter(PlannedStrategy::fits)
        .forEach(each ->
            byRanks.computeIfAbsent(each.place().ranks(), p -> new ArrayList<>()).add(each));
    List<Row> rows = new ArrayList<>();
    byRanks.forEach((p, all) -> {
      PlannedStrategy best = Planning.recommended(all);
      PlannedStrategy fewest = rows.isEmpty() ? best : rows.getFirst().strategy();
      double speedUp = fewest.runSeconds() / best.runSeconds();
      rows.add(new Row(best, speedUp, speedUp * fewest.place().ranks() / p));
    });
    return new PlannedScaling(rows);
  }

  /// {@return the row up to which more ranks are worthwhile}
  ///
  /// @throws IllegalStateException if there are no rows
  public Row worthwhile() {
    if (rows.isEmpty()) {
      throw new IllegalStateException("scaling: nothing fits");
    }
    int last = 0;
    while (last + 1 < rows.size() && isWorth(rows.get(last), rows.get(last + 1))) {
      last++;
    }
    return rows.get(last);
  }

  private static boolean isWorth(Row fewer, Row more) {
    double ranks = (double) more.strategy().place().ranks() / fewer.strategy().place().ranks();
    return more.speedUp() / fewer.speedUp() - 1 >= WORTH * (ranks - 1);
  }
}
