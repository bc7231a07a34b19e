package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.pruned.corpus.CorpusMemory;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// The grids that a network can be trained on, and their memory. The publication chose the grid by
/// hand; fewer stages wait less (SAMO, equations 8 and 11), so the fewest stages that fit are best.
///
/// @param network to train
/// @param state storage of its parameters
/// @param batches division of an iteration, on any grid
/// @param seed of weights, samples and dropout
public record GridPlan(
    LayerNetwork network, StateSettings state, BatchSettings batches, long seed) {
  /// Inputs of a rank's memory estimate, on any grid.
  ///
  /// @param pruning of the run
  /// @param sparsities of the network, one after the other
  /// @param threads of the rank
  /// @param process the rank's share of the process's memory for the virtual machine and the data
  public record Demand(
      PruningChoice pruning, List<Double> sparsities, int threads, CorpusMemory process) {
    /// Copies the collections.
    public Demand {
      sparsities = List.copyOf(sparsities);
    }

    MemoryEstimate of(StagePart part) {
      MemoryEstimate all =
          part.memory(pruning, sparsities, threads)
              .with("virtual machine and data", process.held());
      return all.with("while data are read", process.opening() - all.bytes());
    }
  }

  /// {@return the settings on each grid of the given number of ranks that divides network and
  /// batch, in ascending number of stages}
  ///
  /// @param ranks stages times replicas
  public List<PipelineSettings> grids(int ranks) {
    PipelineSettings alone = new PipelineSettings(new RankGrid(1, 1), batches, seed);
    return IntStream.rangeClosed(1, Math.min(ranks, mostStages()))
        .filter(inter -> ranks % inter == 0)
        .mapToObj(inter -> new RankGrid(inter, ranks / inter))
        .filter(alone::dividesOn)
        .map(alone::on)
        .toList();
  }

  private int mostStages() {
    return network.sharesParameters() ? 1 : network.blocks().size();
  }

  /// Checks that no message format is set if there are no messages between stages.
  ///
  /// @param inter maximum number of stages
  /// @throws InvalidSettingException if it is 1, and a format of activations is set
  public void requireTravelling(int inter) {
    if (inter == 1 && state.storage().activations() != null) {
      throw new InvalidSettingException(
          "{activations}: expected none with {stages} 1, where nothing travels between stages, found "
              + InvalidSettingException.nameOf(state.storage().activations()));
    }
  }

  /// {@return the stages of the network on a grid}
  ///
  /// @param grid stages and replicas
  /// @throws InvalidSettingException if the replicas cannot share the batch, the network has fewer
  ///   blocks than the grid has stages, or its blocks share parameters
  public List<StagePart> stages(RankGrid grid) {
    int blocks = network.blocks().size();
    if (grid.inter() > blocks) {
      throw new InvalidSettingException(
          "{stages}: expected 1..%d, as the network has %d blocks to cut between, found %d"
              .formatted(blocks, blocks, grid.inter()));
    }
    if (grid.inter() > mostStages()) {
      throw new InvalidSettingException(
          "{stages}: expected 1, as the head of %s is its embedding, found %d"
              .formatted(network.name(), grid.inter()));
    }
    return StagePart.all(network, new PipelineSettings(grid, batches, seed), state);
  }

  /// {@return the memory of the rank that needs the most}
  ///
  /// @param settings one of [#grids]
  /// @param demand of a rank
  public MemoryEstimate largest(PipelineSettings settings, Demand demand) {
    return largest(StagePart.all(network, settings, state), demand);
  }

  /// {@return the memory of the rank that needs the most}
  ///
  /// @param stages of one network
  /// @param demand of a rank
  public static MemoryEstimate largest(List<StagePart> stages, Demand demand) {
    return stages.stream()
        .map(demand::of)
        .max(Comparator.comparingLong(MemoryEstimate::bytes))
        .orElseThrow();
  }

  /// {@return the grid with the fewest stages that fits into a memory limit}
  ///
  /// @param ranks stages times replicas
  /// @param demand of a rank
  /// @param limit maximum bytes of a rank
  /// @throws InvalidSettingException if there is none
  public RankGrid fewestStages(int ranks, Demand demand, long limit) {
    long least = Long.MAX_VALUE;
    for (PipelineSettings each : grids(ranks)) {
      long bytes = largest(each, demand).bytes();
      if (bytes <= limit) {
        return each.grid();
      }
      least = Math.min(least, bytes);
    }
    throw new InvalidSettingException(
        ("{stages} auto: no grid of %d ranks stays within %s per rank, the best needs %s;"
                + " use more ranks, more memory or {checkpointActivations}")
            .formatted(ranks, MemoryEstimate.readable(limit), MemoryEstimate.readable(least)));
  }
}
