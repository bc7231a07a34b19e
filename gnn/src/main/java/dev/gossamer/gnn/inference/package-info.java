/// Evaluation and prediction in bounded memory: layer by layer with all neighbours, or with sampled
/// ones. Start with [dev.gossamer.gnn.inference.LayerwiseInference].
@NullMarked
package dev.gossamer.gnn.inference;

import org.jspecify.annotations.NullMarked;
