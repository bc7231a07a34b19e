package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Traffic;
import java.util.Map;

/// What one iteration has to say.
///
/// @param loss mean over the labels of the batch, of all replicas
/// @param gradientNorm of all parameters before clipping
/// @param lossScale that the loss was multiplied with
/// @param skipped whether a gradient was not finite, so that no step was taken
/// @param stopped whether a rank was asked to stop
/// @param seconds wall clock of this rank
/// @param phases seconds of this rank by phase
/// @param sent by this rank
/// @param gradientBytes of these, for the sums over replicas
/// @param forwardSeconds of the forward pass of one microbatch through this rank's stage, mean
/// @param backwardSeconds of the backward pass of one microbatch through this rank's stage, mean
public record IterationResult(
    double loss,
    double gradientNorm,
    double lossScale,
    boolean skipped,
    boolean stopped,
    double seconds,
    Map<StagePhase, Double> phases,
    Traffic.Snapshot sent,
    long gradientBytes,
    double forwardSeconds,
    double backwardSeconds) {}
