package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.Map;

/// Stochastic block model: equal blocks, more edges inside a block than between blocks (Holland,
/// Laskey, Leinhardt 1983). The class of a vertex is its block.
///
/// Drawn edge by edge instead of pair by pair, at a cost of `O(edges)`: a source among all
/// vertices, and a target in its block with probability `inside`, else in another block, each
/// uniformly. Repeats are merged, so that dense blocks have somewhat fewer edges than were drawn.
/// Vertex `v` is in block `v mod blocks`: ranges of ids know nothing of the blocks.
///
/// @param vertices `n`
/// @param blocks planted classes; each needs at least two vertices
/// @param meanDegree mean number of neighbours before repeats are merged
/// @param inside share of the edges inside a block; 1 if there is one block only
public record StochasticBlocks(
    int vertices, int blocks, double meanDegree, double inside, VertexData data, long seed)
    implements Generator {
  public StochasticBlocks {
    Require.that(vertices >= 2, "sbm: vertices", "at least 2", vertices);
    Require.that(
        blocks >= 1 && blocks <= vertices / 2, "sbm: blocks", "1 to " + vertices / 2, blocks);
    Require.positive("sbm: mean degree", meanDegree);
    Require.fraction("sbm: inside", inside);
    Require.that(blocks > 1 || inside == 1, "sbm: inside", "1 with a single block", inside);
  }

  @Override
  public String name() {
    return "sbm";
  }

  @Override
  public int classes() {
    return blocks;
  }

  @Override
  public Map<String, String> parameters() {
    return Map.of("meanDegree", Double.toString(meanDegree), "inside", Double.toString(inside));
  }

  @Override
  public long expectedArcs() {
    return Math.round(vertices * meanDegree / 2);
  }

  @Override
  public EdgeStream edges() {
    return sink -> {
      CounterRandom random = new CounterRandom(seed, Purpose.ARCS);
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
      labels[v] = v % blocks;
    }
    return labels;
  }

  /// Another vertex of the same block.
  private int inBlock(CounterRandom random, int source) {
    int block = source % blocks;
    int members = (vertices - 1 - block) / blocks + 1;
    int other = random.nextInt(members - 1);
    return block + blocks * (other < source / blocks ? other : other + 1);
  }

  private int elsewhere(CounterRandom random, int source) {
    int target;
    do {
      target = random.nextInt(vertices);
    } while (target % blocks == source % blocks);
    return target;
  }
}
