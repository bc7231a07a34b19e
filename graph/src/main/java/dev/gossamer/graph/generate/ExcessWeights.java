package dev.gossamer.graph.generate;

import java.util.Arrays;

/// The weights by which phase 2 of [Bter] joins vertices. Two vertices have at most one edge, so
/// probabilities in proportion to missing degrees would leave the heavy vertices of a dense graph,
/// or of a small class, far below their degrees. With these weights `w`, the expected number of new
/// neighbours is the missing degree `e_v` of each vertex:
///
/// `e_v = sum over u != v of (1 - rho_uv) (1 - exp(-w_v w_u (alpha + beta_c [u, v both in class
/// c])))`
///
/// `alpha = (1 - inside) / E`, `beta_c = inside / E_c`,
///
/// where `E` and `E_c` are the sums of missing degrees over all vertices and over class `c`, and
/// `rho_uv` is the probability that phase 1 joins the two. In a sparse graph, `w = e`.
///
/// Solved by rounds of `w_v := w_v sqrt(e_v / found_v)`, with one factor for all vertices of a
/// class with similar missing degrees. Cost per round: the number of vertices, and for each such
/// group the number of distinct magnitudes of the weights.
final class ExcessWeights {
  private static final int CELLS_IN_OCTAVE = 16;

  /// Weights from `2^-20` up are told apart.
  private static final int LEAST_OCTAVE = -20;

  private static final int CELLS = 64 * CELLS_IN_OCTAVE;
  private static final int ROUNDS = 100;

  /// Good enough: what is found differs from what is lacking by this share.
  private static final double PRECISE = 0.001;

  /// No weight grows to more than this multiple of what is lacking.
  private static final double MOST = 1e6;

  private final AffinityBlocks blocks;
  private final double inside;
  private final double[] excess;

  /// The group of each vertex, or -1 where nothing is lacking. Groups of a class are consecutive.
  private final int[] groupOf;

  /// Where the groups of each class begin.
  private final int[] groups;

  private final int[] count;
  private final double[] lacking;
  private final double[] factor;
  private final double[] found;
  private double told;

  /// @param classOf class of each vertex, in the order of the blocks
  ExcessWeights(AffinityBlocks blocks, int[] classOf, int classes, double inside) {
    this.blocks = blocks;
    this.inside = inside;
    excess = blocks.excess();
    groupOf = new int[excess.length];
    groups = new int[classes + 1];
    int all = group(classOf, classes);
    count = new int[all];
    lacking = new double[all];
    for (int v = 0; v < excess.length; v++) {
      if (groupOf[v] >= 0) {
        count[groupOf[v]]++;
        lacking[groupOf[v]] += excess[v];
      }
    }
    factor = new double[all];
    Arrays.fill(factor, 1);
    found = new double[all];
    solve();
  }

  /// Numbers the pairs of a class and a magnitude that occur.
  private int group(int[] classOf, int classes) {
    int[] numbers = new int[classes * CELLS];
    for (int v = 0; v < excess.length; v++) {
      groupOf[v] = excess[v] > 0 ? classOf[v] * CELLS + cell(excess[v]) : -1;
      if (groupOf[v] >= 0) {
        numbers[groupOf[v]] = 1;
      }
    }
    int next = 0;
    for (int c = 0; c < classes; c++) {
      groups[c] = next;
      for (int i = c * CELLS; i < (c + 1) * CELLS; i++) {
        next += numbers[i];
        numbers[i] = next - 1;
      }
    }
    groups[classes] = next;
    for (int v = 0; v < excess.length; v++) {
      groupOf[v] = groupOf[v] >= 0 ? numbers[groupOf[v]] : -1;
    }
    return next;
  }

  private static int cell(double weight) {
    double octaves = Math.log(weight) / Math.log(2) - LEAST_OCTAVE;
    return Math.clamp((long) (octaves * CELLS_IN_OCTAVE), 0, CELLS - 1);
  }

  /// {@return the weight of each vertex}
  double[] weights() {
    double[] weights = new double[excess.length];
    for (int v = 0; v < weights.length; v++) {
      weights[v] = weight(v);
    }
    return weights;
  }

  private double weight(int v) {
    return groupOf[v] < 0 ? 0 : factor[groupOf[v]] * excess[v];
  }

