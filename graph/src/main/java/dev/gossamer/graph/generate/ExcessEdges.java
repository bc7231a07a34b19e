package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream.Sink;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.Arrays;

/// The second phase of [Bter]: any two vertices are joined with probability `1 - exp(-alpha w_u
/// w_v)`, and those of class `c` once more with `1 - exp(-beta_c w_u w_v)`, by [ExcessWeights].
///
/// Each pair is streamed at most once for either reason. For each vertex, heaviest first, partners
/// are found by exponential skips over lighter vertices at the rate of the heaviest remaining one,
/// and accepted with the ratio of probabilities (Miller and Hagberg 2011). Cost: linear in vertices
/// and streamed edges.
///
/// For few edges, their number would vary by some per cent. So slightly more are drawn, and the
/// surplus is dropped evenly, to match the requested number.
final class ExcessEdges {
  /// Of more edges, chance adds or takes a thousandth.
  private static final long FEW = 1_000_000;

  /// Standard deviations that more are drawn.
  private static final double SURPLUS = 4;

  private final ExcessWeights excess;
  private final long seed;
  private final double[] weights;

  /// Vertices with a weight, heaviest first.
  private final int[] order;

  /// The same class by class; where each begins is in `starts`.
  private final int[] byClass;

  private final int[] starts;

  private final double surplus;
  private final long drawn;
  private final long wanted;

  /// @param classOf class of each vertex, in the order of the blocks
  /// @param wanted number of edges to stream; approximate if large
  ExcessEdges(ExcessWeights excess, int[] classOf, int classes, long wanted, long seed) {
    this.excess = excess;
    this.wanted = wanted;
    this.seed = seed;
    weights = excess.weights();
    order = heaviestFirst(weights);
    starts = new int[classes + 1];
    for (int v : order) {
      starts[classOf[v] + 1]++;
    }
    Arrays.parallelPrefix(starts, Integer::sum);
    byClass = new int[order.length];
    int[] next = starts.clone();
    for (int v : order) {
      byClass[next[classOf[v]]++] = v;
    }
    boolean few = wanted < FEW;
    surplus = few ? 1 + SURPLUS / Math.sqrt((double) Math.max(1, wanted)) : 1;
    long[] all = {0};
    if (few) {
      draw((u, v) -> all[0]++);
    }
    drawn = all[0];
  }

  private interface Pairs {
    void pair(int u, int v);
  }

  /// By weight as a float, then by number.
  private static int[] heaviestFirst(double[] weights) {
    long[] keys = new long[weights.length];
    int count = 0;
    for (int v = 0; v < weights.length; v++) {
      int bits = Float.floatToIntBits((float) weights[v]);
      if (bits > 0) {
        keys[count++] = -((long) bits << Integer.SIZE) | v;
      }
    }
    Arrays.sort(keys, 0, count);
    int[] order = new int[count];
    Arrays.setAll(order, i -> (int) keys[i]);
    return order;
  }

  /// Streams the edges of this phase.
  void tell(int[] ids, Sink sink) {
    if (wanted >= FEW) {
      draw((u, v) -> sink.arc(ids[u], ids[v], 1f));
      return;
    }
    long[] before = {0};
    draw((u, v) -> {
      // As many of the first i edges as i wanted / drawn, rounded down.
      before[0] += wanted;
      if (before[0] >= drawn) {
        before[0] -= drawn;
        sink.arc(ids[u], ids[v], 1f);
      }
    });
  }

  private void draw(Pairs pairs) {
    CounterRandom random = new CounterRandom(seed, Purpose.MORE_ARCS);
    double any = surplus * excess.anyRate();
    for (int i = 0; i < order.length; i++) {
      draw(order, i, order.length, any, random.at(i), pairs);
    }
    for (int c = 0; c + 1 < starts.length; c++) {
      double inClass = surplus * excess.classRate(c);
      for (int i = starts[c]; i < starts[c + 1]; i++) {
        random.at((long) order.length + i);
        draw(byClass, i, starts[c + 1], inClass, random, pairs);
      }
    }
  }

  /// Draws edges between `vertices[i]` and those behind it, up to `end`.
  private void draw(
      int[] vertices, int i, int end, double rate, CounterRandom random, Pairs pairs) {
    int u = vertices[i];
    double own = rate * weights[u];
    int j = i + 1;
    double bound = j < end ? own * weights[vertices[j]] : 0;
    while (j < end && bound > 0) {
      double skip = -Math.log1p(-random.nextDouble()) / bound;
      if (skip >= end - j) {
        return;
      }
      j += (int) skip;
      int v = vertices[j++];
      double pair = own * weights[v];
      if (random.nextDouble() * Math.expm1(-bound) >= Math.expm1(-pair)) {
        pairs.pair(u, v);
      }
      bound = pair;
    }
  }
}
