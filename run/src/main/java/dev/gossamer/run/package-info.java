/// A training run as a user sees it: epochs, metrics, checkpoints, the run folder. Knows no model
/// and no graph, but ranks, whose traffic and timelines it writes down; trainers plug into
/// [dev.gossamer.run.TrainingLoop] as an [dev.gossamer.run.EpochTrainer].
@NullMarked
package dev.gossamer.run;

import org.jspecify.annotations.NullMarked;