  /// {@return `alpha`}
  double anyRate() {
    return rate(1 - inside, 0, count.length);
  }

  /// {@return `beta_c`}
  double classRate(int c) {
    return rate(inside, groups[c], groups[c + 1]);
  }

  private double rate(double share, int first, int last) {
    double sum = 0;
    for (int g = first; g < last; g++) {
      sum += lacking[g];
    }
    return sum > 0 ? share / sum : 0;
  }

  /// {@return the mean number of streamed edges; those within a class may occur twice}
  double told() {
    return told;
  }

  /// {@return the mean sum of missing degrees in the end}
  double missing() {
    double missing = 0;
    for (int g = 0; g < count.length; g++) {
      missing += lacking[g] - count[g] * found[g];
    }
    return missing;
  }

  /// The weight of an average member.
  private double mean(int g) {
    return factor[g] * lacking[g] / count[g];
  }

  private void solve() {
    if (count.length == 0) {
      return;
    }
    double most = PRECISE * Arrays.stream(lacking).sum();
    look();
    for (int round = 0; round < ROUNDS && wrong() > most; round++) {
      for (int g = 0; g < count.length; g++) {
        double step = Math.sqrt(lacking[g] / Math.max(count[g] * found[g], lacking[g] / MOST));
        factor[g] = Math.min(MOST, factor[g] * step);
      }
      look();
    }
  }

  private double wrong() {
    double wrong = 0;
    for (int g = 0; g < count.length; g++) {
      wrong += Math.abs(lacking[g] - count[g] * found[g]);
    }
    return wrong;
  }

  /// Sets `found`: new neighbours of an average member of each group under the weights as they are.
  private void look() {
    double alpha = anyRate();
    double[] members = new double[CELLS];
    double[] weights = new double[CELLS];
    int last = 0;
    for (int g = 0; g < count.length; g++) {
      int cell = cell(mean(g));
      members[cell] += count[g];
      weights[cell] += factor[g] * lacking[g];
      last = Math.max(last, cell);
    }
    double[] within = new double[count.length];
    double ends = 0;
    for (int c = 0; c + 1 < groups.length; c++) {
      double beta = classRate(c);
      for (int g = groups[c]; g < groups[c + 1]; g++) {
        double w = mean(g);
        double any = -joined(alpha * w * w);
        for (int cell = 0; cell <= last; cell++) {
          if (members[cell] > 0) {
            any += members[cell] * joined(alpha * w * weights[cell] / members[cell]);
          }
        }
        double own = -joined(beta * w * w);
        double both = joined(alpha * w * w) * joined(beta * w * w);
        for (int h = groups[c]; h < groups[c + 1]; h++) {
          double inClass = joined(beta * w * mean(h));
          own += count[h] * inClass;
          both -= count[h] * inClass * joined(alpha * w * mean(h));
        }
        ends += count[g] * (any + own);
        found[g] = any + own + both;
        within[g] = alpha + beta;
      }
    }
    told = ends / 2;
    leaveOutJoined(within);
  }

  /// Takes away what phase 1 has joined already. A block is of one class, and its vertices come by
  /// group.
  private void leaveOutJoined(double[] within) {
    int[] groupsOfBlock = new int[count.length];
    int[] sizes = new int[count.length];
    for (int block = 0; block < blocks.count(); block++) {
      int runs = 0;
      int last = -1;
      for (int v = blocks.start(block); v < blocks.start(block + 1); v++) {
        if (groupOf[v] >= 0 && groupOf[v] != last) {
          last = groupOf[v];
          groupsOfBlock[runs] = last;
          sizes[runs++] = 0;
        }
        sizes[Math.max(0, runs - 1)] += groupOf[v] >= 0 ? 1 : 0;
      }
      for (int i = 0; i < runs; i++) {
        int g = groupsOfBlock[i];
        double repeats = -joined(within[g] * mean(g) * mean(g));
        for (int j = 0; j < runs; j++) {
          repeats += sizes[j] * joined(within[g] * mean(g) * mean(groupsOfBlock[j]));
        }
        found[g] -= blocks.density(block) * sizes[i] * repeats / count[g];
      }
    }
  }

  /// The probability of an edge at a rate.
  private static double joined(double rate) {
    return -Math.expm1(-rate);
  }
}
