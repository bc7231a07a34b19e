package dev.gossamer.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Scores how well edges are told from pairs without an edge, over several ranks, by the protocols
/// of the Open Graph Benchmark (W. Hu et al., 2020). An edge is ranked among pairs of its own that
/// share a vertex with it, or all edges among the same pairs. With `a` pairs of a higher and `t` of
/// the same score, its rank is `1 + a + t / 2`, of which MRR is the mean reciprocal.
///
/// Among pairs of its own, `hits@k` is the share of edges of rank `k` or less, and the loss and the
/// areas under curves compare each edge with the first of its pairs. Among shared pairs, `hits@k`
/// is the share of edges whose score is higher than the `k`-th highest of the pairs, `a + t < k`;
/// the areas compare all edges with all pairs, and the loss is half the mean over edges and half
/// that over pairs.
public final class LinkScoring {
  /// Numbers that are added up over ranks.
  public static final int SUMS = 8;

  /// Bytes of an edge while its scores are gathered and ranked.
  public static final int EDGE_BYTES = 16 * Double.BYTES;

  /// Bytes of a shared pair on a rank, while its score is gathered and ranked.
  public static final int SHARED_BYTES = 12 * Double.BYTES;

  private static final List<Metric> HITS =
      List.of(Metric.HITS_1, Metric.HITS_10, Metric.HITS_20, Metric.HITS_50, Metric.HITS_100);

  private static final int[] RANKS = {1, 10, 20, 50, 100};

  /// Hits among pairs of an edge's own, of which there are fewer.
  private static final int OWN_HITS = 2;

  private final @Nullable SharedScores shared;
  private double[] edges = new double[64];
  private double[] others = new double[64];
  private int count;
  private double reciprocals;
  private final long[] hits = new long[RANKS.length];
  private double loss;

  /// Begins without edges, each of which will be ranked among pairs of its own.
  public LinkScoring() {
    shared = null;
  }

  /// Begins without edges, which will be ranked among the same pairs.
  ///
  /// @param shared scores of the pairs, equal on all ranks
  public LinkScoring(SharedScores shared) {
    this.shared = shared;
  }

  /// {@return the scores of edges, but the loss and those under curves}
  ///
  /// @param shared whether all edges are ranked among the same pairs
  public static List<Metric> ofRanks(boolean shared) {
    List<Metric> all = new ArrayList<>(List.of(Metric.MRR));
    all.addAll(shared ? HITS : HITS.subList(0, OWN_HITS));
    return List.copyOf(all);
  }

  /// Adds an edge.
  ///
  /// @param edge its score; the higher, the more likely is an edge
  /// @param pairs scores of the pairs that it is ranked among, at least one
  /// @throws IllegalArgumentException if there is none
  public void add(double edge, double... pairs) {
    if (pairs.length == 0) {
      throw new IllegalArgumentException("pairs: expected at least one, found none");
    }
    double above = 0;
    for (double pair : pairs) {
      // A pair counts as higher where either score is no number.
      above += pair < edge ? 0 : pair == edge ? 0.5 : 1;
    }
    double rank = 1 + above;
    reciprocals += 1 / rank;
    for (int i = 0; i < OWN_HITS; i++) {
      hits[i] += rank <= RANKS[i] ? 1 : 0;
    }
    loss += softplus(-edge) + softplus(pairs[0]);
    keep(edge, pairs[0]);
  }

  /// Adds an edge that is ranked among the shared pairs.
  ///
  /// @param edge its score; the higher, the more likely is an edge
  public void addAmongShared(double edge) {
    SharedScores among = Objects.requireNonNull(shared, "shared");
    int above = among.above(edge);
    int reaching = among.reaching(edge);
    reciprocals += 1 / (1 + (above + reaching) / 2.0);
    for (int i = 0; i < RANKS.length; i++) {
      hits[i] += reaching < RANKS[i] ? 1 : 0;
    }
    loss += softplus(-edge);
    keep(edge, 0);
  }

  private void keep(double edge, double pair) {
    if (count == edges.length) {
      edges = Arrays.copyOf(edges, 2 * count);
      others = Arrays.copyOf(others, 2 * count);
    }
    edges[count] = edge;
    others[count++] = pair;
  }

  /// `log(1 + e^x)`.
  static double softplus(double x) {
    return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
  }

  /// {@return the scores over the edges of all ranks of a team; without edges, a loss of 0 alone}
  /// Collective.
  ///
  /// @param team ranks that have added different edges
  public Evaluation.Scores scores(Team team) {
    double[] own = new double[SUMS];
    own[0] = count;
    own[1] = loss;
    own[2] = reciprocals;
    for (int i = 0; i < RANKS.length; i++) {
      own[3 + i] = hits[i];
    }
    double[] sums = team.sum(own);
    double[] positives = team.gathered(Arrays.copyOf(edges, count));
    double[] negatives =
        shared == null ? team.gathered(Arrays.copyOf(others, count)) : shared.ascending();
    Map<Metric, Double> values = new EnumMap<>(Metric.class);
    double all = sums[0];
    values.put(Metric.LOSS, all == 0 ? 0 : loss(sums[1], all) / 2);
    if (all > 0) {
      values.put(Metric.MRR, sums[2] / all);
      for (int i = 0; i < (shared == null ? OWN_HITS : RANKS.length); i++) {
        values.put(HITS.get(i), sums[3 + i] / all);
      }
      double[] scores = Arrays.copyOf(positives, positives.length + negatives.length);
      System.arraycopy(negatives, 0, scores, positives.length, negatives.length);
      double[] truth = new double[scores.length];
      Arrays.fill(truth, 0, positives.length, 1);
      RankedScores ranked = RankedScores.of(scores, truth);
      values.put(Metric.ROC_AUC, ranked.rocArea().orElseThrow());
      values.put(Metric.PR_AUC, ranked.averagePrecision().orElseThrow());
    }
    return new Evaluation.Scores((long) all, values);
  }

  /// The mean loss of an edge and a pair.
  private double loss(double sum, double all) {
    return sum / all
        + (shared == null
            ? 0
            : Arrays.stream(shared.ascending()).map(LinkScoring::softplus).average().orElseThrow());
  }
}
