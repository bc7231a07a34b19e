package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.matrix.format.RowFormat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The exchange strategies among which to choose for a whole graph: every combination of the
/// components. A fixed setting has one value, an open one several, the usual one first. Start with
/// [#ALL] and change what differs.
///
/// @param kinds which rows are exchanged
/// @param replications ranks that hold each block of rows; values that do not suit a number of
///   ranks are skipped
/// @param overlaps whether communication overlaps with products
/// @param placements of the vertices, by name or part file
public record ExchangeSpace(
    List<Kind> kinds, List<Integer> replications, List<Boolean> overlaps, List<String> placements) {
  /// All strategies: the replications of SA's figures and one more; vertices placed by the usual
  /// partitioner, in the given order, and in a random order.
  public static final ExchangeSpace ALL =
      new ExchangeSpace(
          List.of(Kind.SPARSITY_AWARE, Kind.OBLIVIOUS),
          List.of(1, 2, 4, 8),
          List.of(true, false),
          List.of(RankSettings.USUAL_PLACEMENT, Placed.BLOCK, Placed.RANDOM));

  /// The order of [#ways] in [#ALL], but that all placements but the usual one are equal.
  static final Comparator<RankSettings> USUAL_FIRST =
      Comparator.comparingInt((RankSettings way) -> way.strategy().replication())
          .thenComparing(way -> !RankSettings.USUAL_PLACEMENT.equals(way.placement()))
          .thenComparing(way -> way.strategy().kind() != Kind.SPARSITY_AWARE)
          .thenComparing(way -> !way.strategy().overlap());

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if a component is empty, or a placement is neither known nor a
  ///   file
  public ExchangeSpace {
    kinds = List.copyOf(kinds);
    replications = List.copyOf(replications);
    overlaps = List.copyOf(overlaps);
    placements = List.copyOf(placements);
    requireSome("exchange", kinds);
    requireSome("replication", replications);
    requireSome("overlap", overlaps);
    requireSome("placement", placements);
    placements.forEach(Placed::requireKnown);
  }

  private static void requireSome(String component, List<?> values) {
    if (values.isEmpty()) {
      throw new InvalidSettingException(
          "{%s}: expected at least one, found none".formatted(component));
    }
  }

  /// Returns a copy with one kind of exchange.
  ///
  /// @param kind which rows are exchanged
  /// @return the changed copy
  public ExchangeSpace withKind(Kind kind) {
    return new ExchangeSpace(List.of(kind), replications, overlaps, placements);
  }

  /// Returns a copy with one replication.
  ///
  /// @param replication ranks that hold each block of rows
  /// @return the changed copy
  public ExchangeSpace withReplication(int replication) {
    return new ExchangeSpace(kinds, List.of(replication), overlaps, placements);
  }

  /// Returns a copy with or without overlap.
  ///
  /// @param overlap whether communication overlaps with products
  /// @return the changed copy
  public ExchangeSpace withOverlap(boolean overlap) {
    return new ExchangeSpace(kinds, replications, List.of(overlap), placements);
  }

  /// Returns a copy with other placements.
  ///
  /// @param names of placements
  /// @return the changed copy
  public ExchangeSpace withPlacements(List<String> names) {
    return new ExchangeSpace(kinds, replications, overlaps, names);
  }

  /// Returns the strategies that suit a training. A part file has one part per block, so that the
  /// replication is the usual one unless it is set.
  ///
  /// @param ranks how many
  /// @param edges whether layers read edges, for which there is neither replication nor an
  ///   oblivious exchange, and overlap makes no difference
  ExchangeSpace of(int ranks, boolean edges) {
    boolean divided = placements.stream().anyMatch(Placed::isPartFile);
    List<Integer> grids = divided ? replications.subList(0, 1) : replications;
    return new ExchangeSpace(
        edges ? List.of(Kind.SPARSITY_AWARE) : kinds,
        edges ? List.of(1) : grids.stream().filter(c -> ExchangeStrategy.isGrid(ranks, c)).toList(),
        edges ? overlaps.subList(0, 1) : overlaps,
        placements);
  }

  /// Returns every strategy, the usual one first.
  ///
  /// @param ranks how many; each replication suits them
  /// @param given the other settings
  List<RankSettings> ways(int ranks, RankSettings given) {
    RowFormat wire = given.strategy().wire();
    int count = given.launch().underLauncher() ? given.ranks().count() : ranks;
    List<RankSettings> ways = new ArrayList<>();
    for (int c : replications) {
      for (String where : placements) {
        for (Kind kind : kinds) {
          for (boolean overlap : overlaps) {
            ExchangeStrategy strategy = new ExchangeStrategy(kind, c, overlap, wire);
            ways.add(new RankSettings(given.ranks().withCount(count), strategy, where));
          }
        }
      }
    }
    return ways;
  }
}
