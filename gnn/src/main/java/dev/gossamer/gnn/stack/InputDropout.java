package dev.gossamer.gnn.stack;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.format.RowIds;

/// The dropout of input features, as it is drawn for some vertices.
///
/// @param dropout whose rate may be 0: then nothing is dropped
/// @param ids numbers of the vertices that do not depend on who has them: dropout is drawn by them
/// @param workers the threads that apply it
public record InputDropout(Dropout dropout, RowIds ids, Workers workers) {
  boolean drops() {
    return dropout.rate() > 0;
  }
}
