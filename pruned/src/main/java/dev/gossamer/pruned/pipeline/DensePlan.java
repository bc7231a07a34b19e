package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.pruned.layers.DenseNetwork;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// What grids a network can be trained on, and what they take of memory. The publication chose the
/// grid by hand; fewer stages wait less (SAMO, equations 8 and 11), so the fewest that fit are
/// best.
public final class DensePlan {
  private DensePlan() {}

  /// The settings on each grid of so many ranks that divides network and batch.
  ///
  /// @param settings on any grid
  public static List<PipelineSettings> grids(
      DenseNetwork network, int ranks, PipelineSettings settings) {
    return IntStream.rangeClosed(1, Math.min(ranks, network.blocks().size()))
        .filter(inter -> ranks % inter == 0)
        .mapToObj(inter -> new Grid(inter, ranks / inter))
        .filter(settings::dividesOn)
        .map(settings::on)
        .toList();
  }

  /// The memory of the rank that needs most.
  ///
  /// @param share of the parameters that is pruned, the same in all stages
  public static MemoryEstimate largest(List<StagePart> parts, double share, int threads) {
    return parts.stream()
        .map(part -> part.memory(Math.round((1 - share) * part.layout().count()), threads))
        .max(Comparator.comparingLong(MemoryEstimate::bytes))
        .orElseThrow();
  }

  /// The grid with the fewest stages whose ranks stay within a limit.
  ///
  /// @param share of the parameters that is pruned
  /// @param limit bytes of a rank
  /// @throws InvalidInputException if there is none
  public static Grid smallest(
      DenseNetwork network,
      int ranks,
      PipelineSettings settings,
      StateSettings state,
      double share,
      int threads,
      long limit) {
    long least = Long.MAX_VALUE;
    for (PipelineSettings each : grids(network, ranks, settings)) {
      long bytes = largest(StagePart.all(network, each, state), share, threads).bytes();
      if (bytes <= limit) {
        return each.grid();
      }
      least = Math.min(least, bytes);
    }
    throw new InvalidInputException(
        "--inter auto: no grid of %d ranks stays within %s a rank, the best needs %s; use more ranks, more memory or --checkpoint-activations"
            .formatted(ranks, MemoryEstimate.readable(limit), MemoryEstimate.readable(least)));
  }
}
