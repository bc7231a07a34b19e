package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Traffic;
import java.util.Map;

/// What one iteration has to say.
///
/// @param loss mean over the labels of the batch, of all replicas
/// @param update what became of the gradients
/// @param stopped whether a rank was asked to stop
/// @param times of this rank
/// @param sent by this rank
public record IterationResult(double loss, Update update, boolean stopped, Times times, Sent sent) {
  /// What became of the gradients.
  ///
  /// @param gradientNorm of all parameters before clipping
  /// @param lossScale that the loss was multiplied with
  /// @param skipped whether a gradient was not finite, so that no step was taken
  public record Update(double gradientNorm, double lossScale, boolean skipped) {}

  /// Where the time of this rank went.
  ///
  /// @param seconds wall clock
  /// @param phases seconds by phase
  /// @param forwardSeconds of the forward pass of one microbatch through this rank's stage, mean
  /// @param backwardSeconds of the backward pass of one microbatch through this rank's stage, mean
  public record Times(
      double seconds,
      Map<StagePhase, Double> phases,
      double forwardSeconds,
      double backwardSeconds) {}

  /// What this rank sent.
  ///
  /// @param all messages and bytes of all operations
  /// @param gradientBytes of all, for the sums over replicas
  public record Sent(Traffic.Snapshot all, long gradientBytes) {}
}
