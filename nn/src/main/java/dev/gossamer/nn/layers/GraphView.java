package dev.gossamer.nn.layers;

/// A layer's view of the graph: as a linear map of whole rows, which most layers use, or edge by
/// edge. A network gets the view that its layers need.
public sealed interface GraphView permits Aggregation, Neighbourhood {
  /// {@return the view of a training step: if edges are dropped, of those that the step leaves, in
  /// memory that the next step overwrites; otherwise this view} Local.
  ///
  /// @param step epoch or batch whose edges are drawn
  default GraphView drawn(long step) {
    return this;
  }
}
