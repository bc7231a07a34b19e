package dev.gossamer.planner;

import dev.gossamer.nn.LayerProduct;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.nn.Phase;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/// Seconds of the steps of an epoch, phase by phase, added up.
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

  /// A dense product over some rows of each rank.
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

  /// A product by a sparse matrix.
  double spmm(Phase phase, long[] rows, long[] entries, int width) {
    return add(phase, spmmSeconds(rows, entries, width));
  }

  /// Seconds of a product by a sparse matrix, which are not added.
  double spmmSeconds(long[] rows, long[] entries, int width) {
    return layout.slowest(rows, entries, (n, nnz, t) -> rates.spmm(n, nnz, width, t));
  }

  /// Attention: three passes over the edges, one forwards and two backwards.
  void attention(long[] rows, long[] edges, LayerProduct.Attended product) {
    for (int pass = 0; pass < 3; pass++) {
      spmm(Phase.ATTENTION, rows, edges, product.width());
      stream(Phase.ATTENTION, times(edges, 2L * product.heads() * Float.BYTES));
    }
  }

  /// A pass over memory.
  double stream(Phase phase, long[] bytes) {
    return add(
        phase,
        layout.slowest(bytes, new long[bytes.length], (b, _, t) -> rates.stream((double) b, t)));
  }

  /// Rows that are copied from anywhere.
  double gather(Phase phase, long[] rows, int rowBytes) {
    return add(
        phase,
        layout.slowest(
            rows,
            new long[rows.length],
            (n, _, t) -> rates.gather((double) n, Math.max(1, rowBytes), t)));
  }

  /// Neighbours that are drawn.
  double sampling(long[] edges) {
    return add(
        Phase.SAMPLE,
        layout.slowest(edges, new long[edges.length], (e, _, t) -> rates.sampling((double) e, t)));
  }

  /// The loss of some rows, which leaves the gradient of its logits.
  void loss(long[] rows, int classes) {
    stream(Phase.OTHER, times(rows, 2L * classes * Float.BYTES));
  }

  /// The optimizer's step over all parameters, on every rank: gradients are read, weights and what
  /// the optimizer keeps are read and written.
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
