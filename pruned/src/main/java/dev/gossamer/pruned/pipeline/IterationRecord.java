package dev.gossamer.pruned.pipeline;

import org.jspecify.annotations.Nullable;

/// One iteration of a run.
///
/// @param number 1-based
/// @param learningRate of the iteration
/// @param grid of the iteration
/// @param result loss, times and bytes
/// @param kept parameters of the whole network that survive
/// @param validation after it, or null if it was not evaluated
public record IterationRecord(
    int number,
    double learningRate,
    RankGrid grid,
    IterationResult result,
    long kept,
    @Nullable Score validation) {}
