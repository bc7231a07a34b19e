package dev.gossamer.partition;

import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.generate.Generator;
import dev.gossamer.graph.generate.Grid;
import dev.gossamer.graph.generate.Planted;
import dev.gossamer.graph.generate.Rmat;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Random;

/// Small graphs, in memory that the garbage collector frees.
public final class Graphs {
  private static final Planted PLAIN = Planted.DEFAULT.withFeatures(0);

  private Graphs() {}

  public static CsrMatrix rmat(int vertices, long seed) {
    return built(
        Rmat.of(vertices)
            .withEdgeFactor(8)
            .withInside(0)
            .withPlanted(PLAIN.withClasses(1).withSeed(seed)));
  }

  public static CsrMatrix grid(int rows, int cols) {
    return built(Grid.of(rows, cols).withPlanted(PLAIN));
  }

  private static CsrMatrix built(Generator generator) {
    return CsrBuilder.undirected(generator.vertices()).build(Arena.ofAuto(), generator.edges());
  }

  /// Undirected edges `edges[i][0] - edges[i][1]`.
  public static CsrMatrix of(int vertices, int[]... edges) {
    return CsrBuilder.undirected(vertices)
        .build(
            Arena.ofAuto(),
            sink -> {
              for (int[] edge : edges) {
                sink.arc(edge[0], edge[1], 1f);
              }
            });
  }

  /// Communities whose members know four of each other, and one of all vertices, the first by far
  /// most often: vertex `n x^8` for a random `x`.
  public static CsrMatrix hubs(int vertices, int community) {
    return CsrBuilder.undirected(vertices)
        .build(
            Arena.ofAuto(),
            sink -> {
              Random random = new Random(5);
              for (int v = 0; v < vertices; v++) {
                for (int i = 0; i < 4; i++) {
                  sink.arc(v, v - v % community + random.nextInt(community), 1f);
                }
                sink.arc(v, (int) (vertices * Math.pow(random.nextDouble(), 8)), 1f);
              }
            });
  }

  /// One hub joined to all others.
  public static CsrMatrix star(int vertices) {
    int[][] edges = new int[vertices - 1][];
    for (int v = 1; v < vertices; v++) {
      edges[v - 1] = new int[] {0, v};
    }
    return of(vertices, edges);
  }
}
