package dev.gossamer.run;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/// Scores how well edges are told from pairs without an edge, over several ranks. Each edge is
/// ranked among pairs of its own that share a vertex with it: its rank is one more than the number
/// of pairs with a higher score, and half of those with the same score, as in the protocol of the
/// Open Graph Benchmark (W. Hu et al., 2020). The loss and the areas under curves compare each edge
/// with the first of its pairs.
public final class LinkScoring {
  /// Numbers that are added up over ranks.
  public static final int SUMS = 5;

  /// Bytes of an edge while its scores are gathered and ranked.
  public static final int EDGE_BYTES = 16 * Double.BYTES;

  private static final int[] HITS = {1, 10};

  private double[] edges = new double[64];
  private double[] others = new double[64];
  private int count;
  private double reciprocals;
  private final long[] hits = new long[HITS.length];
  private double loss;

  /// Begins without edges.
  public LinkScoring() {}

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
      above += pair > edge ? 1 : pair == edge ? 0.5 : 0;
    }
    double rank = 1 + above;
    reciprocals += 1 / rank;
    for (int i = 0; i < HITS.length; i++) {
      hits[i] += rank <= HITS[i] ? 1 : 0;
    }
    loss += softplus(-edge) + softplus(pairs[0]);
    if (count == edges.length) {
      edges = Arrays.copyOf(edges, 2 * count);
      others = Arrays.copyOf(others, 2 * count);
    }
    edges[count] = edge;
    others[count++] = pairs[0];
  }

  /// `log(1 + e^x)`.
  private static double softplus(double x) {
    return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
  }

  /// {@return the scores over the edges of all ranks of a team; without edges, a loss of 0 alone}
  /// Collective.
  ///
  /// @param team ranks that have added different edges
  public Evaluation.Scores scores(Team team) {
    double[] sums = team.sum(count, loss, reciprocals, (double) hits[0], (double) hits[1]);
    double[] positives = team.gathered(Arrays.copyOf(edges, count));
    double[] negatives = team.gathered(Arrays.copyOf(others, count));
    Map<Metric, Double> values = new EnumMap<>(Metric.class);
    double all = sums[0];
    values.put(Metric.LOSS, all == 0 ? 0 : sums[1] / (2 * all));
    if (all > 0) {
      values.put(Metric.MRR, sums[2] / all);
      values.put(Metric.HITS_1, sums[3] / all);
      values.put(Metric.HITS_10, sums[4] / all);
      double[] scores = Arrays.copyOf(positives, 2 * positives.length);
      System.arraycopy(negatives, 0, scores, positives.length, negatives.length);
      double[] truth = new double[scores.length];
      Arrays.fill(truth, 0, positives.length, 1);
      RankedScores ranked = RankedScores.of(scores, truth);
      values.put(Metric.ROC_AUC, ranked.rocArea().orElseThrow());
      values.put(Metric.PR_AUC, ranked.averagePrecision().orElseThrow());
    }
    return new Evaluation.Scores((long) all, values);
  }
}
