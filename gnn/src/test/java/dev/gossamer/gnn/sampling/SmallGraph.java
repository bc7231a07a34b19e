package dev.gossamer.gnn.sampling;

import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Propagation;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;

/// Graphs of the sampling tests.
public final class SmallGraph {
  private SmallGraph() {}

  /// Figure 1 of MBS: vertices 1 and 5 have the neighbours 0, 2, 4 and 3, 4.
  public static CsrMatrix ofThePaper() {
    return undirected(
        6,
        new int[][] {{0, 1}, {1, 2}, {1, 4}, {2, 3}, {3, 4}, {3, 5}, {4, 5}},
        Normalisation.NONE,
        false);
  }

  public static CsrMatrix undirected(
      int n, int[][] edges, Normalisation normalisation, boolean selfLoops) {
    CsrMatrix a =
        new CsrBuilder(n, true, false, false)
            .build(
                Arena.ofAuto(),
                sink -> {
                  for (int[] edge : edges) {
                    sink.arc(edge[0], edge[1], 1);
                  }
                });
    return new Propagation(a, false, normalisation, selfLoops).all(Arena.ofAuto()).forward();
  }

  /// A random graph with popular vertices, whose last three are isolated but for a self loop.
  public static CsrMatrix random(int n, int edges, long seed, boolean directed, boolean weighted) {
    CsrMatrix a =
        new CsrBuilder(n, !directed, false, weighted)
            .build(
                Arena.ofAuto(),
                sink -> {
                  Random random = new Random(seed);
                  for (int k = 0; k < edges; k++) {
                    double skew = random.nextDouble();
                    sink.arc(
                        random.nextInt(n - 3),
                        (int) (skew * skew * (n - 3)),
                        1 + random.nextInt(4));
                  }
                });
    return new Propagation(a, directed, Normalisation.SYMMETRIC, false)
        .all(Arena.ofAuto())
        .forward();
  }

  /// Every kind of sampler, of two layers.
  public static List<Sampler> samplers() {
    return List.of(
        Sampler.sage(5, 3),
        Sampler.ladies(20, 30),
        Sampler.fastGcn(25, 15),
        Sampler.saintNode(2, 40),
        Sampler.saintEdge(2, 30),
        Sampler.saintWalk(2, 10, 4).withOccurrences(5));
  }
}
