package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Operation;
import dev.gossamer.run.Median;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a run has come to, over all ranks.
///
/// @param parameters of the network
/// @param kept of them
/// @param stateBytes that the allocator gave to state and optimizer of one replica
/// @param stateBytesFormula the same by the formula
/// @param stateBytesOfRank the most of one rank
/// @param dense iterations before pruning; null if there were none
/// @param pruned iterations with what survives in the end; null if there were none
public record RunSummary(
    long parameters,
    long kept,
    long stateBytes,
    long stateBytesFormula,
    long stateBytesOfRank,
    @Nullable Iterations dense,
    @Nullable Iterations pruned) {
  /// The usual iteration of some: medians over iterations, then over ranks as said.
  ///
  /// @param count iterations
  /// @param seconds wall clock of the first rank
  /// @param phases means over ranks
  /// @param forwardSeconds of one microbatch through all stages
  /// @param backwardSeconds of one microbatch through all stages
  /// @param bubbleSeconds mean over ranks
  /// @param gradientBytes that all ranks sent for sums over replicas
  /// @param activationBytes that all ranks sent between stages
  public record Iterations(
      int count,
      double seconds,
      Map<StagePhase, Double> phases,
      double forwardSeconds,
      double backwardSeconds,
      double bubbleSeconds,
      double gradientBytes,
      double activationBytes) {
    /// The bubble of stages that are balanced, and messages that take no time: `(t_f + t_b) (1 - 1
    /// / G_inter)` (SAMO, equation 7).
    public double bubbleFormula(int inter) {
      return (forwardSeconds + backwardSeconds) * (1 - 1.0 / inter);
    }
  }

  /// Share of the parameters that is pruned.
  public double sparsity() {
    return 1 - (double) kept / parameters;
  }

  /// The iterations that the run ended with.
  public Iterations last() {
    Iterations iterations = pruned == null ? dense : pruned;
    if (iterations == null) {
      throw new IllegalStateException("the run had no iteration");
    }
    return iterations;
  }

  /// The summary of a run. Collective.
  ///
  /// @param records of all iterations, the same number on all ranks
  public static RunSummary of(
      PipelineTrainer trainer, Pruner pruner, List<DenseTraining.Iteration> records) {
    StageState state = trainer.state();
    boolean counted = trainer.part().settings().grid().replica(trainer.world().rank()) == 0;
    double[] bytes = {counted ? state.bytes() : 0, counted ? state.formulaBytes() : 0};
    trainer.sum(bytes);
    double[] most = {state.bytes()};
    trainer.max(most);
    long all = pruner.parameters();
    return new RunSummary(
        all,
        pruner.kept(),
        (long) bytes[0],
        (long) bytes[1],
        (long) most[0],
        iterations(trainer, records.stream().filter(r -> r.kept() == all).toList()),
        pruner.kept() == all
            ? null
            : iterations(
                trainer, records.stream().filter(r -> r.kept() == pruner.kept()).toList()));
  }

  private static @Nullable Iterations iterations(
      PipelineTrainer trainer, List<DenseTraining.Iteration> records) {
    if (records.isEmpty()) {
      return null;
    }
    List<IterationResult> results = records.stream().map(DenseTraining.Iteration::result).toList();
    StagePhase[] phases = StagePhase.values();
    double[] sums = new double[phases.length + 5];
    for (int i = 0; i < phases.length; i++) {
      StagePhase phase = phases[i];
      sums[i] = Median.of(results.stream().mapToDouble(r -> r.phases().getOrDefault(phase, 0.0)));
    }
    int next = phases.length;
    sums[next] = Median.of(results.stream().mapToDouble(IterationResult::forwardSeconds));
    sums[next + 1] = Median.of(results.stream().mapToDouble(IterationResult::backwardSeconds));
    sums[next + 2] = Median.of(results.stream().mapToDouble(IterationResult::gradientBytes));
    sums[next + 3] = Median.of(results.stream().mapToDouble(r -> r.sent().bytes(Operation.SEND)));
    sums[next + 4] =
        trainer.world().rank() == 0
            ? Median.of(results.stream().mapToDouble(IterationResult::seconds))
            : 0;
    trainer.sum(sums);
    int ranks = trainer.world().size();
    int data = trainer.part().settings().grid().data();
    Map<StagePhase, Double> means = new EnumMap<>(StagePhase.class);
    for (int i = 0; i < phases.length; i++) {
      means.put(phases[i], sums[i] / ranks);
    }
    return new Iterations(
        records.size(),
        sums[next + 4],
        means,
        sums[next] / data,
        sums[next + 1] / data,
        means.getOrDefault(StagePhase.BUBBLE, 0.0),
        sums[next + 2],
        sums[next + 3]);
  }
}
