/// A training run as a user sees it: epochs, metrics, checkpoints, the run folder. Does not depend
/// on models or graphs, but on ranks, whose traffic and timelines it writes; trainers plug into
/// [dev.gossamer.run.TrainingLoop] as an [dev.gossamer.run.EpochTrainer].
@NullMarked
package dev.gossamer.run;

import org.jspecify.annotations.NullMarked;
