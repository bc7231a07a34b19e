/// Training runs: epochs, metrics, checkpoints, the run folder. Depends on ranks, whose traffic and
/// timelines it writes, but not on models or graphs; trainers implement
/// [dev.gossamer.run.EpochTrainer] for [dev.gossamer.run.TrainingLoop].
@NullMarked
package dev.gossamer.run;

import org.jspecify.annotations.NullMarked;
