package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;

/// Block two-level Erdos-Renyi: a graph with given degrees and given clustering (Kolda, Pinar,
/// Plantenga, Seshadhri 2014), as MG-GCN (section 6.1) scales its inputs with.
///
/// Phase 1 joins vertices of like degree in dense little blocks ([AffinityBlocks]), which makes the
/// triangles. Phase 2 gives each vertex what its degree still lacks by drawing both ends of an edge
/// in proportion to that (Chung, Lu). Ids are permuted at random at the end. Repeats are merged and
/// self loops dropped, so that the largest degrees fall somewhat short.
///
/// Deviations: pairs of phase 1 are drawn one by one instead of by a coupon collector's number of
/// draws with repeats, at the same order of cost; vertices of degree 1 are not multiplied before
/// the draws to make up for those that phase 2 leaves without an edge. Classes are planted: a block
/// has one class, drawn for it; a vertex outside the blocks draws its own. In phase 2 a share
/// `inside` of the edges draws its second end in the class of the first, which changes no expected
/// degree; with `inside = 0` it is the generator of the paper.
///
/// @param degrees degrees to meet
/// @param clustering clustering coefficients to meet
/// @param inside share of the edges of phase 2 whose ends are made to agree in class
/// @param planted classes, features, split and seed
public record Bter(
    DegreeDistribution degrees, Clustering clustering, double inside, Planted planted)
    implements Generator {
  /// Half of the edges of phase 2: classes can be learnt, and not from neighbours alone.
  public static final double DEFAULT_INSIDE = 0.5;

  /// Clustering coefficient by degree: `c(d) = most exp(-decay (d - 1))`.
  ///
  /// @param most coefficient at low degree, 0 to 1
  /// @param decay how fast it falls with the degree, at least 0
  public record Clustering(double most, double decay) {
    /// 0.6 at low degree, falling to half of that at degree 70: about what social networks have.
    public static final Clustering DEFAULT = new Clustering(0.6, 0.01);

    /// Checks the coefficients.
    ///
    /// @throws dev.gossamer.matrix.io.InvalidSettingException if a number is out of its range
    public Clustering {
      Require.fraction("clustering", most);
      Require.that(decay >= 0 && Double.isFinite(decay), "clusteringDecay", "at least 0", decay);
    }

    /// {@return `c(d)`}
    ///
    /// @param degree of a vertex, at least 1
    public double at(int degree) {
      return most * Math.exp(-decay * (degree - 1));
    }
  }

  /// Checks the settings.
  ///
  /// @throws dev.gossamer.matrix.io.InvalidSettingException if `inside` is no share
  public Bter {
    Objects.requireNonNull(degrees, "degrees");
    Objects.requireNonNull(clustering, "clustering");
    Require.fraction("inside", inside);
    Objects.requireNonNull(planted, "planted");
  }

  /// {@return the usual clustering and classes}
  ///
  /// @param degrees degrees to meet
  public static Bter of(DegreeDistribution degrees) {
    return new Bter(degrees, Clustering.DEFAULT, DEFAULT_INSIDE, Planted.DEFAULT);
  }

  /// {@return the same with other clustering coefficients}
  ///
  /// @param other clustering coefficients to meet
  public Bter withClustering(Clustering other) {
    return new Bter(degrees, other, inside, planted);
  }

  /// {@return the same with another share of edges inside classes}
  ///
  /// @param share 0 to 1
  public Bter withInside(double share) {
    return new Bter(degrees, clustering, share, planted);
  }

  /// {@return the same with other classes, features, split and seed}
  ///
  /// @param other classes, features, split and seed
  public Bter withPlanted(Planted other) {
    return new Bter(degrees, clustering, inside, other);
  }

  @Override
  public String name() {
    return "bter";
  }

  @Override
  public int vertices() {
    return degrees.vertices();
  }

  @Override
  public Map<String, String> parameters() {
    return Map.of(
        "degrees", degrees.toString(),
        "clustering", clustering.most() + " decay " + clustering.decay(),
        "inside", Double.toString(inside));
  }

  @Override
  public long expectedArcs() {
    AffinityBlocks blocks = new AffinityBlocks(degrees, clustering);
    return Math.round(blocks.expectedEdges()) + phaseTwo(blocks.excess());
  }

  /// With the weights of phase 2 and their tables.
  @Override
  public long peakBytes() {
    return Generator.super.peakBytes() + 100L * vertices();
  }

  @Override
  public EdgeStream edges() {
    int[] ids = Permutation.of(vertices(), planted.seed());
    AffinityBlocks blocks = new AffinityBlocks(degrees, clustering);
    int[] labels = labels();
    int[] classOf = new int[ids.length];
    for (int v = 0; v < ids.length; v++) {
      classOf[v] = labels[ids[v]];
    }
    double[] excess = blocks.excess();
    long draws = phaseTwo(excess);
    return sink -> {
      blocks.tell(planted.seed(), ids, sink);
      if (draws > 0) {
        CounterRandom random = new CounterRandom(planted.seed(), Purpose.MORE_ARCS);
        WeightedEnds ends = new WeightedEnds(random, excess, classOf, planted.classes());
        for (long arc = 0; arc < draws; arc++) {
          random.at(arc);
          int source = ends.any();
          boolean stays = random.nextDouble() < inside;
          sink.arc(ids[source], ids[stays ? ends.inClassOf(source) : ends.any()], 1f);
        }
      }
    };
  }

  @Override
  public int[] labels() {
    int[] ids = Permutation.of(vertices(), planted.seed());
    AffinityBlocks blocks = new AffinityBlocks(degrees, clustering);
    CounterRandom random = new CounterRandom(planted.seed(), Purpose.CLASSES);
    int[] labels = new int[vertices()];
    for (int v = 0; v < blocks.start(0); v++) {
      labels[ids[v]] = random.at(v).nextInt(planted.classes());
    }
    for (int block = 0; block < blocks.count(); block++) {
      int label = random.at(blocks.start(block)).nextInt(planted.classes());
      for (int v = blocks.start(block); v < blocks.start(block + 1); v++) {
        labels[ids[v]] = label;
      }
    }
    return labels;
  }

  /// Edges that phase 2 draws.
  private static long phaseTwo(double[] excess) {
    return Math.round(Arrays.stream(excess).sum() / 2);
  }
}
