package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Relations;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.RelationalConvolution;
import java.util.List;
import java.util.Map;

/// Relational graph convolutions ([RelationalConvolution]), whose relations share the bases of
/// their weights.
///
/// @param bases weights that those of relations are made of, at most; there are never more than
///   relations
/// @param relations names of the relations of the graph; empty if it is not known yet
/// @param sets of the edges of the graph, by their number; empty if it is not known
public record Rgcn(int bases, List<String> relations, List<Long> sets) implements RelationalKind {
  static final String NAME = "rgcn";

  /// Few types of edges have weights of their own; more share, so that rare types learn from
  /// others, and a row that is sent is at most four times as wide as the layer.
  public static final int DEFAULT_BASES = 4;

  /// Component of [#options].
  static final String BASES = "bases";

  /// Checks the number.
  ///
  /// @throws InvalidSettingException if it is not 1 to 64
  public Rgcn {
    relations = List.copyOf(relations);
    sets = List.copyOf(sets);
    if (bases < 1 || bases > Relations.MOST) {
      throw new InvalidSettingException(
          "{%s}: expected 1 to %d, found %d".formatted(BASES, Relations.MOST, bases));
    }
  }

  /// Convolutions for a graph that is not known yet.
  ///
  /// @param bases weights that those of relations are made of, at most
  public Rgcn(int bases) {
    this(bases, List.of(), List.of());
  }

  /// [#DEFAULT_BASES] bases at most.
  public Rgcn() {
    this(DEFAULT_BASES);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Rgcn on(Relations known) {
    return new Rgcn(bases, known.names(), known.sets());
  }

  @Override
  public int numbersPerEdge() {
    return used();
  }

  /// Bases of a layer.
  private int used() {
    return relations.isEmpty() ? bases : Math.min(bases, relations.size());
  }

  @Override
  public GraphLayer known(Place place) {
    return new RelationalConvolution(
        place.name(), place.in(), place.out(), relations.size(), used(), sets);
  }

  @Override
  public Map<String, Object> options() {
    return Map.of(BASES, bases);
  }
}
