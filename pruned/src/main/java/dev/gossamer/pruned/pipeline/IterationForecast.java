package dev.gossamer.pruned.pipeline;

import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.CausalAttention;
import dev.gossamer.pruned.layers.Layer;
import dev.gossamer.pruned.layers.TiedHead;
import dev.gossamer.pruned.prune.PruningQuota;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// The predicted seconds of an iteration, by the model of SAMO, section IV-B. Its parts are added
/// as if none overlapped; actual iterations are shorter if messages overlap with computation.
///
/// With `m = B / (mbs G_data)` microbatches of each replica, `t_f + t_b` of a microbatch through
/// all stages, `D = G_data` replicas and a network of `alpha + b beta` for `b` bytes:
///
/// | part | seconds |
/// |---|---|
/// | computation | `m` times `t_f + t_b` of the costliest stage |
/// | bubble | `(t_f + t_b) (1 - 1 / G_inter)` (equation 7) |
/// | messages | `4 m (alpha + b beta)` (equations 9 to 11); `2 m` on two stages, which have one neighbour each |
/// | gradients | `2 (D - 1) (n alpha + b beta / D)` for `b` bytes of survivors in `n` buckets |
/// | update | a pass that reads and writes the state of the largest stage |
///
/// `t_f + t_b` is the time of the products of each layer, and of memory passes for other
/// operations. Messages within a node and between nodes may have different `alpha` and `beta`.
///
/// @param compute of the rank that computes the most
/// @param bubble time that a rank waits for others
/// @param messages between stages, of the rank that has the most
/// @param gradients summed over replicas, of the stage that has the most
/// @param update of parameters, of the stage that has the most
public record IterationForecast(
    double compute, double bubble, double messages, double gradients, double update) {
  /// What is forecast for the phases [#COMPUTED] together.
  public static final String COMPUTE = "compute";

  /// Names of the phases that compute, in runs.
  public static final List<String> COMPUTED =
      List.of(
          StagePhase.FORWARD.label(), StagePhase.BACKWARD.label(), StagePhase.COMPRESSION.label());

  /// Products of a backward pass through the heads of attention, which makes the scores again, for
  /// each of the forward pass.
  private static final double BACKWARD_HEADS = 2.5;

  /// Passes over logits: their softmax, and the gradient.
  private static final int PASSES_OF_LOSS = 4;

  /// {@return the sum of all parts in seconds}
  public double seconds() {
    return compute + bubble + messages + gradients + update;
  }

  /// {@return the parts by the names that runs report, in order, with [#COMPUTE] for some together}
  public Map<String, Double> byPhase() {
    Map<String, Double> phases = new LinkedHashMap<>();
    phases.put(COMPUTE, compute);
    phases.put(StagePhase.BUBBLE.label(), bubble);
    phases.put(StagePhase.POINT_TO_POINT.label(), messages);
    phases.put(StagePhase.COLLECTIVE.label(), gradients);
    phases.put(StagePhase.UPDATE.label(), update);
    return Collections.unmodifiableMap(phases);
  }

  /// {@return the forecast for a grid}
  ///
  /// @param stages of a network
  /// @param sparsity of the network, the same share of each matrix
  /// @param speed of ranks
  public static IterationForecast of(List<StagePart> stages, double sparsity, RankSpeed speed) {
    StagePart first = stages.getFirst();
    PruningQuota quota = PruningQuota.of(first.network().layout(), sparsity);
    PipelineSettings settings = first.settings();
    RankGrid grid = settings.grid();
    double[] seconds =
        stages.stream().mapToDouble(part -> new Passes(part, quota, speed).seconds()).toArray();
    double through = 0;
    double costliest = 0;
    for (double each : seconds) {
      through += each;
      costliest = Math.max(costliest, each);
    }
    return new IterationForecast(
        settings.microbatches() * costliest,
        through * (1 - 1.0 / grid.inter()),
        messages(stages, speed),
        most(stages, part -> gradients(part, quota, speed)),
        most(stages, part -> speed.stream(2.0 * stateBytes(part, quota))));
  }

  private static double most(List<StagePart> stages, ToDoubleFunction<StagePart> value) {
    return stages.stream().mapToDouble(value).max().orElse(0);
  }

  private static double messages(List<StagePart> stages, RankSpeed speed) {
    RankGrid grid = stages.getFirst().settings().grid();
    double most = 0;
    for (int rank = 0; rank < grid.ranks(); rank++) {
      StagePlan plan = stages.get(grid.stage(rank)).plan();
      double there =
          plan.first() ? 0 : speed.messages(rank, rank - 1, 1, (double) plan.bytesReceived());
      double on = plan.last() ? 0 : speed.messages(rank, rank + 1, 1, (double) plan.bytesSent());
      most = Math.max(most, there + on);
    }
    return 2.0 * stages.getFirst().settings().microbatches() * most;
  }

  /// Of the first replica and the last, which share their nodes with the fewest others.
  private static double gradients(StagePart part, PruningQuota quota, RankSpeed speed) {
    RankGrid grid = part.settings().grid();
    double bytes = (double) part.kept(quota).count() * part.stateSettings().format().bytes();
    double buckets = part.buckets(quota).all().size();
    double most = 0;
    for (int replica : new int[] {0, grid.data() - 1}) {
      int rank = replica * grid.inter() + part.stage();
      double seconds = 0;
      for (int peer = part.stage(); peer < grid.ranks(); peer += grid.inter()) {
        seconds += peer == rank ? 0 : speed.messages(rank, peer, buckets, bytes / grid.data());
      }
      most = Math.max(most, seconds);
    }
    return 2 * most;
  }

  private static long stateBytes(StagePart part, PruningQuota quota) {
    ParameterLayout layout = part.layout();
    StateSettings state = part.stateSettings();
    return part.kept(quota).count() == layout.count()
        ? state.denseBytes(layout.count())
        : state.prunedBytes(layout, entry -> entry.count() - quota.removed(entry.name()));
  }

  /// A microbatch's way through a stage, forwards and backwards.
  private record Passes(StagePart part, PruningQuota quota, RankSpeed speed) {
    double seconds() {
      double seconds = 0;
      for (Layer layer : part.network().leaves(part.blocks())) {
        seconds += layer.operations() == 0 ? elementwise(layer) : products(layer);
      }
      StagePlan plan = part.plan();
      return plan.last()
          ? seconds + stream((double) PASSES_OF_LOSS * plan.elements(plan.output()))
          : seconds;
    }

    private int samples() {
      return part.settings().microbatch();
    }

    /// Forward passes of a layer.
    private int forwards() {
      return part.settings().batches().checkpointActivations() ? 2 : 1;
    }

    private double stream(double elements) {
      return speed.stream(elements * Float.BYTES);
    }

    /// Forwards the input is read and what is kept is written; backwards that is read, with a
    /// gradient that comes and one that goes.
    private double elementwise(Layer layer) {
      double in = (double) samples() * layer.input().elements();
      double out = (double) samples() * layer.output().elements();
      double kept = (double) layer.keptElements(samples());
      return stream(forwards() * (in + kept) + kept + in + out);
    }

    /// Products with matrices, and those of attention. A matrix with sparse products counts by
    /// [StateSettings#relativeTime].
    private double products(Layer layer) {
      long rows = (long) samples() * layer.output().positions();
      double seconds = 0;
      for (ParameterLayout.Entry entry : matrices(layer)) {
        boolean transposed = layer instanceof TiedHead;
        int in = transposed ? entry.cols() : entry.rows();
        int out = transposed ? entry.rows() : entry.cols();
        double dense =
            forwards() * speed.product(rows, in, out)
                + speed.product(rows, out, in)
                + speed.weightGradient(rows, in, out);
        long kept = entry.count() - quota.removed(entry.name());
        seconds += dense * part.stateSettings().relativeTime(entry, kept);
      }
      return layer instanceof CausalAttention attention ? seconds + heads(attention) : seconds;
    }

    /// Scores of the positions up to each, and the sums that they weigh: half of two products of `T
    /// x D` with `D x T` for each head.
    private double heads(CausalAttention attention) {
      int length = attention.input().positions();
      long rows = (long) samples() * attention.heads() * (length + 1);
      return (forwards() + BACKWARD_HEADS) * speed.product(rows, attention.headWidth(), length);
    }

    /// The matrices that a layer multiplies with.
    private List<ParameterLayout.Entry> matrices(Layer layer) {
      if (layer instanceof TiedHead head) {
        return part.layout().alone(head.tokens()).entries();
      }
      ParameterLayout.Builder own = ParameterLayout.builder();
      layer.declare(own);
      return own.build().where(Mask::prunable).entries();
    }
  }
}
