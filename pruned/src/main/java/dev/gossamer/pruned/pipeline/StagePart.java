package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.Workers;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.pruned.layers.Layer;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.run.memory.MemoryEstimate;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// One stage of a network as its ranks will hold it, known before any memory is taken.
///
/// @param network the whole network
/// @param cut into stages
/// @param stage which of them
/// @param settings of an iteration on the grid
/// @param stateSettings how parameters are kept
public record StagePart(
    LayerNetwork network,
    StageCut cut,
    int stage,
    PipelineSettings settings,
    StateSettings stateSettings) {
  /// {@return the stages of a network, cut where they cost about the same}
  ///
  /// @param network the whole network
  /// @param settings of an iteration on the grid
  /// @param stateSettings how parameters are kept
  /// @throws IllegalArgumentException if it has fewer blocks than the grid has stages
  public static List<StagePart> all(
      LayerNetwork network, PipelineSettings settings, StateSettings stateSettings) {
    double[] costs = network.blocks().stream().mapToDouble(Layer::operations).toArray();
    StageCut cut = StageCut.balanced(costs, settings.grid().inter());
    List<StagePart> parts = new ArrayList<>();
    for (int stage = 0; stage < cut.stages(); stage++) {
      parts.add(new StagePart(network, cut, stage, settings, stateSettings));
    }
    return parts;
  }

  private int begin() {
    return cut.begin(stage);
  }

  private int end() {
    return cut.end(stage);
  }

  /// {@return the blocks of the stage}
  public List<Layer> blocks() {
    return network.blocks().subList(begin(), end());
  }

  /// {@return the parameters of the stage}
  public ParameterLayout layout() {
    return network.layout(begin(), end());
  }

  /// {@return floating-point operations of one sample's forward pass through the stage}
  public double operations() {
    return network.part(begin(), end()).operations();
  }

  /// The parameters of each block: how many there are.
  List<Integer> parametersOfBlocks() {
    List<Integer> counts = new ArrayList<>();
    for (int b = begin(); b < end(); b++) {
      counts.add(network.layout(b, b + 1).entries().size());
    }
    return counts;
  }

  /// Gives the stage's parameters their first values.
  ///
  /// @param weights `float32`, laid out by [#layout], zero
  void initialise(MemorySegment weights) {
    network.initialise(begin(), end(), weights, settings.seed());
  }

  /// What batch normalisation of the stage averages.
  ParameterLayout statistics() {
    return network.statistics(begin(), end());
  }

  /// The memory of its microbatches.
  StagePlan plan() {
    Grid grid = settings.grid();
    int slots = settings.slots(stage);
    return new StagePlan(
        blocks(),
        settings.microbatch(),
        slots,
        Math.min(settings.microbatches(), slots + 1),
        settings.batches().checkpointActivations(),
        stage == 0,
        stage == grid.inter() - 1);
  }

  /// Elements that travel in one bucket at most.
  long bucketElements() {
    return Math.max(1, settings.batches().bucketBytes() / stateSettings.format().bytes());
  }

  /// {@return what a rank of this stage takes}
  ///
  /// @param kept parameters of the stage that survive; all of them before pruning
  /// @param threads of the rank
  public MemoryEstimate memory(long kept, int threads) {
    long parameters = layout().count();
    long largest = Math.min(kept, bucketElements());
    return MemoryEstimate.builder()
        .add(
            "state",
            kept == parameters
                ? stateSettings.denseBytes(parameters)
                : stateSettings.prunedBytes(layout(), kept))
        .add("activations", plan().bytes())
        .add(
            "buckets",
            GradientExchange.bytes(settings.grid().data(), largest, stateSettings.format().bytes()))
        .add("scratch", Workers.bytes(threads))
        .build();
  }
}
