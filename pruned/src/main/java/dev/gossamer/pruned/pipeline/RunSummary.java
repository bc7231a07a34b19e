package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Operation;
import dev.gossamer.run.Median;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// The results of a run, over all ranks.
///
/// @param parameters of the network
/// @param kept parameters that survive
/// @param ticket last pruning; null for never
/// @param state bytes of parameters and optimizer
/// @param dense iterations before pruning; null if there were none
/// @param pruned iterations at the final sparsity; null if there were none
public record RunSummary(
    long parameters,
    long kept,
    @Nullable Ticket ticket,
    StateBytes state,
    @Nullable Iterations dense,
    @Nullable Iterations pruned) {
  /// When a network was pruned.
  ///
  /// @param iteration before which it was pruned, 1-based
  /// @param stable whether the mask of an early-bird ticket had stabilised
  public record Ticket(int iteration, boolean stable) {}

  /// Bytes of parameters and optimizer.
  ///
  /// @param allocated bytes of one replica, as counted by the allocator
  /// @param formula the same, computed by the formula
  /// @param ofRank maximum over ranks
  public record StateBytes(long allocated, long formula, long ofRank) {}

  /// A typical iteration: medians over iterations, then over ranks as stated.
  ///
  /// @param count number of iterations
  /// @param seconds wall clock of the first rank
  /// @param phases means over ranks
  /// @param forwardSeconds of one microbatch through all stages
  /// @param backwardSeconds of one microbatch through all stages
  /// @param gradientBytes that all ranks sent for sums over replicas
  /// @param activationBytes that all ranks sent between stages
  public record Iterations(
      int count,
      double seconds,
      Map<StagePhase, Double> phases,
      double forwardSeconds,
      double backwardSeconds,
      double gradientBytes,
      double activationBytes) {
    /// {@return the seconds that stages waited for each other, mean over ranks}
    public double bubbleSeconds() {
      return phases.getOrDefault(StagePhase.BUBBLE, 0.0);
    }

    /// {@return the bubble of balanced stages, without message time: `(t_f + t_b) (1 - 1 /
    /// G_inter)` (SAMO, equation 7)}
    ///
    /// @param inter stages
    public double bubbleFormula(int inter) {
      return (forwardSeconds + backwardSeconds) * (1 - 1.0 / inter);
    }
  }

  /// {@return share of the parameters that is pruned}
  public double sparsity() {
    return 1 - (double) kept / parameters;
  }

  /// {@return the iterations that the run ended with; null if an earlier process did them all}
  public @Nullable Iterations last() {
    return pruned == null ? dense : pruned;
  }

  /// {@return the summary of a run} Collective.
  ///
  /// @param trainer of this rank
  /// @param pruner of this rank
  /// @param records of all iterations, the same number on all ranks
  public static RunSummary of(
      PipelineTrainer trainer, Pruner pruner, List<IterationRecord> records) {
    long all = pruner.parameters();
    long kept = pruner.kept();
    return new RunSummary(
        all,
        kept,
        pruner.ticket() < 0 ? null : new Ticket(pruner.ticket() + 1, pruner.isStable()),
        stateBytes(trainer),
        iterations(trainer, records.stream().filter(r -> r.kept() == all).toList()),
        kept == all ? null : iterations(trainer, lastOf(records, kept)));
  }

  /// The iterations with what survives in the end, on the grid of the end.
  private static List<IterationRecord> lastOf(List<IterationRecord> records, long kept) {
    return records.stream()
        .filter(r -> r.kept() == kept && r.grid().equals(records.getLast().grid()))
        .toList();
  }

  private static StateBytes stateBytes(PipelineTrainer trainer) {
    StageState state = trainer.state();
    boolean counted = trainer.part().settings().grid().replica(trainer.world().rank()) == 0;
    double[] bytes = {counted ? state.bytes() : 0, counted ? state.formulaBytes() : 0};
    trainer.sum(bytes);
    double[] most = {state.bytes()};
    trainer.max(most);
    return new StateBytes((long) bytes[0], (long) bytes[1], (long) most[0]);
  }

  private static @Nullable Iterations iterations(
      PipelineTrainer trainer, List<IterationRecord> records) {
    if (records.isEmpty()) {
      return null;
    }
    List<IterationResult> results = records.stream().map(IterationRecord::result).toList();
    StagePhase[] phases = StagePhase.values();
    double[] sums = new double[phases.length + 5];
    for (int i = 0; i < phases.length; i++) {
      StagePhase phase = phases[i];
      sums[i] = median(results, r -> r.times().phases().getOrDefault(phase, 0.0));
    }
    int next = phases.length;
    sums[next] = median(results, r -> r.times().forwardSeconds());
    sums[next + 1] = median(results, r -> r.times().backwardSeconds());
    sums[next + 2] = median(results, r -> r.sent().gradientBytes());
    sums[next + 3] = median(results, r -> r.sent().all().bytes(Operation.SEND));
    sums[next + 4] = trainer.world().rank() == 0 ? median(results, r -> r.times().seconds()) : 0;
    trainer.sum(sums);
    int ranks = trainer.world().size();
    int data = records.getLast().grid().data();
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
        sums[next + 2],
        sums[next + 3]);
  }

  private static double median(
      List<IterationResult> results, ToDoubleFunction<IterationResult> value) {
    return Median.of(results.stream().mapToDouble(value));
  }
}
