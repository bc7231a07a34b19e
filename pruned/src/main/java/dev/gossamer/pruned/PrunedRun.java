package dev.gossamer.pruned;

import dev.gossamer.pruned.pipeline.PipelineTraining;
import dev.gossamer.pruned.pipeline.RunSummary;
import org.jspecify.annotations.Nullable;

/// How a run ended, as this process knows it.
///
/// @param plan of the run
/// @param result iterations and the last evaluation
/// @param summary times, bytes and what was pruned; null if the run was interrupted
/// @param model null if the run was interrupted, or this process does not have the first rank
public record PrunedRun(
    RunPlan plan,
    PipelineTraining.Result result,
    @Nullable RunSummary summary,
    @Nullable PrunedModel model) {}
