package dev.gossamer.planner;

import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.graph.Features;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.LayerProduct;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/// Adds up the seconds of the steps of an epoch, by phase.
final class StepSeconds {
  private final RankLayout layout;
  private final Rates rates;
  private final Map<Phase, Double> phases = new EnumMap<>(Phase.class);

  StepSeconds(RankLayout layout) {
    this.layout = layout;
    rates = layout.cluster().rates();
  }

  Map<Phase, Double> phases() {
    return phases;
  }

  double add(Phase phase, double seconds) {
    phases.merge(phase, seconds, Double::sum);
    return seconds;
  }

  void addAll(StepSeconds other, double times) {
    other.phases.forEach((phase, seconds) -> add(phase, seconds * times));
  }

  double total() {
    return phases.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /// Adds a dense product over some rows of each rank.
  double dense(long[] rows, LayerProduct.Dense product) {
    int in = product.in();
    int out = product.out();
    return add(
        Phase.MATMUL,
        layout.slowest(
            rows,
            new long[rows.length],
            (n, _, t) ->
                product.gradient()
                    ? rates.weightGradient(n, in, out, t)
                    : rates.matmul(n, in, out, t)));
  }

  /// Adds a product by a sparse matrix.
  double spmm(Phase phase, long[] rows, long[] entries, int width) {
    return add(phase, spmmSeconds(rows, entries, width));
  }

  /// Returns the seconds of a product by a sparse matrix without adding them.
  double spmmSeconds(long[] rows, long[] entries, int width) {
    return layout.slowest(rows, entries, (n, nnz, t) -> rates.spmm(n, nnz, width, t));
  }

  /// Adds attention, forward and backward, or one of its three forward passes over the edges
  /// ([LayerProduct.Attended]).
  double attention(long[] rows, long[] edges, LayerProduct.Attended product, Backward backward) {
    double both =
        layout.slowest(
            rows, edges, (n, e, t) -> rates.attention(n, e, product.heads(), product.width(), t));
    return add(Phase.ATTENTION, backward == Backward.NONE ? both / 3 : both);
  }

  /// Adds sums over edges, forward and backward, or the forward pass over the edges alone
  /// ([LayerProduct.AlongEdges]).
  double alongEdges(long[] rows, long[] edges, LayerProduct.AlongEdges product, Backward backward) {
    double forward = spmmSeconds(rows, edges, product.read());
    int passes = backward == Backward.NONE ? 1 : product.returns() ? 3 : 2;
    return add(Phase.SPMM, passes * forward);
  }

  /// Adds drawing a dropout mask.
  double dropout(Phase phase, long[] elements) {
    return add(phase, slowest(elements, rates::dropout));
  }

  /// Adds dropout of the input: of dense rows, or of the entries of sparse rows and of their
  /// transpose.
  ///
  /// @param rows of each rank
  /// @param entries of these rows, if they are sparse
  void inputDropout(Features x, long[] rows, long[] entries) {
    if (x instanceof Features.Sparse) {
      add(Phase.OTHER, 2 * slowest(entries, rates::sparseDropout));
    } else {
      dropout(Phase.OTHER, times(rows, x.width()));
    }
  }

  /// Adds dropping edges.
  ///
  /// @param entries of the graph that each rank draws, or of its blocks
  void edgeDropout(long[] entries) {
    add(Phase.OTHER, slowest(entries, rates::sparseDropout));
  }

  /// Adds checking and transposing blocks, each by one thread.
  double transpose(long[] entries) {
    return add(
        Phase.OTHER,
        layout.slowest(
            1, entries, new long[entries.length], (n, _, t) -> rates.transpose((double) n, t)));
  }

  /// Seconds of some units of work, by how many threads share them.
  @FunctionalInterface
  private interface OfUnits {
    double seconds(double units, int threads);
  }

  private double slowest(long[] units, OfUnits work) {
    return layout.slowest(units, new long[units.length], (n, _, t) -> work.seconds((double) n, t));
  }

  /// Adds a pass over memory.
  double stream(Phase phase, long[] bytes) {
    return add(phase, slowest(bytes, rates::stream));
  }

  /// Adds passes over the results of a layer.
  double elementwise(long[] rows, LayerProduct.Elementwise passes) {
    return stream(
        Phase.OTHER, times(rows, (long) passes.matrices() * passes.width() * Float.BYTES));
  }

  /// Adds gathering scattered rows.
  double gather(Phase phase, long[] rows, int rowBytes) {
    return add(phase, slowest(rows, (n, t) -> rates.gather(n, Math.max(1, rowBytes), t)));
  }

  /// Adds drawing neighbours.
  double sampling(long[] edges) {
    return add(Phase.SAMPLE, slowest(edges, rates::sampling));
  }

  /// Adds the loss of the labelled training rows, whose logits are replaced by the gradient, and
  /// zeroing the logits of all other rows.
  void loss(long[] labelled, long[] rows, int classes) {
    add(Phase.OTHER, slowest(labelled, (n, t) -> rates.loss(n, classes, t)));
    stream(Phase.OTHER, times(rows, (long) classes * Float.BYTES));
  }

  /// Adds scores of pairs of vertices, and in training their gradients.
  ///
  /// @param pairs of each rank
  /// @param width of the outputs that are compared
  void pairs(long[] pairs, LinkDecoder decoder, int width, Backward backward) {
    decoder.pairProducts(width, backward).forEach(product -> dense(pairs, product));
    stream(Phase.OTHER, times(pairs, decoder.pairBytes(width, backward)));
  }

  /// Returns the phase in which a layer computes its output and applies dropout.
  static Phase last(GraphLayer layer) {
    return switch (layer.products(Backward.NONE).getLast()) {
      case LayerProduct.Dense _ -> Phase.MATMUL;
      case LayerProduct.Aggregated _ -> Phase.SPMM;
      case LayerProduct.AlongEdges _ -> Phase.SPMM;
      case LayerProduct.Attended _ -> Phase.ATTENTION;
      case LayerProduct.Elementwise _ -> Phase.OTHER;
      case LayerProduct.Summed _ -> Phase.REDUCE;
    };
  }

  /// Adds the optimizer step over all parameters, on every rank: gradients are read, weights and
  /// optimizer state are read and written.
  void optimizer(OptimizerRule rule, ParameterLayout parameters) {
    long bytes = 3L * parameters.count() * Float.BYTES + 2 * Optimizer.bytes(rule, parameters);
    long[] all = new long[layout.ranks()];
    Arrays.fill(all, bytes);
    stream(Phase.OTHER, all);
  }

  static long[] times(long[] numbers, long factor) {
    return Arrays.stream(numbers).map(n -> n * factor).toArray();
  }
}
