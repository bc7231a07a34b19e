/// Pruned networks: training, saving and using them.
///
/// Start with [dev.gossamer.pruned.PrunedTraining], which returns a
/// [dev.gossamer.pruned.PrunedModel]: it evaluates, continues texts, and opens files of earlier
/// runs. Settings are records with defaults. The parts of a run are in the packages below:
/// `pipeline` (iterations on many ranks), `layers`, `prune` (which parameters survive) and `corpus`
/// (texts and images).
@NullMarked
package dev.gossamer.pruned;

import org.jspecify.annotations.NullMarked;
