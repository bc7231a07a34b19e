package dev.gossamer.cli.report;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.random.Philox;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/// Points of a space in the plane, so that rows that are near each other there are near each other
/// here: UMAP (L. McInnes, J. Healy and J. Melville, *UMAP: uniform manifold approximation and
/// projection*, 2018, sections 3 and 4).
///
/// Each row is joined to its nearest ones with `w = exp(-(distance - least) / scale)`, where
/// `scale` is chosen such that these weights add up to `log2 k`; of both directions, `w + w' - w
/// w'` remains. Points begin at the first two principal components, and move by stochastic gradient
/// descent: joined points attract each other as often as their weight says, and drawn ones repel
/// each other. Their similarity in the plane is `1 / (1 + distance^2)` (`a = b = 1`), so that no
/// powers are computed. All draws are counter-based, and points move one after the other: the same
/// rows give the same points.
///
/// @param x of each row
/// @param y of each row
@SuppressWarnings("ArrayRecordComponent")
record NeighbourPlane(double[] x, double[] y) {
  /// Neighbours of each row.
  static final int NEIGHBOURS = 15;

  private static final int STREAM = 0x4e504c41;

  /// Drawn points for each attraction.
  private static final int DRAWN = 5;

  /// Rows up to which there are [#MOST_ROUNDS].
  private static final int FEW_ROWS = 10_000;

  private static final int MOST_ROUNDS = 500;
  private static final int FEWEST_ROUNDS = 200;

  /// The plane is this wide at first.
  private static final double WIDTH = 10;

  /// A coordinate moves by this at most at a time.
  private static final double MOST = 4;

  /// Keeps points that meet from being thrown far apart.
  private static final double NEAR = 1e-3;

  private static final int BISECTIONS = 64;

  /// Bytes of an edge, in both directions.
  private static final int EDGE_BYTES = 2 * (2 * Integer.BYTES + 2 * Double.BYTES);

  /// Returns the bytes that finding the points takes, beside the rows.
  static long bytes(long rows, long columns) {
    return NearestRows.bytes(rows, columns, NEIGHBOURS)
        + rows * (NEIGHBOURS * (long) EDGE_BYTES + 2 * Double.BYTES);
  }

  /// Finds the points. Cost: that of [NearestRows], and about `5 k n` moves in each of 200 to 500
  /// rounds.
  ///
  /// @param rows finite numbers, `n x d`, with at least one column; borrowed
  /// @param from where points begin
  static NeighbourPlane of(
      float[][] rows, PrincipalPlane from, Workers workers, Progress progress) {
    NearestRows nearest = NearestRows.of(rows, NEIGHBOURS, workers, progress);
    NeighbourPlane plane = begun(from);
    if (nearest.count() > 0) {
      plane.move(Joined.of(nearest), progress);
    }
    return plane;
  }

  /// The principal components, scaled to the width.
  private static NeighbourPlane begun(PrincipalPlane from) {
    double largest = 0;
    for (int i = 0; i < from.x().length; i++) {
      largest = Math.max(largest, Math.max(Math.abs(from.x()[i]), Math.abs(from.y()[i])));
    }
    double scale = largest > 0 ? WIDTH / 2 / largest : 0;
    return new NeighbourPlane(
        Arrays.stream(from.x()).map(each -> scale * each).toArray(),
        Arrays.stream(from.y()).map(each -> scale * each).toArray());
  }

  /// Rows that are joined.
  ///
  /// @param from a row
  /// @param to another one; each pair is there in both directions
  /// @param weight from 0 to 1
  private record Joined(int[] from, int[] to, double[] weight) {
    static Joined of(NearestRows nearest) {
      int k = nearest.count();
      int n = nearest.numbers().length / k;
      double[] weights = new double[n * k];
      for (int row = 0; row < n; row++) {
        weigh(nearest, row, weights);
      }
      int[] from = new int[2 * n * k];
      int[] to = new int[from.length];
      double[] weight = new double[from.length];
      int edges = 0;
      for (int at = 0; at < n * k; at++) {
        int row = at / k;
        int other = nearest.numbers()[at];
        int back = place(nearest, other, row);
        if (back >= 0 && other < row) {
          continue;
        }
        double there = weights[at];
        double here = back < 0 ? 0 : weights[back];
        for (int direction = 0; direction < 2; direction++) {
          from[edges] = direction == 0 ? row : other;
          to[edges] = direction == 0 ? other : row;
          weight[edges++] = there + here - there * here;
        }
      }
      return new Joined(
          Arrays.copyOf(from, edges), Arrays.copyOf(to, edges), Arrays.copyOf(weight, edges));
    }

    /// Where a row is among the nearest of another; -1 if it is not.
    private static int place(NearestRows nearest, int of, int row) {
      int begin = of * nearest.count();
      for (int at = begin; at < begin + nearest.count(); at++) {
        if (nearest.numbers()[at] == row) {
          return at;
        }
      }
      return -1;
    }

    /// The weights of a row's nearest.
    private static void weigh(NearestRows nearest, int row, double[] weights) {
      int k = nearest.count();
      int begin = row * k;
      float least = nearest.distances()[begin];
      double wanted = Math.log(k + 1.0) / Math.log(2);
      double low = 0;
      double high = Double.POSITIVE_INFINITY;
      double scale = 1;
      for (int step = 0; step < BISECTIONS; step++) {
        double sum = 0;
        for (int at = begin; at < begin + k; at++) {
          weights[at] = Math.exp(-(nearest.distances()[at] - least) / scale);
          sum += weights[at];
        }
        if (sum > wanted) {
          high = scale;
        } else {
          low = scale;
        }
        scale = Double.isInfinite(high) ? 2 * scale : (low + high) / 2;
      }
    }
  }

  private void move(Joined joined, Progress progress) {
    int rounds = x.length <= FEW_ROWS ? MOST_ROUNDS : FEWEST_ROUNDS;
    double heaviest = Arrays.stream(joined.weight).max().orElse(1);
    double[] due = new double[joined.weight.length];
    for (int e = 0; e < due.length; e++) {
      due[e] = heaviest / joined.weight[e];
    }
    RandomGenerator random = Philox.keyed(0, STREAM, 0).sequence();
    for (int round = 0; round < rounds; round++) {
      double rate = 1 - (double) round / rounds;
      for (int e = 0; e < due.length; e++) {
        if (due[e] <= round + 1) {
          due[e] += heaviest / joined.weight[e];
          attract(joined.from[e], joined.to[e], rate);
          for (int draw = 0; draw < DRAWN; draw++) {
            repel(joined.from[e], random.nextInt(x.length), rate);
          }
        }
      }
      progress.at("layout", round + 1, rounds);
    }
  }

  private void attract(int i, int j, double rate) {
    double dx = x[i] - x[j];
    double dy = y[i] - y[j];
    double pull = -2 / (1 + dx * dx + dy * dy);
    double mx = rate * Math.clamp(pull * dx, -MOST, MOST);
    double my = rate * Math.clamp(pull * dy, -MOST, MOST);
    x[i] += mx;
    y[i] += my;
    x[j] -= mx;
    y[j] -= my;
  }

  private void repel(int i, int drawn, double rate) {
    double dx = x[i] - x[drawn];
    double dy = y[i] - y[drawn];
    double square = dx * dx + dy * dy;
    if (square > 0) {
      double push = 2 / ((NEAR + square) * (1 + square));
      x[i] += rate * Math.clamp(push * dx, -MOST, MOST);
      y[i] += rate * Math.clamp(push * dy, -MOST, MOST);
    }
  }
}
