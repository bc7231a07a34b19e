package dev.gossamer.pruned;

import dev.gossamer.pruned.pipeline.PipelineTraining;
import dev.gossamer.pruned.pipeline.RunSummary;
import org.jspecify.annotations.Nullable;

/// The result of a run on this process.
///
/// @param plan of the run
/// @param result the iterations and the last evaluation
/// @param summary times, bytes and pruning results; null if the run was interrupted
/// @param model null if the run was interrupted, or this process does not have the first rank
public record PrunedResult(
    RunPlan plan,
    PipelineTraining.Result result,
    @Nullable RunSummary summary,
    @Nullable PrunedModel model) {}
