/// Training of pruned networks with `G_data` replicas of a pipeline of `G_inter` stages (SAMO,
/// sections II-E and IV).
///
/// Start with [dev.gossamer.pruned.pipeline.PipelineTrainer]: one iteration of one rank. Its steps
/// are [dev.gossamer.pruned.pipeline.MicrobatchSchedule] (the order of microbatches),
/// [dev.gossamer.pruned.pipeline.Stage] (forward and backward passes),
/// [dev.gossamer.pruned.pipeline.GradientExchange] (sums over replicas) and the optimizer. Imports
/// the floors below and neither of the other trainers.
@NullMarked
package dev.gossamer.pruned.pipeline;

import org.jspecify.annotations.NullMarked;
