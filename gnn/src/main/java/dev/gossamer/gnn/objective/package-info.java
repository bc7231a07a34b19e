/// What networks are trained for: the loss of their outputs, the predictions that follow from them,
/// and scores. Start with [dev.gossamer.gnn.objective.Objective].
@NullMarked
package dev.gossamer.gnn.objective;

import org.jspecify.annotations.NullMarked;
