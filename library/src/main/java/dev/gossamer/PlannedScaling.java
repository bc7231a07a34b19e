package dev.gossamer;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// What more ranks would bring: of each number of ranks the strategy that [Planning#recommended]
/// takes, compared with that of the fewest ranks that fit.
///
/// @param rows one for each number of ranks for which something fits, ascending
public record PlannedScaling(List<Row> rows) {
  /// More ranks are worth it as long as they bring at least this share of what they would bring if
  /// everything became faster with them.
  public static final double WORTH = 0.5;

  /// One number of ranks.
  ///
  /// @param strategy for it
  /// @param speedUp seconds of a run with the fewest ranks, divided by those with these
  /// @param efficiency the speed-up, divided by how many times as many ranks there are
  public record Row(PlannedStrategy strategy, double speedUp, double efficiency) {
    /// {@return hours of nodes that the run takes}
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

  /// {@return the row after which more ranks are not worth it: the last, if all are}
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
