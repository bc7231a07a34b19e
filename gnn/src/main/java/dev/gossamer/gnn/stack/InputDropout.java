package dev.gossamer.gnn.stack;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.format.RowIds;

/// The dropout of the input features of some vertices.
///
/// @param dropout with a rate that may be 0
/// @param ids numbers of the vertices in the data set, by which dropout is drawn
/// @param workers threads that apply it
public record InputDropout(Dropout dropout, RowIds ids, Workers workers) {
  boolean drops() {
    return dropout.rate() > 0;
  }
}
