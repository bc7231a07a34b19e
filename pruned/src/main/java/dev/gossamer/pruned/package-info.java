/// Pruned networks: train one, keep it as a file, use it.
///
/// Start at [dev.gossamer.pruned.PrunedTraining], which gives a [dev.gossamer.pruned.PrunedModel]:
/// it evaluates, continues texts, and opens files of earlier runs. Settings are records with
/// defaults. What a run consists of is in the packages below: `pipeline` (iterations on many
/// ranks), `layers`, `prune` (which parameters survive) and `corpus` (texts and images).
@NullMarked
package dev.gossamer.pruned;

import org.jspecify.annotations.NullMarked;
