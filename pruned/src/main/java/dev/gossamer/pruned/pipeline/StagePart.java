package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.Workers;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.Initialisation;
import dev.gossamer.pruned.layers.Layer;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.prune.PruningQuota;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/// One stage of a network, as planned before memory is allocated.
///
/// @param network the whole network
/// @param cut division into stages
/// @param stage number of the stage
/// @param settings of an iteration on the grid
/// @param stateSettings storage of parameters
public record StagePart(
    LayerNetwork network,
    StageCut cut,
    int stage,
    PipelineSettings settings,
    StateSettings stateSettings) {
  /// The name of parameters, gradients and moments in an estimate.
  public static final String STATE = "state";

  /// The name of microbatches in flight in an estimate.
  public static final String ACTIVATIONS = "activations";

  /// The name of gradient buckets in an estimate.
  public static final String BUCKETS = "buckets";

  /// {@return the stages of a network, divided at about equal cost}
  ///
  /// @param network the whole network
  /// @param settings of an iteration on the grid
  /// @param stateSettings storage of parameters
  /// @throws IllegalArgumentException if it has fewer blocks than the grid has stages
  public static List<StagePart> all(
      LayerNetwork network, PipelineSettings settings, StateSettings stateSettings) {
    double[] costs = network.blocks().stream().mapToDouble(Layer::operations).toArray();
    StageCut cut = StageCut.balanced(costs, settings.grid().inter());
    return new StagePart(network, cut, 0, settings, stateSettings).all();
  }

  /// {@return all stages of the network, including this one}
  public List<StagePart> all() {
    return IntStream.range(0, cut.stages())
        .mapToObj(each -> new StagePart(network, cut, each, settings, stateSettings))
        .toList();
  }

  /// {@return the same stage of a network with fewer units, divided at the same blocks}
  ///
  /// @param smaller network
  StagePart of(LayerNetwork smaller) {
    return new StagePart(smaller, cut, stage, settings, stateSettings);
  }

  /// {@return the stage with the same number after dividing the network again at about equal cost}
  StagePart cutAnew() {
    return all(network, settings, stateSettings).get(stage);
  }

  /// {@return the stage of the network at a sparsity; this one if single elements are pruned}
  ///
  /// @param pruning of the run
  /// @param sparsity of the network
  public StagePart without(PruningChoice pruning, double sparsity) {
    return sparsity > 0 && pruning.removesUnits()
        ? of(network.resized(pruning.widths(network, sparsity)))
        : this;
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

  /// Returns the number of parameters of each block.
  List<Integer> parametersOfBlocks() {
    List<Integer> counts = new ArrayList<>();
    for (int b = begin(); b < end(); b++) {
      counts.add(network.layout(b, b + 1).entries().size());
    }
    return counts;
  }

  /// The first values of the stage's parameters.
  ParameterValues firstValues() {
    return (entry, to) ->
        network.initialise(
            begin(), end(), new Initialisation(layout().alone(entry.name()), to, settings.seed()));
  }

  /// Returns the layout of the running statistics of the stage.
  ParameterLayout statistics() {
    return network.statistics(begin(), end());
  }

  /// Returns the memory of its microbatches.
  StagePlan plan() {
    RankGrid grid = settings.grid();
    int slots = settings.slots(stage);
    return new StagePlan(
        blocks(),
        settings.microbatch(),
        slots,
        Math.min(settings.microbatches(), slots + 1),
        settings.batches().checkpointActivations(),
        stateSettings.activations(),
        stage == 0,
        stage == grid.inter() - 1);
  }

  /// Returns the maximum elements of a bucket.
  long bucketElements() {
    return Math.max(1, settings.batches().bucketBytes() / stateSettings.format().bytes());
  }

  /// Returns the layout of the stage's survivors.
  ///
  /// @param quota pruned elements of the network
  ParameterLayout kept(PruningQuota quota) {
    return Mask.kept(layout(), entry -> entry.count() - quota.removed(entry.name()));
  }

  /// Returns the buckets of the kept gradients.
  ///
  /// @param quota pruned elements of the network
  Buckets buckets(PruningQuota quota) {
    return Buckets.of(kept(quota), parametersOfBlocks(), bucketElements());
  }

  /// {@return the peak memory of a rank of this stage}
  ///
  /// When a network is pruned, the states before and after are in memory together; a network that
  /// is pruned from the start is initialised matrix by matrix.
  ///
  /// @param pruning of the run
  /// @param sparsities of the network in order, the same in all stages: usually
  ///   [PruningChoice#sparsities]
  /// @param threads of the rank
  public MemoryEstimate memory(PruningChoice pruning, List<Double> sparsities, int threads) {
    long largest = 0;
    long peak =
        sparsities.size() == 1
            ? stateBytes(pruning, sparsities.getFirst()) + pruning.firstBytes(layout())
            : 0;
    for (int i = 0; i < sparsities.size(); i++) {
      largest = Math.max(largest, stateBytes(pruning, sparsities.get(i)));
      if (i > 0) {
        long before = stateBytes(pruning, sparsities.get(i - 1));
        peak = Math.max(peak, before + stateBytes(pruning, sparsities.get(i)));
      }
    }
    long kept = Math.round((1 - sparsities.getFirst()) * layout().count());
    return without(pruning, sparsities.getFirst())
        .withState(largest, kept, threads)
        .add("while it is pruned", Math.max(0, peak - largest))
        .add("masks", pruning.masks() * Math.ceilDiv(layout().count(), (long) Byte.SIZE))
        .build();
  }

  private long stateBytes(PruningChoice pruning, double sparsity) {
    if (pruning.removesUnits()) {
      return stateSettings.denseBytes(without(pruning, sparsity).layout().count());
    }
    long parameters = layout().count();
    long kept = Math.round((1 - sparsity) * parameters);
    return kept == parameters
        ? stateSettings.denseBytes(parameters)
        : stateSettings.prunedBytes(layout(), kept);
  }

  /// Bytes of a rank that continues with the remaining network.
  ///
  /// @param survivors of each parameter
  long bytes(ToLongFunction<ParameterLayout.Entry> survivors, int threads) {
    long kept = layout().entries().stream().mapToLong(survivors).sum();
    long state =
        kept == layout().count()
            ? stateSettings.denseBytes(kept)
            : stateSettings.prunedBytes(layout(), survivors);
    return withState(state, kept, threads).build().bytes();
  }

  private MemoryEstimate.Builder withState(long state, long kept, int threads) {
    long bucket = Math.min(kept, bucketElements());
    return MemoryEstimate.builder()
        .add(STATE, state)
        .add("best weights", stateSettings.keepsBest() ? kept * Float.BYTES : 0)
        .add(ACTIVATIONS, plan().bytes())
        .add(
            BUCKETS,
            GradientExchange.bytes(settings.grid().data(), bucket, stateSettings.format().bytes()))
        .add("scratch", Workers.bytes(threads));
  }
}
