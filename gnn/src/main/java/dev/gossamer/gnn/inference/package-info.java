/// What a trained network says of vertices, in bounded memory: with all neighbours layer by layer,
/// or with sampled ones. Trainers evaluate with it, and models predict. Start with
/// [dev.gossamer.gnn.inference.LayerwiseInference].
@NullMarked
package dev.gossamer.gnn.inference;

import org.jspecify.annotations.NullMarked;
