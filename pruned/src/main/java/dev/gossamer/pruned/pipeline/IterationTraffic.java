package dev.gossamer.pruned.pipeline;

import dev.gossamer.pruned.prune.PruningQuota;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Predicted traffic of an iteration, counted like [dev.gossamer.comm.Traffic]: activations and
/// their gradients between stages, sums over replicas, and the values that all ranks sum before an
/// update. Evaluations are not included.
///
/// Bytes and messages are exact if each matrix loses its planned share; other criteria shift
/// messages between stages, but not the total bytes.
///
/// @param bytes of all ranks
/// @param messages of all ranks
/// @param activationBytes of all ranks, between stages
/// @param gradientBytes of all ranks, between replicas
/// @param mostSent bytes of the rank that sends the most
/// @param mostReceived bytes of the rank that receives the most
public record IterationTraffic(
    long bytes,
    long messages,
    long activationBytes,
    long gradientBytes,
    long mostSent,
    long mostReceived) {
  /// {@return the traffic of a grid}
  ///
  /// @param stages of a network
  /// @param sparsity of the network, the same share of each matrix
  public static IterationTraffic of(List<StagePart> stages, double sparsity) {
    PruningQuota quota = PruningQuota.of(stages.getFirst().network().layout(), sparsity);
    PipelineSettings settings = stages.getFirst().settings();
    RankGrid grid = settings.grid();
    long others = grid.ranks() - 1L;
    long agreed = others * Agreement.COUNT * Double.BYTES;
    long[] sent = new long[grid.ranks()];
    long[] received = new long[grid.ranks()];
    Arrays.fill(sent, agreed);
    Arrays.fill(received, agreed);
    long messages = grid.ranks() * others;
    long activations = 0;
    long gradients = 0;
    for (StagePart part : stages) {
      StagePlan plan = part.plan();
      Map<Long, Long> buckets =
          part.buckets(quota).all().stream()
              .collect(
                  Collectors.groupingBy(
                      bucket -> bucket.end() - bucket.begin(), Collectors.counting()));
      int elementBytes = part.stateSettings().format().bytes();
      int neighbours = (plan.first() ? 0 : 1) + (plan.last() ? 0 : 1);
      long between = settings.microbatches() * (plan.bytesReceived() + plan.bytesSent());
      for (int replica = 0; replica < grid.data(); replica++) {
        Sum sums = new Sum(grid.data(), replica);
        long summed = sums.bytes(buckets, elementBytes);
        Map<Long, Long> statistics = Map.of(part.statistics().count(), 1L);
        long all = between + summed + sums.bytes(statistics, Float.BYTES);
        int rank = replica * grid.inter() + part.stage();
        sent[rank] += all;
        received[rank] += all;
        activations += between;
        gradients += summed;
        messages +=
            (long) settings.microbatches() * neighbours
                + sums.messages(buckets)
                + sums.messages(statistics);
      }
    }
    return new IterationTraffic(
        Arrays.stream(sent).sum(),
        messages,
        activations,
        gradients,
        Arrays.stream(sent).max().orElse(0),
        Arrays.stream(received).max().orElse(0));
  }

  /// A rank's part in sums over replicas, of two steps each: the slices of all others, then its own
  /// slice to all.
  ///
  /// @param replicas that add up
  /// @param replica which of them
  private record Sum(int replicas, int replica) {
    /// Elements of the rank's slice.
    private long slice(long elements) {
      return elements / replicas + (replica < elements % replicas ? 1 : 0);
    }

    /// @param counts how many sums there are of each number of elements
    long bytes(Map<Long, Long> counts, int elementBytes) {
      return of(
          counts,
          elements ->
              (elements - slice(elements) + slice(elements) * (replicas - 1)) * elementBytes);
    }

    /// An empty slice is no message.
    long messages(Map<Long, Long> counts) {
      return of(
          counts,
          elements -> {
            boolean own = slice(elements) > 0;
            return Math.min(elements, replicas) - (own ? 1 : 0) + (own ? replicas - 1 : 0);
          });
    }

    private long of(Map<Long, Long> counts, Function<Long, Long> each) {
      return replicas == 1
          ? 0
          : counts.entrySet().stream().mapToLong(e -> e.getValue() * each.apply(e.getKey())).sum();
    }
  }
}
