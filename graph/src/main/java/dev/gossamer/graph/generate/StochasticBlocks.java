package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.Map;
import java.util.Objects;

/// Stochastic block model: equal blocks, more edges inside a block than between blocks (Holland,
/// Laskey, Leinhardt 1983). The class of a vertex is its block.
///
/// Drawn edge by edge instead of pair by pair, at a cost of `O(edges)`: a source among all
/// vertices, and a target in its block with probability `inside`, otherwise in another block, each
/// uniformly. Duplicates are merged, so dense blocks have fewer edges than were drawn. Vertex `v`
/// is in block `v mod blocks`: ranges of ids are independent of the blocks.
///
/// @param vertices `n`, at least 2
/// @param degree mean number of neighbours before duplicates are merged
/// @param inside fraction of the edges inside a block; 1 if there is only one block
/// @param planted classes, one for each block of at least two vertices; features, split and seed
public record StochasticBlocks(int vertices, double degree, double inside, Planted planted)
    implements Generator {
  /// 16 neighbours.
  public static final double DEFAULT_DEGREE = 16;

  /// Half of the edges: classes can be learnt, but not from neighbours alone.
  public static final double DEFAULT_INSIDE = 0.5;

  /// Checks the settings.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if a number is out of its range
  public StochasticBlocks {
    Require.that(vertices >= 2, "vertices", "at least 2", vertices);
    Objects.requireNonNull(planted, "planted");
    int blocks = planted.classes();
    Require.that(blocks <= vertices / 2, "classes", "1 to " + vertices / 2, blocks);
    Require.positive("degree", degree);
    Require.fraction("inside", inside);
    Require.that(blocks > 1 || inside == 1, "inside", "1 with a single block", inside);
  }

  /// {@return the default degree and classes}
  ///
  /// @param vertices `n`, at least 2
  public static StochasticBlocks of(int vertices) {
    return new StochasticBlocks(vertices, DEFAULT_DEGREE, DEFAULT_INSIDE, Planted.DEFAULT);
  }

  /// {@return a copy with another mean degree}
  ///
  /// @param mean number of neighbours
  public StochasticBlocks withDegree(double mean) {
    return new StochasticBlocks(vertices, mean, inside, planted);
  }

  /// {@return a copy with another fraction of edges inside blocks}
  ///
  /// @param share 0 to 1
  public StochasticBlocks withInside(double share) {
    return new StochasticBlocks(vertices, degree, share, planted);
  }

  /// {@return a copy with other blocks, features, split and seed}
  ///
  /// @param other classes, features, split and seed
  public StochasticBlocks withPlanted(Planted other) {
    return new StochasticBlocks(vertices, degree, inside, other);
  }

  @Override
  public String name() {
    return "sbm";
  }

  @Override
  public Map<String, String> parameters() {
    return Map.of("meanDegree", Double.toString(degree), "inside", Double.toString(inside));
  }

  @Override
  public long expectedArcs() {
    return Math.round(vertices * degree / 2);
  }

  @Override
  public EdgeStream edges() {
    return sink -> {
      CounterRandom random = new CounterRandom(planted.seed(), Purpose.ARCS);
      long arcs = expectedArcs();
      for (long arc = 0; arc < arcs; arc++) {
        random.at(arc);
        int source = random.nextInt(vertices);
        boolean stays = random.nextDouble() < inside;
        sink.arc(source, stays ? inBlock(random, source) : elsewhere(random, source), 1f);
      }
    };
  }

  @Override
  public int[] labels() {
    int[] labels = new int[vertices];
    for (int v = 0; v < vertices; v++) {
      labels[v] = v % planted.classes();
    }
    return labels;
  }

  /// Another vertex of the same block.
  private int inBlock(CounterRandom random, int source) {
    int blocks = planted.classes();
    int block = source % blocks;
    int members = (vertices - 1 - block) / blocks + 1;
    int other = random.nextInt(members - 1);
    return block + blocks * (other < source / blocks ? other : other + 1);
  }

  private int elsewhere(CounterRandom random, int source) {
    int blocks = planted.classes();
    int target;
    do {
      target = random.nextInt(vertices);
    } while (target % blocks == source % blocks);
    return target;
  }
}
