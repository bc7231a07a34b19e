package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Link;
import dev.gossamer.nn.Mask;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.pruned.layers.Layer;
import dev.gossamer.pruned.layers.TiedHead;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// The seconds of an iteration, before it is run, by the model of SAMO, section IV-B. Its parts are
/// added up as if none overlapped another: messages that travel while a rank computes make an
/// iteration shorter. The optimizer's update is not counted.
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
///
/// @param compute of the rank that computes most
/// @param bubble that a rank waits for others
/// @param messages between stages, of the rank that has most; 0 without a network
/// @param gradients that replicas add up, of the stage that has most; 0 without a network
public record IterationForecast(double compute, double bubble, double messages, double gradients) {
  /// Share of the rate of large products that an iteration reaches: products of its sizes, and what
  /// is no product. Runs of small networks on two cores have reported 0.39 and 0.52 of it.
  public static final double SHARE = 0.4;

  /// How fast ranks compute and communicate.
  ///
  /// @param operations floating-point operations of a rank per second
  /// @param link between ranks; null where messages are not to be counted
  public record Speed(double operations, @Nullable Link link) {
    double seconds(double messages, double bytes) {
      return link == null ? 0 : messages * link.alphaSeconds() + bytes * link.betaSecondsPerByte();
    }
  }

  /// {@return the seconds of all parts}
  public double seconds() {
    return compute + bubble + messages + gradients;
  }

  /// {@return the forecast for a grid}
  ///
  /// @param stages of a network
  /// @param share of its parameters that is pruned, of each matrix alike
  /// @param speed of ranks
  public static IterationForecast of(List<StagePart> stages, double share, Speed speed) {
    StagePart first = stages.getFirst();
    PipelineSettings settings = first.settings();
    ParameterLayout whole = first.network().layout();
    double prunable = whole.where(Mask::prunable).count();
    double kept = prunable == 0 ? 1 : Math.max(0, 1 - share * whole.count() / prunable);
    int inter = settings.grid().inter();
    double data = settings.grid().data();
    int passes = settings.batches().checkpointActivations() ? 4 : 3;
    double second = settings.microbatch() * passes / speed.operations();
    double through = second * sum(stages, part -> operations(part, kept));
    int microbatches = settings.microbatches();
    int neighbours = Math.min(2, inter - 1);
    return new IterationForecast(
        microbatches * second * most(stages, part -> operations(part, kept)),
        through * (1 - 1.0 / inter),
        2.0
            * neighbours
            * microbatches
            * speed.seconds(1, most(stages, p -> p.plan().messageBytes())),
        most(
            stages,
            part -> {
              double bytes = gradientBytes(part, kept);
              double buckets = Math.ceil(bytes / settings.batches().bucketBytes());
              return 2 * (data - 1) * speed.seconds(buckets, bytes / data);
            }));
  }

  private static double sum(List<StagePart> stages, ToDoubleFunction<StagePart> value) {
    return stages.stream().mapToDouble(value).sum();
  }

  private static double most(List<StagePart> stages, ToDoubleFunction<StagePart> value) {
    return stages.stream().mapToDouble(value).max().orElse(0);
  }

  private static long kept(ParameterLayout.Entry entry, double share) {
    return Mask.prunable(entry) ? Math.round(share * entry.count()) : entry.count();
  }

  private static double gradientBytes(StagePart part, double kept) {
    long elements = part.layout().entries().stream().mapToLong(entry -> kept(entry, kept)).sum();
    return (double) elements * part.stateSettings().format().bytes();
  }

  /// Operations of one sample's forward pass through a stage, as many dense ones as take as long:
  /// those of a matrix with sparse products count by [StateSettings#relativeTime].
  private static double operations(StagePart part, double kept) {
    double operations = part.operations();
    for (Layer layer : part.network().leaves(part.blocks())) {
      for (ParameterLayout.Entry entry : matrices(part, layer)) {
        double time = part.stateSettings().relativeTime(entry, kept(entry, kept));
        double dense =
            Math.min(layer.operations(), 2.0 * layer.output().positions() * entry.count());
        operations -= dense * (1 - time);
      }
    }
    return operations;
  }

  /// The matrices that a layer multiplies with.
  private static List<ParameterLayout.Entry> matrices(StagePart part, Layer layer) {
    if (layer.operations() == 0) {
      return List.of();
    }
    if (layer instanceof TiedHead head) {
      return part.layout().alone(head.tokens()).entries();
    }
    ParameterLayout.Builder own = ParameterLayout.builder();
    layer.declare(own);
    return own.build().where(Mask::prunable).entries();
  }
}
