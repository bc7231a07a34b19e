package dev.gossamer.benchmarks;

import dev.gossamer.Dataset;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.graph.generate.Bter;
import dev.gossamer.graph.generate.DegreeDistribution;
import dev.gossamer.graph.generate.Planted;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// A graph of the size that a paper states, generated with a share of its vertices and the same
/// mean degree (BTER).
///
/// Papers state vertices, edges and widths, and no distribution of degrees: here it is log-normal,
/// and its `sigma`, clustering and communities are ours. Those of `amazon` give the volumes of
/// METIS in SA, table 2; those of `protein`, communities of nearly equal degrees, make what SA,
/// section 7.1, says of it: both partitioners cut next to nothing.
///
/// @param name of the paper's data set
/// @param vertices of the whole graph
/// @param entries of its adjacency matrix
/// @param features columns of `X`
/// @param classes that are learnt
/// @param scale one of this number of vertices is kept
/// @param shape what papers do not state
record PaperGraph(
    String name, long vertices, long entries, int features, int classes, int scale, Shape shape) {
  /// What papers do not state.
  ///
  /// @param sigma standard deviation of the logarithm of the degree
  /// @param clustering coefficient of all degrees
  /// @param inside share of the other edges that stay inside of a community
  /// @param community its vertices
  record Shape(double sigma, double clustering, double inside, int community) {}

  /// Those of SA, table 3, and of MG, table 1.
  static final List<PaperGraph> ALL =
      List.of(
          of("reddit", 232_965, 114_848_857, 602, 41, 16, new Shape(1.2, 0.3, 0.5, 500)),
          of("amazon", 14_249_639, 230_788_269, 300, 24, 64, new Shape(1, 0.5, 0.992, 200)),
          of("protein", 8_745_542, 2_116_240_124L, 300, 24, 128, new Shape(0.1, 1, 1, 250)),
          of("papers", 111_059_956, 3_231_371_744L, 128, 172, 512, new Shape(1.2, 0.1, 0.9, 200)),
          of("mg-arxiv", 169_343, 1_160_000, 128, 40, 4, new Shape(1.2, 0.2, 0.7, 200)),
          of("mg-products", 2_449_029, 126_000_000, 104, 47, 16, new Shape(1.2, 0.3, 0.8, 200)),
          of("mg-protein", 8_740_000, 1_300_000_000, 128, 256, 64, new Shape(0.1, 1, 1, 150)),
          of("mg-reddit", 232_965, 115_000_000, 602, 41, 16, new Shape(1.2, 0.3, 0.5, 500)),
          of(
              "mg-papers",
              111_059_956,
              1_610_000_000,
              128,
              172,
              512,
              new Shape(1.2, 0.1, 0.9, 200)));

  private static PaperGraph of(
      String name, long vertices, long entries, int features, int classes, int scale, Shape shape) {
    return new PaperGraph(name, vertices, entries, features, classes, scale, shape);
  }

  static PaperGraph named(String name) {
    return ALL.stream()
        .filter(graph -> graph.name.equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "expected one of %s, found %s"
                    .formatted(
                        ALL.stream().map(PaperGraph::name).collect(Collectors.joining(", ")),
                        name)));
  }

  PaperGraph withScale(int other) {
    return new PaperGraph(name, vertices, entries, features, classes, other, shape);
  }

  PaperGraph withEntries(long other) {
    return new PaperGraph(name, vertices, other, features, classes, scale, shape);
  }

  PaperGraph withFeatures(int width) {
    return new PaperGraph(name, vertices, entries, width, classes, scale, shape);
  }

  /// Vertices that are generated.
  int generated() {
    return Math.toIntExact(vertices / scale);
  }

  /// The name of what is generated.
  String label() {
    return "%s-%d".formatted(name, scale);
  }

  private DegreeDistribution degrees() {
    int n = generated();
    double mean = (double) entries / (double) vertices;
    double median = mean * Math.exp(-shape.sigma * shape.sigma / 2);
    DegreeDistribution shares = DegreeDistribution.logNormal(n, median, shape.sigma, n / 8);
    return shares.scaledBy(mean / shares.mean());
  }

  /// Generates it. Features are zeros: what an epoch takes depends on their width alone.
  Dataset build() {
    DegreeDistribution degrees = degrees();
    int n = degrees.vertices();
    Planted communities =
        Planted.DEFAULT.withClasses(Math.max(1, n / shape.community)).withFeatures(0);
    Bter bter =
        Bter.of(degrees)
            .withClustering(new Bter.Clustering(shape.clustering, 0))
            .withInside(shape.inside)
            .withPlanted(communities);
    Arena arena = Arena.ofShared();
    GraphData.Info info =
        GraphData.Info.of(label())
            .withClassNames(IntStream.range(0, classes).mapToObj(Integer::toString).toList());
    GraphData graph =
        GraphData.of(arena, info, CsrBuilder.undirected(n).build(arena, bter.edges()))
            .withFeatures(new Features.Dense(DenseMatrix.allocate(arena, n, features)))
            .withLabels(Arrays.stream(bter.labels()).map(label -> label % classes).toArray());
    return Dataset.of(
        graph.withSplit(Splits.draw(graph, communities.fractions(), communities.seed())));
  }

  /// One line: what is generated of what.
  String text(Dataset made) {
    return String.format(
        Locale.ROOT,
        "%s: %,d of %,d vertices, %,d entries, mean degree %.1f of %.1f",
        name,
        made.vertices(),
        vertices,
        made.data().adjacency().nnz(),
        (double) made.data().adjacency().nnz() / made.vertices(),
        (double) entries / (double) vertices);
  }
}
