package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;

/// Block two-level Erdos-Renyi: a graph with given degrees and given clustering (Kolda, Pinar,
/// Plantenga, Seshadhri 2014), which MG-GCN (section 6.1) uses to scale its inputs.
///
/// Phase 1 joins vertices of similar degree in small dense blocks ([AffinityBlocks]), which creates
/// the triangles. Phase 2 adds the missing edges of each vertex by joining any two with a
/// probability that grows with the number of edges that both lack (Chung, Lu). Finally, ids are
/// permuted at random.
///
/// Deviations: the paper draws ends of edges in proportion to missing degrees and merges
/// duplicates, which for Cora with 64 times the edges misses a quarter of them. Here the
/// probabilities of pairs match degrees on average in dense graphs too ([ExcessWeights]), and their
/// sum except for chance duplicates of phase 1 ([ExcessEdges]). Pairs of phase 1 are drawn one by
/// one instead of by a coupon collector's number of draws with duplicates, at the same order of
/// cost; vertices of degree 1 are not multiplied to compensate for those that phase 2 leaves
/// without an edge. Classes are planted: each block draws one class; a vertex outside the blocks
/// draws its own. If blocks leave too few edges of low-degree vertices to the hubs that need them,
/// the density of all blocks is reduced by eighths until degrees are met: degrees take precedence
/// over clustering. In phase 2, a fraction `inside` of the edges joins vertices of one class, or
/// less if classes are too small; with `inside = 0` it is the generator of the paper.
///
/// @param degrees degrees to meet
/// @param clustering clustering coefficients to meet
/// @param inside fraction of the edges of phase 2 whose ends get the same class
/// @param planted classes, features, split and seed
public record Bter(
    DegreeDistribution degrees, Clustering clustering, double inside, Planted planted)
    implements Generator {
  /// Half of the edges of phase 2: classes can be learnt, and not from neighbours alone.
  public static final double DEFAULT_INSIDE = 0.5;

  /// What all degrees together may lack.
  private static final double MOST_MISSING = 0.02;

  /// Clustering coefficient by degree: `c(d) = most exp(-decay (d - 1))`.
  ///
  /// @param most coefficient at degree 1, 0 to 1
  /// @param decay rate of decrease with the degree, at least 0
  public record Clustering(double most, double decay) {
    /// 0.6 at low degree, falling to half of that at degree 70, similar to social networks.
    public static final Clustering DEFAULT = new Clustering(0.6, 0.01);

    /// Checks the coefficients.
    ///
    /// @throws dev.gossamer.base.InvalidSettingException if a number is out of its range
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
  /// @throws dev.gossamer.base.InvalidSettingException if `inside` is not a fraction
  public Bter {
    Objects.requireNonNull(degrees, "degrees");
    Objects.requireNonNull(clustering, "clustering");
    Require.fraction("inside", inside);
    Objects.requireNonNull(planted, "planted");
  }

  /// {@return the default clustering and classes}
  ///
  /// @param degrees degrees to meet
  public static Bter of(DegreeDistribution degrees) {
    return new Bter(degrees, Clustering.DEFAULT, DEFAULT_INSIDE, Planted.DEFAULT);
  }

  /// {@return a copy with other clustering coefficients}
  ///
  /// @param other clustering coefficients to meet
  public Bter withClustering(Clustering other) {
    return new Bter(degrees, other, inside, planted);
  }

  /// {@return a copy with another fraction of edges inside classes}
  ///
  /// @param share 0 to 1
  public Bter withInside(double share) {
    return new Bter(degrees, clustering, share, planted);
  }

  /// {@return a copy with other classes, features, split and seed}
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
    double share = Phases.of(this).share;
    return Map.of(
        "degrees", degrees.toString(),
        "clustering",
            clustering.most()
                + " decay "
                + clustering.decay()
                + (share < 1 ? " with blocks at %s of their density".formatted(share) : ""),
        "inside", Double.toString(inside));
  }

  @Override
  public long expectedArcs() {
    Phases phases = Phases.of(this);
    return Math.round(phases.blocks.expectedEdges() + phases.excess.told());
  }

  /// Includes the weights of phase 2 and the sorted vertices.
  @Override
  public long peakBytes() {
    return Generator.super.peakBytes() + 100L * vertices();
  }

  /// {@inheritDoc}
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if distinct neighbours cannot match the
  ///   degrees to within 2 % of their sum
  @Override
  public EdgeStream edges() {
    int[] ids = Permutation.of(vertices(), planted.seed());
    Phases phases = Phases.of(this);
    AffinityBlocks blocks = phases.blocks;
    ExcessWeights excess = phases.excess;
    Require.that(
        phases.missing() <= MOST_MISSING,
        "degrees",
        "degrees that distinct neighbours can make up",
        "%s, of which %.1f %% would be missing; lower degrees or the share inside classes"
            .formatted(degrees, 100 * phases.missing()));
    // What phase 1 has too much or too little by chance, phase 2 makes up for.
    long[] told = {0};
    blocks.tell(planted.seed(), ids, (source, target, weight) -> told[0]++);
    long wanted =
        Math.round(Math.max(0, blocks.expectedEdges() + excess.told() - (double) told[0]));
    ExcessEdges more =
        new ExcessEdges(excess, phases.classOf, planted.classes(), wanted, planted.seed());
    return sink -> {
      blocks.tell(planted.seed(), ids, sink);
      more.tell(ids, sink);
    };
  }

  @Override
  public int[] labels() {
    int[] ids = Permutation.of(vertices(), planted.seed());
    int[] classOf = classOf(new AffinityBlocks(degrees, clustering, 1));
    int[] labels = new int[ids.length];
    for (int v = 0; v < ids.length; v++) {
      labels[ids[v]] = classOf[v];
    }
    return labels;
  }

  /// The class of each vertex, in the order of the blocks.
  private int[] classOf(AffinityBlocks blocks) {
    CounterRandom random = new CounterRandom(planted.seed(), Purpose.CLASSES);
    int[] classOf = new int[vertices()];
    for (int v = 0; v < blocks.start(0); v++) {
      classOf[v] = random.at(v).nextInt(planted.classes());
    }
    for (int block = 0; block < blocks.count(); block++) {
      int first = blocks.start(block);
      int own = random.at(first).nextInt(planted.classes());
      Arrays.fill(classOf, first, blocks.start(block + 1), own);
    }
    return classOf;
  }

  /// Both phases, at the highest density of the blocks with which degrees are met: what blocks take
  /// of the degrees of many light vertices, hubs may need.
  private static final class Phases {
    private static final double STEP = 0.125;

    /// More than this share of the degrees is not given up for clustering.
    private static final double MOST_FOR_CLUSTERING = 0.005;

    private final DegreeDistribution degrees;
    private final double share;
    private final AffinityBlocks blocks;
    private final int[] classOf;
    private final ExcessWeights excess;

    private Phases(Bter bter, double share) {
      degrees = bter.degrees;
      this.share = share;
      blocks = new AffinityBlocks(bter.degrees, bter.clustering, share);
      classOf = bter.classOf(blocks);
      excess = new ExcessWeights(blocks, classOf, bter.planted.classes(), bter.inside);
    }

    static Phases of(Bter bter) {
      Phases phases = new Phases(bter, 1);
      while (phases.missing() > MOST_FOR_CLUSTERING && phases.share > 0) {
        phases = new Phases(bter, phases.share - STEP);
      }
      return phases;
    }

    /// The share of the degrees that will be lacking, on average.
    double missing() {
      return excess.missing() / Math.max(1, (double) degrees.sum());
    }
  }
}
