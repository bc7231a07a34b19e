package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Traffic;
import java.util.LinkedHashMap;
import java.util.Map;

/// The result of one iteration.
///
/// @param loss mean over the labels of the batch, of all replicas
/// @param update what was done with the gradients
/// @param stopped whether a rank was asked to stop
/// @param times of this rank
/// @param sent by this rank
public record IterationResult(double loss, Update update, boolean stopped, Times times, Sent sent) {
  /// What was done with the gradients.
  ///
  /// @param gradientNorm of all parameters before clipping
  /// @param lossScale factor of the loss
  /// @param skipped whether no step was taken, because a gradient was not finite
  public record Update(double gradientNorm, double lossScale, boolean skipped) {}

  /// How this rank spent its time.
  ///
  /// @param seconds wall clock
  /// @param phases seconds by phase
  /// @param forwardSeconds of the forward pass of one microbatch through this rank's stage, mean
  /// @param backwardSeconds of the backward pass of one microbatch through this rank's stage, mean
  public record Times(
      double seconds,
      Map<StagePhase, Double> phases,
      double forwardSeconds,
      double backwardSeconds) {
    /// {@return seconds by the label of the phase}
    public Map<String, Double> byLabel() {
      Map<String, Double> seconds = new LinkedHashMap<>();
      phases.forEach((phase, time) -> seconds.put(phase.label(), time));
      return seconds;
    }
  }

  /// What this rank sent.
  ///
  /// @param all messages and bytes of all operations
  /// @param gradientBytes for the sums over replicas
  public record Sent(Traffic.Snapshot all, long gradientBytes) {}
}
